"""Whole steps with contact: every time-stepping model of ours and other engines, quadrupeds that stand and trot."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from .mujoco_steps import DEFAULT, FASTEST, candidates, default_player, fastest_players
from .our_steps import EXACT, MODELS, MOREAU, OurPlayer
from .report import plot_bars
from .rivals import rivals, versions
from .step_case import GAITS, ROBOTS, STANDING, TIME_STEPS, Robot, StepCase, step_case
from .step_timing import Lap, Player, compare, watch
from .timing import Contender, Timing, interleave, print_table

# MuJoCo's time over ours: which of ours, against which of MuJoCo's, and what it should reach.
GOALS = ((EXACT, DEFAULT, 3.0), (EXACT, FASTEST, 2.5), (MOREAU, DEFAULT, 2.0))
BARE = f"{EXACT}, without a report"

NOTES = """
Same URDF, gains, joint targets (a new row every 2.5 ms) and friction 0.8; only the four feet can touch; no joint
friction. Every engine is watched over five gait periods before it is timed: base height, tilt, depth of the feet and,
when it trots, that diagonal pairs of feet take turns. What fails is not timed. Engines take turns on one core; a gait
period is timed in short pieces, each of which counts with its minimum over all rounds.
Ours runs along the targets in one compiled call, MuJoCo in its C rollout (mj_step with nstep where it stands), Drake in
its C++ loop between targets; PyBullet and DART offer one call per step.
MuJoCo's fastest: the best of {count} settings of solver, cone, iterations, damping and disabled features that pass.
"""

Results = dict[str, dict[str, Lap]]  # by case and player


def race(case: StepCase, rounds: int) -> tuple[list[Lap], list[str]]:
    """Return what all players did in a case, and the engines that are not installed."""
    others, missing = rivals(case)
    players: list[Player] = [OurPlayer(case, model) for model in MODELS]
    players += [default_player(case), *fastest_players(case), *others]
    return best_of_name(compare(case, players, rounds)), missing


def best_of_name(laps: list[Lap]) -> list[Lap]:
    """Keep the fastest of players that have the same name."""
    best: dict[str, Lap] = {}
    for lap in laps:
        old = best.get(lap.name)
        if old is None or old.timing is None or (lap.timing and lap.timing.minimum < old.timing.minimum):
            best[lap.name] = lap
    return list(best.values())


def ratios(laps: Mapping[str, Lap]) -> list[dict[str, Any]]:
    """Return MuJoCo's times over ours beside the goals, None where one of both failed."""
    found = []
    for ours, theirs, goal in GOALS:
        mine, other = (laps[name].timing if name in laps else None for name in (ours, theirs))
        ratio = other.minimum / mine.minimum if mine and other else None
        found.append({"ours": ours, "theirs": theirs, "ratio": ratio, "goal": goal})
    return found


def short(case: StepCase) -> str:
    """Return gait and time step."""
    return f"{case.gait}, {1e3 * case.time_step:g} ms"


def print_robot(name: str, cases: list[StepCase], results: Results) -> None:
    """Print the times of one robot, one column per case, and what failed."""
    names = list(dict.fromkeys(player for case in cases for player in results[case.name]))
    rows, failures = [], []
    for player in names:
        row = [player]
        for case in cases:
            lap = results[case.name].get(player)
            row.append(f"{lap.timing.minimum:.2f}" if lap and lap.timing else "failed")
            if lap and lap.behaviour.failure:
                failures.append(f"{player}, {short(case)}: {lap.behaviour.failure}")
        rows.append(row)
    print_table(f"{name}: a step, µs (minimum)", ["", *map(short, cases)], rows)
    print("".join(f"\nFailed: {text}" for text in failures) or "\nAll of them stand and trot.")


def print_behaviour(name: str, cases: list[StepCase], results: Results) -> None:
    """Print what was seen of one robot: lowest base height over home, and deepest foot in mm."""
    names = list(dict.fromkeys(player for case in cases for player in results[case.name]))
    rows = []
    for player in names:
        seen = [results[case.name][player].behaviour if player in results[case.name] else None for case in cases]
        rows.append([player, *(f"{b.lowest:.3f}, {1e3 * max(b.deepest, 0.0):.2f}" if b else "" for b in seen)])
    print_table(f"{name}: lowest base over its home, deepest foot in mm", ["", *map(short, cases)], rows)


def print_ratios(results: Results) -> None:
    """Print the ratios beside the goals."""
    rows = []
    for case, laps in results.items():
        found = ratios(laps)
        rows.append([case, *(f"{x['ratio']:.2f}" if x["ratio"] else "" for x in found)])
    header = ["", *(f"{ours} / {theirs} (goal {goal:g})" for ours, theirs, goal in GOALS)]
    print_table("How many times faster than MuJoCo", header, rows)


def per_call(drive: Robot, rounds: int) -> dict[str, Timing]:
    """Return what a standing step takes when Python calls for each one, µs: `Simulator.step`, mj_step and the like."""
    case = step_case(drive, STANDING, TIME_STEPS[0])
    players: list[Player] = [OurPlayer(case, model) for model in MODELS]
    players += [default_player(case), *rivals(case)[0]]
    able = [player for player in players if not watch(case, player).failure]
    contenders = [Contender(p.name, STANDING, "call", p.single_step(), reset=p.restore) for p in able]
    bare = OurPlayer(case, EXACT)
    watch(case, bare)
    contenders.append(Contender(BARE, STANDING, "call", partial(bare.simulator.advance, 1), reset=bare.restore))
    return dict(zip((c.engine for c in contenders), interleave(contenders, rounds, 1e-3)))


def run(rounds: int) -> dict[str, Any]:
    """Race all players in all cases; print, plot and return the numbers."""
    print("; ".join(f"{package} {version}" for package, version in versions().items()))
    results: Results = {}
    calls: dict[str, dict[str, Timing]] = {}
    missing: list[str] = []
    for drive in ROBOTS:
        cases = [step_case(drive, gait, time_step) for gait in GAITS for time_step in TIME_STEPS]
        for case in cases:
            laps, missing = race(case, max(1, rounds // 4))
            results[case.name] = {lap.name: lap for lap in laps}
        print_robot(drive.name, cases, results)
        print_behaviour(drive.name, cases, results)
        names = dict.fromkeys(player for case in cases for player in results[case.name])
        bars = {
            name: [results[case.name][name].timing if name in results[case.name] else None for case in cases]
            for name in names
        }
        plot_bars(f"steps_{drive.name}", f"{drive.name}: a whole step", [*map(short, cases)], bars, "log")
        calls[drive.name] = per_call(drive, max(1, rounds // 4))
    names = dict.fromkeys(name for found in calls.values() for name in found)
    rows = [[name, *(f"{calls[r][name].minimum:.2f}" if name in calls[r] else "" for r in calls)] for name in names]
    print_table("Standing, 0.5 ms, one Python call per step, µs (minimum)", ["", *calls], rows)
    print_ratios(results)
    print(NOTES.format(count=len(candidates()) + 1))
    for name in missing:
        print(f"{name} is not installed here.")
    return {
        "cases": {case: [asdict(lap) for lap in laps.values()] for case, laps in results.items()},
        "ratios": {case: ratios(laps) for case, laps in results.items()},
        "per_call": {robot: {name: asdict(x) for name, x in found.items()} for robot, found in calls.items()},
        "versions": versions(),
        "missing": missing,
    }
