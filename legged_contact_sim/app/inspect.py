"""``legged-contact-sim inspect ROBOT``: what a robot is, its stance, what was guessed and what looks wrong."""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelWarning
from ..model import RobotModel
from ..model.feet import chain
from ..model.home import body_placements
from ..model.inspection import description, doubts, joint_table
from .needs import need_plots


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("inspect", help="say what a robot is, how it stands, what was guessed and looks wrong")
    parser.add_argument("robot", help="packaged name, or path of a URDF, xacro file or MJCF")
    add_reading_options(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="draw it as PNG, too")
    parser.add_argument("--points", action="store_true", help="list the contact points")
    parser.set_defaults(action=inspect)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a robot is read."""
    parser.add_argument("--package-path", action="append", default=[], metavar="FOLDER", help="of package:// addresses")
    parser.add_argument("--srdf", metavar="FILE", help="instead of the one beside the URDF")
    parser.add_argument("--home", metavar="POSE", help="name of a pose or keyframe to stand in")
    parser.add_argument("--feet", metavar="NAMES", help="contact points or links, separated by commas")
    parser.add_argument("--meshes", default="hull", help="hull or skip")
    parser.add_argument("--mimic", default="couple", help="couple or lock joints that mimic others")
    parser.add_argument("--self-collision", action="store_true", help="let the robot's bodies collide with one another")
    parser.add_argument("--xacro", action="append", default=[], metavar="NAME:=VALUE", help="argument of a xacro file")


def read_robot(options: argparse.Namespace) -> RobotModel:
    """Return the robot that the options describe; its warnings are left to `RobotModel.notes`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return RobotModel.from_urdf(
            options.robot,
            home=options.home,
            feet=options.feet.split(",") if options.feet else None,
            meshes=options.meshes,
            packages=options.package_path,
            srdf=options.srdf,
            mimic=options.mimic,
            self_collision=options.self_collision,
            xacro_arguments=options.xacro,
        )


def inspect(options: argparse.Namespace) -> int:
    """Print, and draw if asked, what a robot is."""
    robot = read_robot(options)
    print("\n".join([*description(robot), "", *joint_table(robot)]))
    if options.points:
        print()
        for name, link, point in zip(robot.contact_names, robot.contact_links, robot.contact_points, strict=True):
            print(f"point      {name} on {link}, radius {1e3 * point['radius']:.1f} mm")
    print()
    for note in robot.notes:
        print(f"guessed    {note}")
    for doubt in doubts(robot):
        print(f"doubt      {doubt}")
    if options.output:
        draw(robot, options.output)
        print(options.output)
    return 0


def draw(robot: RobotModel, output: Path) -> None:
    """Draw a robot in its home pose from the side and from the front: bodies, contact points, feet, centre of mass.

    Raises:
        ParameterError: matplotlib is not installed.
    """
    need_plots()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    placed = body_placements(robot.links, robot.home)
    points = np.array([placed[p["link"]].apply(p["position"]) for p in robot.contact_points]).reshape(-1, 3)
    coms = np.array([place.apply(link["com"]) for place, link in zip(placed, robot.links, strict=True)])
    center = robot.links["mass"] @ coms / robot.total_mass
    figure = Figure(figsize=(10, 5), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (across, words) in zip(figure.subplots(1, 2), ((0, "x [m]"), (1, "y [m]")), strict=True):
        for body in range(len(robot.links)):
            line = np.array([placed[b].position for b in (0, *chain(robot.links, body))])
            axes.plot(line[:, across], line[:, 2], "-o", color="0.4", markersize=3, linewidth=1)
        for foot in map(robot.contact_names.index, robot.feet):
            end = np.array([placed[robot.contact_points["link"][foot]].position, points[foot]])
            axes.plot(end[:, across], end[:, 2], "-", color="0.4", linewidth=1)
        axes.scatter(points[:, across], points[:, 2], s=6, color="tab:blue", label="contact points")
        feet = points[[robot.contact_names.index(foot) for foot in robot.sole_points]]
        axes.scatter(feet[:, across], feet[:, 2], s=40, color="tab:red", label="feet")
        axes.scatter(center[across], center[2], s=60, marker="x", color="black", label="centre of mass")
        axes.axhline(0.0, color="0.7", linewidth=1)
        axes.set(xlabel=words, ylabel="z [m]")
        axes.set_aspect("equal", adjustable="datalim")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
    figure.suptitle(f"{robot.name}, {robot.total_mass:.3g} kg; home: {robot.home_origin}", fontsize="medium")
    figure.savefig(output, dpi=120)
