"""Where compiled kernels are kept: beside the code, with the user, never in a folder of somebody else's."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from legged_contact_sim.jit import cache, sources

PACKAGE = sources.PACKAGE


def roots(monkeypatch, **environment):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, str(value))
    return list(cache._candidate_roots())


def test_cache_lives_beside_the_code_then_with_the_user(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    beside, user, temporary = roots(monkeypatch)
    assert (beside, user) == (PACKAGE / "__pycache__", tmp_path / ".cache" / "legged_contact_sim")
    assert temporary.parent == Path(tempfile.gettempdir())
    assert roots(monkeypatch, XDG_CACHE_HOME=tmp_path / "x")[1] == tmp_path / "x" / "legged_contact_sim"
    assert roots(monkeypatch, NUMBA_CACHE_DIR=tmp_path / "n")[0] == tmp_path / "n"


def test_a_place_that_is_none_is_passed_over(monkeypatch, tmp_path):
    def nobody_at_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert roots(monkeypatch, XDG_CACHE_HOME="not/absolute")[1] == tmp_path / ".cache" / "legged_contact_sim"
    monkeypatch.setattr(Path, "home", nobody_at_home)
    beside, temporary = roots(monkeypatch)
    assert (beside, temporary.parent) == (PACKAGE / "__pycache__", Path(tempfile.gettempdir()))


def test_code_is_not_taken_from_a_folder_that_a_stranger_may_have_put_there(tmp_path, monkeypatch):
    public, private = tmp_path / "public", tmp_path / "private"
    for parent in (public, private):
        (parent / "cache").mkdir(parents=True)
    public.chmod(0o1777)
    places = [public / "cache", private / "cache"]
    assert cache._first_writable(iter(places)) == places[0]
    monkeypatch.setattr(cache, "USER", cache.USER + 1)
    assert cache._first_writable(iter(places)) == places[1]


def test_first_folder_that_can_be_written(tmp_path):
    (tmp_path / "file").touch()
    good = tmp_path / "new" / "folder"
    assert cache._first_writable(iter([tmp_path / "file", tmp_path / "file" / "in", good, tmp_path])) == good
    assert list(good.iterdir()) == []
    with pytest.raises(OSError, match=f"tried {tmp_path / 'file'}"):
        cache._first_writable(iter([tmp_path / "file"]))


def test_old_caches_are_forgotten_but_the_newest(tmp_path):
    for age in range(8):
        folder = tmp_path / f"kernels-{age}"
        (folder / "deep").mkdir(parents=True)
        os.utime(folder, (time.time() - 100.0 * age,) * 2)
    (tmp_path / "something_else").mkdir()
    cache._forget_old(tmp_path / "kernels-6", "kernels-*")  # in use, though old
    kept = {f"kernels-{age}" for age in (*range(cache.KEPT_CACHES), 6)}
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "something_else"}
