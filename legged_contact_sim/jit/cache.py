"""Where compiled kernels are kept, and under which key.

One folder for each version of Python, numba, processor and of how we compile; in it one folder for each kernel and each
state of the sources that it is made of. So an edit of one contact model leaves the others compiled.
"""

import contextlib
import errno
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

from . import sources

KEPT_CACHES = 4
COMPILER = ("compilation.py", "helpers.py", "numba_internals.py")  # what decides how a kernel is compiled
USER = os.getuid() if hasattr(os, "getuid") else 0


def register(function: Callable[..., Any]) -> None:
    """Note the sources of a kernel as they are now, when it is imported: later they may be edited."""
    cache_folder()  # as it is now, too: the program may go to another folder
    _keys[function] = source_key(kernel_sources(function))


def kernel_folder(function: Callable[..., Any], plain: bool = False) -> Path:
    """Return the folder that holds a registered kernel, compiled from its sources, created on first use.

    What plain numba has compiled is kept apart: it differs in the last digits (see `numba_internals`).
    """
    name = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")
    suffix = "-plain" if plain else ""
    folder = cache_folder() / f"{name}-{_keys[function]}{suffix}"
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _forget_old(folder, f"{name}-????????????????{suffix}")
    return folder


@functools.cache
def cache_folder() -> Path:
    """Return the folder that holds all kernels of this Python, numba and processor, created on first use."""
    folder = _first_writable(_candidate_roots()) / f"kernels-{compiler_key()}"
    folder.mkdir(parents=True, exist_ok=True)
    _forget_old(folder, "kernels-*")
    return folder


def compiler_key() -> str:
    """Return a hash of who compiles for which processor: several machines and versions of Python may see a folder."""
    processor = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {processor}".encode())
    for name in COMPILER:
        digest.update((sources.PACKAGE / "jit" / name).read_bytes())
    return digest.hexdigest()[:16]


def source_key(files: Iterable[Path]) -> str:
    """Return a hash of the names and texts of some sources; it does not depend on where the package lies."""
    digest = hashlib.sha256()
    for entry in sorted(map(_name_and_digest, files)):
        digest.update(entry)
    return digest.hexdigest()[:16]


@functools.cache
def _name_and_digest(path: Path) -> bytes:
    """Return the name of a file and the hash of its text as it was when this process first asked."""
    inside = path.is_relative_to(sources.PACKAGE)
    name = path.relative_to(sources.PACKAGE).as_posix() if inside else path.name
    return name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest()


def kernel_sources(function: Callable[..., Any]) -> frozenset[Path]:
    """Return the sources that a kernel can reach: from its module, its own lines and the functions that it closes over.

    What is typed in has no file; numba tells its versions apart by their code.
    """
    begin = {getattr(sys.modules.get(function.__module__), "__file__", None)}
    waiting = [function]
    while waiting:
        part = waiting.pop()
        begin.add(part.__code__.co_filename)
        cells = [cell.cell_contents for cell in part.__closure__ or ()]
        waiting.extend(content for content in cells if isinstance(content, types.FunctionType))
    files = [Path(name).resolve() for name in begin if name]
    return frozenset().union(*(sources.sources_of(path) for path in files if path.is_file()))


def _candidate_roots() -> Iterator[Path]:
    """Yield where caches may live, best first: the user's choice, beside the code, the user's cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen).absolute()
    yield sources.PACKAGE / "__pycache__"
    home_cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    with contextlib.suppress(RuntimeError):  # a user without a home
        yield (home_cache if home_cache.is_absolute() else Path.home() / ".cache") / "legged_contact_sim"
    yield Path(tempfile.gettempdir()) / f"legged_contact_sim-{USER}"


def _first_writable(roots: Iterator[Path]) -> Path:
    tried = []
    for root in roots:
        try:
            root.mkdir(parents=True, exist_ok=True)
            _refuse_foreign(root)
            probe = root / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            tried.append(f"{root} ({error.strerror})")
            continue
        return root
    raise OSError("no folder for compiled kernels is writable; tried " + ", ".join(tried))


def _refuse_foreign(folder: Path) -> None:
    """Raise an error for a folder that anybody may have put where we look for code: in /tmp, one that is not ours."""
    if folder.parent.stat().st_mode & stat.S_IWOTH and folder.lstat().st_uid != USER:
        raise PermissionError(errno.EPERM, "it belongs to another user")


def _forget_old(current: Path, pattern: str) -> None:
    """Remove folders like the current one, all but the newest few (another version may be running from one)."""
    others = []
    for path in current.parent.glob(pattern):
        if path != current:
            with contextlib.suppress(OSError):  # another process may just have removed it
                others.append((path.stat().st_mtime, path))
    for _, path in sorted(others, reverse=True)[KEPT_CACHES:]:
        shutil.rmtree(path, ignore_errors=True)


_keys: dict[Callable[..., Any], str] = {}
