"""The package as it is installed: one manifest for colcon and pip, and a wheel that carries everything it needs."""

import configparser
import email
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAME = "legged_contact_sim"
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()
SHARED = ("launch", "config", "urdf", "interfaces")

# The rosdep key of a Python dependency, where it is not "python3-<name on PyPI>".
ROSDEP_KEYS = {"urdf-parser-py": "urdfdom_py", "pyyaml": "python3-yaml"}


def files_of(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build a wheel from a copy of the sources, so that no stale build folder can help or spoil it."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("pip is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("package.xml", "setup.py", "setup.cfg", "pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in (NAME, "resource", "scripts", *SHARED):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    done = subprocess.run([*command, "--wheel-dir", folder, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    """Who builds from the archive of the sources gets every file that the checkout gives."""
    source = Path(wheel.filename).parent / "source"
    make = f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    done = subprocess.run([sys.executable, "-c", make], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    done = subprocess.run([*command, "--wheel-dir", tmp_path, archive], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as again:
        assert sorted(again.namelist()) == sorted(wheel.namelist())


def metadata_of(wheel: zipfile.ZipFile) -> email.message.Message:
    (path,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(wheel.read(path))


def data_in(wheel: zipfile.ZipFile) -> set[str]:
    """Return the files that the wheel puts under the prefix, as paths relative to it."""
    return {name.split(".data/data/", 1)[1] for name in wheel.namelist() if ".data/data/" in name}


def test_wheel_has_the_name_version_and_licence_of_the_manifest(wheel):
    metadata = metadata_of(wheel)
    assert metadata["Name"].replace("-", "_") == MANIFEST.findtext("name") == NAME
    assert metadata["Version"] == MANIFEST.findtext("version")
    assert "Apache-2.0" in (metadata["License"] or metadata["License-Expression"])
    assert any(name.endswith("/LICENSE") for name in wheel.namelist())


def test_wheel_carries_every_file_of_the_package(wheel):
    assert files_of(ROOT / NAME) <= set(wheel.namelist())


def test_wheel_carries_nothing_but_the_package(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith((".data", ".dist-info"))} == {NAME}


def test_wheel_lays_out_the_share_folder_as_ros_expects_it(wheel):
    shared = {path for folder in SHARED for path in files_of(ROOT / folder)}
    assert any(path.endswith(".urdf") for path in shared)
    expected = {f"share/{NAME}/{path}" for path in shared | {"package.xml"}}
    programs = {f"lib/{NAME}/{path.name}" for path in (ROOT / "scripts").iterdir()}
    assert data_in(wheel) == expected | {f"share/ament_index/resource_index/packages/{NAME}"} | programs


def test_ros2_run_finds_programs_that_pip_has_installed(wheel):
    """It looks for executable files in lib/legged_contact_sim, as many as there are nodes."""
    files = [info for info in wheel.infolist() if f".data/data/lib/{NAME}/" in info.filename]
    assert all(info.external_attr >> 16 & 0o111 for info in files)
    names = {info.filename.rpartition("/")[2] for info in files}
    assert names == {path.stem for path in (ROOT / NAME / "nodes").glob("*_node.py")}


def test_manifest_names_every_python_dependency_of_the_wheel(wheel):
    declared = {element.text for element in MANIFEST if element.tag in ("depend", "exec_depend")}
    for requirement in metadata_of(wheel).get_all("Requires-Dist"):
        if "extra ==" not in requirement:
            name = re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")
            assert ROSDEP_KEYS.get(name, f"python3-{name}") in declared, requirement


def test_manifest_names_every_package_of_interfaces_that_a_node_imports():
    declared = {element.text for element in MANIFEST if element.tag == "depend"}
    optional = {"simulation_interfaces", "legged_contact_sim_msgs", "control_msgs"}
    texts = [path.read_text() for path in (ROOT / NAME / "nodes").glob("*.py")]
    imported = {name for text in texts for name in re.findall(r"^from (\w+)\.(?:msg|srv) import", text, re.MULTILINE)}
    assert len(imported) > 5
    assert imported <= declared | optional


def test_manifest_is_an_ament_python_package_of_format_3():
    assert MANIFEST.get("format") == "3"
    assert MANIFEST.findtext("export/build_type") == "ament_python"


def test_catkin_pkg_accepts_the_manifest():
    package = pytest.importorskip("catkin_pkg.package")
    package.parse_package(str(ROOT / "package.xml")).validate()


def test_resource_marker_bears_the_name_of_the_package():
    assert [path.name for path in (ROOT / "resource").iterdir()] == [NAME]


def test_the_wheel_runs_in_an_environment_of_its_own(wheel, tmp_path):
    """Installed into an empty environment, beside the libraries of this one, it finds its robots and its own code."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env/bin/python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*command, str(wheel.filename)], check=True)
    libraries = {"PYTHONPATH": sysconfig.get_path("purelib"), "PATH": os.environ["PATH"]}
    program = [str(tmp_path / "env/bin/legged-contact-sim"), "robots"]
    done = subprocess.run(program, cwd=tmp_path, env=libraries, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "quadruped16" in done.stdout
    where = [str(python), "-c", f"import {NAME}; print({NAME}.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=libraries, capture_output=True, text=True, check=True).stdout
    assert found.startswith(str(tmp_path / "env"))


def test_one_version_everywhere():
    version = MANIFEST.findtext("version")
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == version
    for manifest in (*ROOT.glob("interfaces/messages/package.xml"), *ROOT.glob("ros2_control/*/package.xml")):
        assert ElementTree.parse(manifest).getroot().findtext("version") == version, manifest


def test_colcon_puts_scripts_where_ros2_run_looks():
    options = configparser.ConfigParser(interpolation=None)
    options.read(ROOT / "setup.cfg")
    assert options["install"]["install_scripts"] == options["develop"]["script_dir"] == f"$base/lib/{NAME}"


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for path in (ROOT / NAME).rglob("*.py")}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").is_file()]


def test_requirements_are_pinned_and_name_no_registry():
    for path in (ROOT / "requirements").glob("*.txt"):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                assert re.match(r"[\w.-]+==[\w.]+(; .*)?$|-r \w+\.txt$", line), f"{path.name}: {line}"


def test_requirements_pin_all_that_the_wheel_asks_for(wheel):
    """Every requirement of the library and of the extras `test` and `bench` is met by the pinned files."""
    requirements = pytest.importorskip("packaging.requirements")
    pins: dict[str, str] = {}
    for path in (ROOT / "requirements").glob("*.txt"):
        found = re.findall(r"^([\w.-]+)==([\w.]+)", path.read_text(), re.MULTILINE)
        pins |= {name.lower().replace("_", "-"): version for name, version in found}
    for text in metadata_of(wheel).get_all("Requires-Dist"):
        needed = requirements.Requirement(text)
        wanted = needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("test", "bench"))
        name = needed.name.lower().replace("_", "-")
        assert not wanted or needed.specifier.contains(pins.get(name, "")), text


@pytest.mark.parametrize("packages", ["view", "record"])
def test_make_adds_nothing_to_an_environment_that_has_it_all(packages, tmp_path):
    (tmp_path / ".packages").touch()
    stamp = tmp_path / f".{packages}"
    command = ["make", f"VENV={tmp_path}", "RUN=true", "--old-file", tmp_path / ".packages", stamp]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr, stamp.is_file()) == (0, "", True)


def test_the_container_installs_what_the_wheel_asks_for_and_names_what_is_there(wheel):
    recipe = (ROOT / "Dockerfile").read_text()
    needed = {text for text in metadata_of(wheel).get_all("Requires-Dist") if "extra ==" not in text}
    normal = {text.lower().replace("_", "-").replace(" ", "") for text in re.findall(r'"([\w.-]+>=[\w.]+)"', recipe)}
    assert normal == {text.lower().replace("_", "-").replace(" ", "") for text in needed}
    assert all((ROOT / path).is_dir() for path in re.findall(r"src/legged_contact_sim/(\S+)", recipe))
    (launch,) = set(re.findall(r"\w+\.launch\.py", recipe))
    assert (ROOT / "launch" / launch).is_file()
