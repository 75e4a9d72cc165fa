"""How an `exact_lcp` step grows: with contacts, 1 to 64, beside MuJoCo, and with links at four contacts."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.contact import Commands

from .chains import exponent
from .mujoco_plate import contenders as mujoco_contenders
from .mujoco_steps import DEFAULT, FASTEST
from .ours import NAME as OURS
from .report import plot_growth
from .timing import Contender, interleave, print_table

CONTACTS = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2), 16: (4, 4), 32: (8, 4), 64: (8, 8)}
SLIDING = tuple(count for count in CONTACTS if count >= 4)  # fewer points would let a sliding plate fall over
RIVALRY = (4, 16, 32, 64)  # contacts of a plate at rest, for which MuJoCo is timed, too
LEGS = (4, 8, 16, 32, 64)
TIME_STEP, SETTLING = 5e-4, 0.5
STEPS, FEW_STEPS = 20, 2  # of a compiled run, and where a step takes long
SPEED, SPIN = 2.0, 8.0  # m/s and rad/s: enough to slide for as long as a slice of time lasts
MANY = 16  # contacts from which growth is fitted besides the whole range: few of them cost less than the rest of a step
NOTES = """
Resting and sliding straight, the impulses of the last step still fit, and a step only tests them; with many contacts
it does so through the degrees of freedom, without the contact matrix. Sliding and spinning, every point's
friction turns from step to step, and the solver has to work.
"""


def plate(count: int) -> RobotModel:
    """Return a plate of 20 kg on a grid of contact points, symmetric about its centre."""
    urdf = (
        '<robot name="plate"><link name="plate"><inertial><mass value="20"/>'
        '<inertia ixx="1.7" iyy="1.7" izz="3.3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    columns, rows = CONTACTS[count]
    places = [(x - (columns - 1) / 2, y - (rows - 1) / 2) for x in range(columns) for y in range(rows)]
    pitch = 1.0 / max(columns, 2)
    points = {
        f"point_{k}": {"link": "plate", "offset": [pitch * x, pitch * y, -0.04], "radius": 0.01}
        for k, (x, y) in enumerate(places)
    }
    return RobotModel.from_urdf(urdf, "floating", contact_points=points)


def many_legged(legs: int) -> RobotModel:
    """Return a long trunk with two rows of legs of three joints; only the four legs at its corners have feet."""
    pairs = legs // 2
    home: dict[str, float] = {}
    text = link("trunk", 10.0 + legs, 0.1 * pairs**2 + 1.0)
    corners = {"0_left", "0_right", f"{pairs - 1}_left", f"{pairs - 1}_right"}
    for pair in range(pairs):
        for side, y in (("left", 0.2), ("right", -0.2)):
            name = f"{pair}_{side}"
            hip, thigh, shank = f"hip_{name}", f"thigh_{name}", f"shank_{name}"
            text += link(hip, 0.5, 1e-3) + link(thigh, 0.5, 2e-3) + link(shank, 0.3, 1e-3, foot=name in corners)
            text += hinge("haa", "trunk", hip, "1 0 0", f"{0.3 * (pair - (pairs - 1) / 2)} {y} 0")
            text += hinge("hfe", hip, thigh, "0 1 0", "0 0 0") + hinge("kfe", thigh, shank, "0 1 0", "0 0 -0.2")
            home |= {f"hfe_{thigh}": 0.7, f"kfe_{shank}": -1.4}
    return RobotModel.from_urdf(f'<robot name="many_legged">{text}</robot>', "floating", home=home)


def link(name: str, mass: float, inertia: float, foot: bool = False) -> str:
    """Return a link with its mass a little below its origin, and perhaps a foot at the end of a shank."""
    sphere = '<collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="0.02"/></geometry></collision>'
    return (
        f'<link name="{name}"><inertial><origin xyz="0 0 -0.05"/><mass value="{mass}"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"{sphere if foot else ''}</link>"
    )


def hinge(kind: str, parent: str, child: str, axis: str, place: str) -> str:
    """Return a revolute joint, named by its kind and its child."""
    return (
        f'<joint name="{kind}_{child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}"/><axis xyz="{axis}"/>'
        '<limit lower="-3" upper="3" effort="10000" velocity="100"/></joint>'
    )


def settled(robot: RobotModel, speed: float = 0.0, spin: float = 0.0) -> Simulator:
    """Return a simulator at rest on the ground, or sliding forward at a speed, m/s, and spinning at a rate, rad/s."""
    simulator = Simulator(robot, "exact_lcp", TIME_STEP)
    simulator.hold(5000.0, 100.0)
    simulator.run(SETTLING)
    if speed or spin:
        v = simulator.state.v
        v[0], v[5] = speed, spin
        simulator.set_state(simulator.state.q, v)
        simulator.step()
    return simulator


def contender(simulator: Simulator, count: int) -> Contender:
    """Return compiled runs of a few steps, which every round begins in the present state; contacts are counted."""
    if (found := simulator.step().active_contacts) != count:
        raise RuntimeError(f"{simulator.robot.name}: expected {count} contacts, found {found}")
    robot, kept = simulator.robot, simulator.state
    targets = np.zeros((1, 2, robot.nv))
    targets[0, 1, robot.velocity_indices] = robot.home[robot.position_indices]
    steps = STEPS if count <= MANY else FEW_STEPS
    call, restore = partial(simulator.drive, steps, Commands(targets)), partial(simulator.set_state, *kept)
    return Contender(OURS, f"{count} contacts", "run", call, steps, restore)


def curve(build: Callable[[int], Contender], sizes: tuple[int, ...], rounds: int) -> list[float]:
    """Return the time of a step for every size, µs."""
    return [timing.minimum for timing in interleave([build(size) for size in sizes], rounds, 1e-3)]


def beside_mujoco(rounds: int) -> dict[int, dict[str, float]]:
    """Return the time of a step of a plate at rest, µs, for every number of contacts and every engine."""
    found = {}
    for count in RIVALRY:
        simulator = settled(plate(count))
        robot = simulator.robot
        places = np.array(robot.contact_points["position"])
        friction = float(simulator.model.parameters.friction)
        able = [contender(simulator, count), *mujoco_contenders(places, friction, TIME_STEP)]
        timings = interleave(able, rounds, 1e-3)
        found[count] = {one.engine: timing.minimum for one, timing in zip(able, timings)}
    return found


def print_beside_mujoco(found: dict[int, dict[str, float]]) -> None:
    """Print the times beside MuJoCo's."""
    rows = []
    for count, times in found.items():
        ours = times[OURS]
        rivals = [times.get(name) for name in (DEFAULT, FASTEST)]
        cells = [f"{time:.2f} ({time / ours:.2f})" if time else "failed" for time in rivals]
        rows.append([str(count), f"{ours:.2f}", *cells])
    header = ["contacts", OURS, f"{DEFAULT} (of ours)", f"{FASTEST} (of ours)"]
    print_table("A step of a plate at rest, µs (minimum), in one compiled call", header, rows)


def run(rounds: int) -> dict[str, Any]:
    """Time all sizes, print, plot and return times and fitted exponents."""
    counts = tuple(CONTACTS)
    resting = curve(lambda count: contender(settled(plate(count)), count), counts, rounds)
    sliding = curve(lambda count: contender(settled(plate(count), SPEED), count), SLIDING, rounds)
    spinning = curve(lambda count: contender(settled(plate(count), SPEED, SPIN), count), counts, rounds)
    rivalry = beside_mujoco(rounds)
    legs = curve(lambda count: contender(settled(many_legged(count)), 4), LEGS, rounds)
    links = tuple(3 * count + 1 for count in LEGS)
    tail = slice(counts.index(MANY), None)
    fits = {
        "resting, 1 to 64 contacts": exponent(counts, resting),
        "resting, 16 to 64 contacts": exponent(counts[tail], resting[tail]),
        "sliding, 16 to 64 contacts": exponent(SLIDING[-3:], sliding[-3:]),
        "spinning, 1 to 64 contacts": exponent(counts, spinning),
        "spinning, 16 to 64 contacts": exponent(counts[tail], spinning[tail]),
        "links, 13 to 193": exponent(links, legs),
    }
    rows = [
        [str(count), f"{rest:.2f}", f"{sliding[SLIDING.index(count)]:.2f}" if count in SLIDING else "", f"{spin:.2f}"]
        for count, rest, spin in zip(counts, resting, spinning)
    ]
    header = ["contacts", "resting", "sliding", "spinning"]
    print_table("A step of a plate on many points, µs (minimum)", header, rows)
    print(NOTES)
    print_beside_mujoco(rivalry)
    rows = [[str(size), f"{time:.2f}", f"{time / size:.3f}"] for size, time in zip(links, legs)]
    print_table("A step of a robot on four feet, µs (minimum)", ["links", "step", "per link"], rows)
    print("\nFitted growth: " + ", ".join(f"{name}: n^{p:.2f}" for name, p in fits.items()))
    print("Goals: contacts about n^2, links at most n^1.")
    gap = [None] * (len(counts) - len(SLIDING))
    curves: dict[str, list[Any]] = {"resting": resting, "sliding": [*gap, *sliding], "spinning": spinning}
    plot_growth("contacts", "A step of `exact_lcp`, plate on many points", counts, curves, "contacts", 2)
    plot_growth("links", "A step of `exact_lcp`, four feet on the ground", links, {"standing": legs}, "links")
    return {
        "contacts": {"counts": counts, **curves},
        "beside_mujoco": rivalry,
        "links": {"counts": links, "standing": legs},
        "exponents": fits,
        "goals": {"contacts": 2.0, "links": 1.0},
    }
