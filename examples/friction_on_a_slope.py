"""At which friction does a block begin to slip on a slope? Coulomb says: at the tangent of its angle.

python examples/friction_on_a_slope.py
"""

import numpy as np

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.terrain import Slope

ANGLE = np.radians(20.0)
BLOCK = """<robot name="block"><link name="block"><inertial><mass value="10"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision></link></robot>"""


def slid(friction: float) -> float:
    """Return how far the block slides in half a second, m."""
    sim = Simulator(RobotModel.from_urdf(BLOCK), "exact_lcp", terrain=Slope(float(ANGLE)), friction=friction)
    normal = np.array([-np.sin(ANGLE), 0.0, np.cos(ANGLE)])
    sim.reset(np.array([*(0.05 * normal), 0.0, -np.sin(0.5 * ANGLE), 0.0, np.cos(0.5 * ANGLE)]))
    start = sim.q[:3].copy()
    sim.run(0.5)
    return float(np.linalg.norm(sim.q[:3] - start))


def main() -> None:
    """Print the distance below, at and above the tangent of the angle, beside that of the closed form."""
    for friction in (0.2, 0.3, np.tan(ANGLE) + 0.01, 0.5):
        acceleration = max(0.0, 9.81 * (np.sin(ANGLE) - friction * np.cos(ANGLE)))
        print(f"friction {friction:.3f}: {slid(friction):.4f} m; closed form {0.5 * acceleration * 0.5**2:.4f} m")


if __name__ == "__main__":
    main()
