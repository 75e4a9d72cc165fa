"""Push a standing quadruped and say where the energy went, under two laws of contact.

python examples/push_and_audit.py
"""

from legged_contact_sim import RobotModel, Simulator


def main() -> None:
    """Push sideways with half the weight for a tenth of a second."""
    robot = RobotModel.from_urdf("quadruped12")
    for model in ("exact_lcp", "compliant"):
        sim = Simulator(robot, model, friction=0.8)
        sim.hold(stiffness=150.0, damping=4.0)
        sim.run(0.2)
        sim.push(robot.link_names[0], [0.0, 0.5 * 9.81 * robot.total_mass, 0.0], duration=0.1)
        run = sim.run(0.6)
        audit = sim.report.energy
        print(
            f"{model:>10}: base moved {1e3 * (run.q[-1, 1] - run.q[0, 1]):.1f} mm; push {audit.external:.2f} J, "
            f"drives {audit.actuators:.2f} J, contact {audit.contact:.2f} J, unexplained {audit.remainder:.0e} J"
        )


if __name__ == "__main__":
    main()
