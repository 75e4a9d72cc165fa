"""Somebody else's contact model, for tests: `other_package` as if it were installed."""

import atexit
import configparser
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from legged_contact_sim.contact.registry import GROUP

PACKAGE = Path(__file__).resolve().parent / "other_package"


@cache
def install():
    """Let Python find the package and its entry points from now on, as `pip install` would."""
    project = configparser.ConfigParser()
    project.read(PACKAGE / "pyproject.toml")
    entries = project[f'project.entry-points."{GROUP}"'].items()
    folder = Path(tempfile.mkdtemp(prefix="other_package-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    info = folder / "my_ground-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-ground\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {value.strip(chr(34))}" for name, value in entries)
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")
    sys.path[:0] = [str(folder), str(PACKAGE)]


def install_by_pip(folder):
    """Install the package into a folder, from a copy of its sources; return the environment that finds it there."""
    sources, target = folder / "sources", folder / "site"
    shutil.copytree(PACKAGE, sources, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(sources)], check=True
    )
    path = os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return os.environ | {"PYTHONPATH": path}
