"""Take out of the environment of `make sim` what no run needs: `.venv-sim/bin/python requirements/slim.py`.

The tests of numpy, scipy and numba; the headers, CMake files and static libraries of ROS 2 (needed to build interfaces,
before which `make sim` installs the wheels anew); uv. Wheels carry no links, so that one library is there many times:
equal files become one. What pip installs or removes later is not touched by any of it.
"""

import filecmp
import os
import shutil
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

PREFIX = Path(sys.prefix)
SITE = Path(sysconfig.get_path("platlib"))


def needless() -> list[Path]:
    """Return the folders and files that no run reads."""
    tests = [path for name in ("numpy", "scipy", "numba") for path in (SITE / name).rglob("tests")]
    building = [*(PREFIX / "include").iterdir(), *PREFIX.glob("share/*/cmake"), *PREFIX.glob("lib/*.a")]
    return [*tests, *building, PREFIX / ".uv"]


def join_equal_libraries() -> None:
    """Make one file of shared libraries that are equal."""
    known: dict[int, list[Path]] = {}
    for file in sorted({*PREFIX.glob("lib/*.so*"), *SITE.glob("*.libs/*.so*")}):
        if file.is_symlink():
            continue
        size = file.stat().st_size
        twin = next((other for other in known.get(size, []) if filecmp.cmp(file, other, shallow=False)), None)
        if twin is None:
            known.setdefault(size, []).append(file)
        elif not twin.samefile(file):
            linked = file.with_name(f".{file.name}")
            with suppress(OSError):  # a file system without hard links
                os.link(twin, linked)
                linked.replace(file)


def main() -> None:
    """Make it slim."""
    for path in needless():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    join_equal_libraries()


if __name__ == "__main__":
    main()
