"""Build the interfaces that the ROS 2 wheels of PyPI lack into this Python's virtual environment.

Those are tf2_msgs, the joint trajectories of control_msgs, and our own legged_contact_sim_msgs; with ``--all`` also
simulation_interfaces, which takes twice as long as the others. What can be imported and is complete is left as it is.
With ROS 2 installed, colcon builds our own, and the others are there or packages of it. CMake would take most of the
time, so the generators of ROS 2 are called directly, in one process, and a package's code becomes one library, for
Python and Fast DDS, which is what the wheels know. Needs a C++ compiler and Python's headers.
"""

import contextlib
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PREFIX = Path(sys.prefix)
SITE = Path(sysconfig.get_path("platlib"))
KINDS = ("msg", "srv", "action")
# What must work where a package is complete.
COMPLETE = {
    "transforms": "from tf2_msgs import action, msg, srv; msg.TFMessage(), srv.FrameGraph, action.LookupTransform",
    "joint_trajectories": "from control_msgs.action import FollowJointTrajectory as Follow; Follow.Goal()",
    "messages": "import legged_contact_sim_msgs.msg as m; m.EnergyAudit().moving_ground, m.LowLevelCommand()",
    "simulation": "from simulation_interfaces import action, msg, srv; action.SimulateSteps, srv.GetEntitiesStates; "
    "msg.Result.__class__.__import_type_support__()",
}
ON_REQUEST = ("simulation",)  # a run does without; it is for those who know simulators by these services
# Fast DDS serializes by the first and describes types to others by the second.
TYPE_SUPPORTS = ("rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c")
VISIBLE = ("rosidl_generator_c", *TYPE_SUPPORTS)


def complete(folder: str) -> bool:
    """Return whether the package of a folder can be imported with all that it holds."""
    return subprocess.run([sys.executable, "-c", COMPLETE[folder]], stderr=subprocess.DEVNULL).returncode == 0


def provide_compiler() -> None:
    """See to a C++ compiler and Python's headers, by apt-get where that is allowed."""
    version = "{}.{}".format(*sys.version_info)
    headers = (Path(sysconfig.get_path("include")) / "Python.h").exists()
    lacking = [] if shutil.which("c++") and shutil.which("cc") else ["g++"]
    lacking += [] if headers else [f"libpython{version}-dev"]
    if not lacking:
        return
    if os.getuid() or not shutil.which("apt-get"):
        sys.exit(f"building interfaces needs a C++ compiler and Python's headers; install: {' '.join(lacking)}")
    print("== installing", *lacking, flush=True)
    subprocess.run(["apt-get", "-qq", "update"], check=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "-qq", "install", "-y", *lacking], check=True, env=quiet, stdout=subprocess.DEVNULL)


def generate(source: Path, package: str, work: Path) -> None:
    """Write the C and Python code of a package's interfaces under ``work``, a folder for each generator."""
    import rosidl_adapter
    import rosidl_generator_c
    import rosidl_generator_py
    import rosidl_generator_type_description
    import rosidl_parser.parser
    import rosidl_typesupport_c
    import rosidl_typesupport_fastrtps_c
    import rosidl_typesupport_introspection_c

    # Seven generators read each definition; parsing takes most of their time.
    rosidl_parser.parser.get_ast_from_idl_string = functools.cache(rosidl_parser.parser.get_ast_from_idl_string)

    def output(generator: str) -> Path:
        return work / generator / package

    idl = output("rosidl_adapter")
    definitions = sorted(file.relative_to(source) for kind in KINDS for file in (source / kind).glob("*"))
    converted = [rosidl_adapter.convert_to_idl(source, package, file, idl) for file in definitions]
    names = [file.relative_to(idl).as_posix() for file in converted]
    described = output("rosidl_generator_type_description")

    def arguments(generator: str) -> str:
        share = PREFIX / "share" / generator
        file = work / f"{generator}.json"
        content = {
            "package_name": package,
            "output_dir": str(output(generator)),
            "template_dir": str(share / "resource"),
            "idl_tuples": [f"{idl}:{name}" for name in names],
            "type_description_tuples": [f"{name}:{(described / name).with_suffix('.json')}" for name in names],
            "include_paths": [f"{path.parent.name}:{path.parent}" for path in PREFIX.glob("share/*/msg")],
            "ros_interface_files": [str(source / file) for file in definitions],
            "ros_interface_dependencies": [],
            "target_dependencies": [],
        }
        file.write_text(json.dumps(content))
        return str(file)

    rosidl_generator_type_description.generate_type_hash(arguments("rosidl_generator_type_description"))
    rosidl_generator_c.generate_c(arguments("rosidl_generator_c"), False)
    rosidl_typesupport_fastrtps_c.generate_typesupport_fastrtps_c(arguments(TYPE_SUPPORTS[0]))
    rosidl_typesupport_introspection_c.generate_c(arguments(TYPE_SUPPORTS[1]))
    rosidl_typesupport_c.generate_c(arguments("rosidl_typesupport_c"), list(TYPE_SUPPORTS))
    rosidl_generator_py.generate_py(arguments("rosidl_generator_py"), ["rosidl_typesupport_c"])
    for generator in VISIBLE:
        name = f"{generator}__visibility_control.h"
        text = (PREFIX / "share" / generator / "resource" / f"{name}.in").read_text()
        text = text.replace("@PROJECT_NAME_UPPER@", package.upper()).replace("@PROJECT_NAME@", package)
        (output(generator) / "msg").mkdir(exist_ok=True)
        (output(generator) / "msg" / name).write_text(text)


def pieces(package: str, work: Path) -> dict[str, list[Path]]:
    """Return the sources of a package by the file to which they are joined: headers are read once for all of them."""

    def sources(generator: str, pattern: str) -> list[Path]:
        return sorted((work / generator / package).rglob(pattern))

    described = sources("rosidl_generator_c", "*__description.c")
    # A message and a service may have the same name, in folders of their own.
    descriptions = {f"{file.parent.parent.name}_{file.name}": [file] for file in described}
    rest = [file for file in sources("rosidl_generator_c", "*.c") if file not in described]
    return {
        "functions.c": rest,
        "python.c": sources("rosidl_generator_py", "*.c"),
        "dispatch.cpp": sources("rosidl_typesupport_c", "*.cpp"),
        "type_support.cpp": sources(TYPE_SUPPORTS[0], "*.cpp"),
        "introspection.c": sources(TYPE_SUPPORTS[1], "*.c"),
        **descriptions,
    }


def compile_piece(name: str, sources: Iterable[Path], package: str, work: Path) -> Path:
    """Compile one piece and return its object file."""
    import numpy

    joined = work / name
    joined.write_text("".join(f'#include "{file}"\n' for file in sources))
    folders = [work / generator for generator in (*VISIBLE, "rosidl_generator_py", "rosidl_typesupport_c")]
    folders += [path for path in (PREFIX / "include").iterdir() if path.is_dir()]
    folders += [PREFIX / "include", Path(numpy.get_include()), Path(sysconfig.get_path("include"))]
    words = ["c++", "-std=gnu++17"] if name.endswith(".cpp") else ["cc", "-std=gnu11"]
    words += ["-O1", "-fPIC", "-w", f'-DROS_PACKAGE_NAME="{package}"', "-DFASTCDR_DYN_LINK"]
    call([*words, *(f"-I{folder}" for folder in folders), "-c", str(joined), "-o", f"{joined}.o"])
    return Path(f"{joined}.o")


def link(objects: Iterable[Path], package: str, target: Path) -> None:
    """Link a package's library against those of the wheels that it uses."""
    endings = ("rosidl_generator_c", "rosidl_generator_py", "rosidl_typesupport_c", *TYPE_SUPPORTS)
    found = [file for ending in endings for file in PREFIX.glob(f"lib/lib*__{ending}.so")]
    libraries = [str(file) for file in found if not file.name.startswith(f"lib{package}__")]
    names = ("rosidl_runtime_c", "rosidl_typesupport_c", *TYPE_SUPPORTS, "rcutils", "rmw", "fastcdr")
    libraries += [str(PREFIX / "lib" / f"lib{name}.so") for name in names]
    options = ["-shared", "-Wl,--as-needed", f"-Wl,-rpath,{PREFIX / 'lib'}", "-s"]
    call(["c++", *options, "-o", str(target), *map(str, objects), *libraries])


def call(words: list[str]) -> None:
    """Run a compiler; what it says is shown if it fails."""
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(words[:1])}: {result.stdout}")


def install(source: Path, package: str, work: Path, library: Path) -> None:
    """Put a package's Python files, library and definitions where they are looked for, instead of an older build."""
    target = SITE / package
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(work / "rosidl_generator_py" / package, target, ignore=shutil.ignore_patterns("*.c"))
    shutil.copy(library, target)
    for type_support in TYPE_SUPPORTS:  # by these names it is loaded when a message is first sent or received
        alias = PREFIX / "lib" / f"lib{package}__{type_support}.so"
        alias.unlink(missing_ok=True)
        alias.symlink_to(target / library.name)
    for kind in KINDS:
        if (source / kind).is_dir():
            shutil.copytree(source / kind, PREFIX / "share" / package / kind, dirs_exist_ok=True)
    shutil.copy(source / "package.xml", PREFIX / "share" / package)
    (PREFIX / "share/ament_index/resource_index/packages" / package).touch()


def build(folder: str, package: str) -> None:
    """Build the package of a folder."""
    source = HERE / folder
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as threads:
        work = Path(name)
        with contextlib.redirect_stdout(io.StringIO()):
            generate(source, package, work)
        jobs = [threads.submit(compile_piece, *piece, package, work) for piece in pieces(package, work).items()]
        library = work / f"{package}_s__rosidl_typesupport_c.so"
        link([job.result() for job in jobs], package, library)
        install(source, package, work, library)


def main() -> None:
    """Build what is missing."""
    wanted = [folder for folder in COMPLETE if folder not in ON_REQUEST or "--all" in sys.argv[1:]]
    missing = [folder for folder in wanted if not complete(folder)]
    if not missing:
        return
    if not (PREFIX / "include/rcutils").is_dir():
        sys.exit(f"{PREFIX} has no headers of ROS 2; expected the wheels of requirements/ros.txt: install them again")
    provide_compiler()
    print(f"== building the interfaces that PyPI lacks: {' '.join(missing)} (seconds, once)", flush=True)
    for folder in missing:
        print(f"   {folder}", flush=True)
        package = ElementTree.parse(HERE / folder / "package.xml").getroot().findtext("name")
        build(folder, str(package))
        if not complete(folder):
            sys.exit(f"interfaces/{folder} was built but cannot be imported")


if __name__ == "__main__":
    main()
