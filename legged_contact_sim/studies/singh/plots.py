"""Figures of the planar leg's fall and jump."""

from typing import Any

import numpy as np

from ..frame import Result
from ..frame.drawing import legend_beside, new_figure, stacked
from .jump import FOOT, MOTORS

WEIGHT = 35.892 * 9.81  # N


def fall_energy(result: Result) -> Any:
    """Return the energies of the fall: all of them, and the total alone where its loss can be read."""
    series = result.tables["series"]
    drawing, (everything, total) = stacked(2, "Singh: energy of the falling leg")
    time, sum_of_both = series["time"], series["kinetic"] + series["potential"]
    everything.plot(time, series["kinetic"], label="kinetic")
    everything.plot(time, series["potential"], label="potential")
    everything.plot(time, sum_of_both, label="total")
    total.plot(time, sum_of_both - sum_of_both[0], color="tab:green", label="total minus its start")
    for axes in (everything, total):
        axes.set_ylabel("energy (J)")
        legend_beside(axes)
        mark_events(axes, result)
    return drawing


def fall_reactions(result: Result) -> Any:
    """Return gaps and reactions of both ends of the foot."""
    series = result.tables["series"]
    drawing, (gaps, forces) = stacked(2, "Singh: foot of the falling leg")
    for name, style in zip(FOOT, ("-", "--"), strict=True):
        gaps.plot(series["time"], 1e3 * series[f"gap_{name}"], style, label=name)
        forces.plot(series["time"], series[f"normal_{name}"], label=f"{name} normal")
        forces.plot(series["time"], series[f"tangential_{name}"], "--", label=f"{name} tangential")
    gaps.set_ylabel("gap (mm)")
    forces.set(ylabel="reaction (N)", ylim=(-1.5 * WEIGHT, 2.0 * WEIGHT))  # an impact's mean would dwarf the rest
    for axes in (gaps, forces):
        legend_beside(axes)
        mark_events(axes, result)
    return drawing


def mark_events(axes: Any, result: Result) -> None:
    """Draw a line at every event."""
    for time in result.tables["events"]["time"]:
        axes.axvline(time, color="0.6", linewidth=0.8)


def jump_overview(result: Result) -> Any:
    """Return energy and motor work, torques, gaps and reactions of a jump, with its phases."""
    series = result.tables["series"]
    drawing, (energy, torque, gaps, forces) = stacked(4, f"Singh: jump of the planar leg, {result.numbers['variant']}")
    time, total = series["time"], series["kinetic"] + series["potential"]
    energy.plot(time, total, label="total")
    energy.plot(time, series["kinetic"], label="kinetic")
    energy.plot(time, series["motor_work"], label="motor work")
    energy.plot(time, total - series["motor_work"], label="total minus motor work")
    energy.set_ylabel("energy (J)")
    for name in MOTORS:
        torque.plot(time, series[f"torque_{name}"], label=name, linewidth=0.9)
    torque.set_ylabel("torque (N m)")
    for name in FOOT:
        gaps.plot(time, series[f"gap_{name}"], label=name)
        forces.plot(time, series[f"normal_{name}"], label=f"{name} normal", linewidth=0.9)
    gaps.set_ylabel("gap (m)")
    forces.set(ylabel="reaction (N)", ylim=(-0.2 * WEIGHT, 4.0 * WEIGHT))
    for axes in (energy, torque, gaps, forces):
        legend_beside(axes)
        for begin in result.numbers["phase_times"]:
            axes.axvline(begin, color="0.6", linewidth=0.8)
    name_phases(energy, result)
    return drawing


def name_phases(axes: Any, result: Result) -> None:
    """Write the phases' names above some axes, on two levels so that short phases do not overprint."""
    for level, (name, begin) in enumerate(zip(result.numbers["phases"], result.numbers["phase_times"], strict=True)):
        place = (begin, 1.02 + 0.09 * (level % 2))
        axes.annotate(name, place, xycoords=("data", "axes fraction"), fontsize=8, annotation_clip=False)


def torques(result: Result) -> Any:
    """Return figure 5-3: the motors' torques up to the lift, all of them, and those before the last peak."""
    series, numbers = result.tables["series"], result.numbers
    drawing, (everything, small) = stacked(2, "Singh: torques up to the lift, document's control")
    chosen = series["time"] < numbers["toe_leaves"] + 0.05
    for axes in (everything, small):
        for name in MOTORS:
            axes.plot(series["time"][chosen], series[f"torque_{name}"][chosen], label=name)
        for begin in numbers["phase_times"]:
            axes.axvline(begin, color="0.6", linewidth=0.8)
        axes.set_ylabel("torque (N m)")
        legend_beside(axes)
    small.set_ylim(-1000.0, 1000.0)
    name_phases(everything, result)
    return drawing


def work_and_energy(result: Result) -> Any:
    """Return figure 5-4: motor work, energy without it, and kinetic energy."""
    series = result.tables["series"]
    drawing, (axes,) = stacked(1, f"Singh: energies of the jump, {result.numbers['variant']}")
    total = series["kinetic"] + series["potential"]
    axes.plot(series["time"], total - series["motor_work"], color="tab:blue", label="total without motor work")
    axes.plot(series["time"], series["motor_work"], color="tab:orange", label="motor work")
    axes.plot(series["time"], series["kinetic"], color="gold", label="kinetic")
    for begin in result.numbers["phase_times"]:
        axes.axvline(begin, color="0.6", linewidth=0.8)
    axes.set_ylabel("energy (J)")
    legend_beside(axes)
    return drawing


def foot_capture(result: Result) -> Any:
    """Return figure 5-5: the foot as it leaves the ground."""
    drawing = new_figure(8, 3.6)
    axes, table = drawing.subplots(), result.tables["foot"]
    for picture in np.unique(table["picture"]):
        part = table["picture"] == picture
        x, z = table["x"][part][:2], table["z"][part][:2]
        axes.plot(x, z, marker="o", markersize=3, label=f"{table['time'][part][0]:.3f} s")
    axes.annotate("toe", (x[0], z[0]), fontsize=8, xytext=(2, -10), textcoords="offset points")
    axes.annotate("heel", (x[1], z[1]), fontsize=8, xytext=(2, 4), textcoords="offset points")
    axes.axhline(0.0, color="grey")
    axes.set(xlabel="x (m)", ylabel="z (m)", title=f"Singh: the foot leaves the ground, {result.numbers['variant']}")
    axes.margins(0.08)
    legend_beside(axes)
    return drawing


def whole_capture(result: Result) -> Any:
    """Return figure 5-6: the whole leg over time."""
    drawing = new_figure(10, 5)
    axes, table = drawing.subplots(), result.tables["leg"]
    count = len(np.unique(table["picture"]))
    step = 1.2  # m between one picture and the next
    for k in range(count):
        part = table["picture"] == k
        axes.plot(table["x"][part] + step * k, table["z"][part], color="black", marker="o", markersize=2.5)
        place = float(table["x"][part].mean()) + step * k, -0.25 - 0.25 * (k % 2)
        axes.annotate(f"{table['time'][part][0]:.2f} s", place, fontsize=7)
    axes.axhline(0.0, color="grey")
    axes.set(aspect="equal", ylim=(-0.7, None), ylabel="z (m)", xlabel=f"x (m), each {step:g} m further along")
    axes.set_title(f"Singh: motion of the leg, {result.numbers['variant']}")
    return drawing
