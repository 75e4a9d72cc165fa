"""Bags that are whole after every flush, and mended wherever a write was cut off."""

import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from rosbags.rosbag2 import Reader

from legged_contact_sim.errors import ParameterError
from legged_contact_sim.recording.bag import BagWriter, Topic, mend
from legged_contact_sim.recording.definitions import definition

CLOCK = "rosgraph_msgs/msg/Clock"


def clock(nanoseconds: int) -> bytes:
    return b"\0\1\0\0" + (0).to_bytes(4, "little") + nanoseconds.to_bytes(4, "little")


def write(folder, chunks, per_chunk=10, close=True):
    writer = BagWriter(folder)
    channel = writer.add_topic(Topic("/clock", CLOCK, *definition(CLOCK), []))
    for k in range(chunks):
        for n in range(k * per_chunk, (k + 1) * per_chunk):
            writer.write(channel, 1_000 + n, 2_000 + n, clock(n))
        writer.flush()
    if close:
        writer.close()
    return writer


def read(folder):
    """Return the messages' bytes as rosbags reads them, after mcap has read the same."""
    with Reader(folder) as reader:
        found = [(time, bytes(raw)) for _, time, raw in reader.messages()]
    (path,) = folder.glob("*.mcap")
    with open(path, "rb") as file:
        again = [(message.log_time, message.data) for _, _, message in make_reader(file).iter_messages()]
    assert found == again
    return found


def expected(count):
    return [(1_000 + n, clock(n)) for n in range(count)]


def test_what_is_written_is_read_back_by_both_libraries(tmp_path):
    write(tmp_path / "bag", chunks=5)
    assert read(tmp_path / "bag") == expected(50)


@pytest.mark.parametrize("chunks", [0, 1, 3])
def test_bag_can_be_read_after_every_flush_while_its_writer_goes_on(tmp_path, chunks):
    write(tmp_path / "bag", chunks, close=False)
    assert read(tmp_path / "bag") == expected(10 * chunks)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.floats(0.0, 1.0))
def test_a_bag_that_was_cut_off_anywhere_is_mended_to_its_last_whole_chunk(tmp_path, part):
    folder = tmp_path / "cut"
    shutil.rmtree(folder, ignore_errors=True)
    write(folder, chunks=4)
    (path,) = folder.glob("*.mcap")
    data = path.read_bytes()
    path.write_bytes(data[: 8 + int(part * (len(data) - 8))])
    count = mend(folder)
    assert count % 10 == 0 and (count == 40) >= (part == 1.0)
    assert read(folder) == expected(count)


def test_half_a_chunk_over_the_old_tail_is_cut_off(tmp_path):
    """What a process leaves that is killed in the middle of a flush."""
    folder = tmp_path / "bag"
    write(folder, chunks=2)
    (path,) = folder.glob("*.mcap")
    before = path.read_bytes()
    write(tmp_path / "longer", chunks=3)
    (longer,) = (tmp_path / "longer").glob("*.mcap")
    after = longer.read_bytes()
    same = next(k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    path.write_bytes(after[: same + 40] + before[same + 40 :])
    assert mend(folder) == 20
    assert read(folder) == expected(20)


def test_a_folder_is_never_overwritten_and_nonsense_is_refused(tmp_path):
    write(tmp_path / "bag", chunks=1)
    with pytest.raises(ParameterError, match="already"):
        BagWriter(tmp_path / "bag")
    with pytest.raises(ParameterError, match="no MCAP file"):
        mend(tmp_path)
    (tmp_path / "x.mcap").write_bytes(b"nonsense")
    with pytest.raises(ParameterError, match="MCAP"):
        mend(tmp_path)


def test_definitions_are_those_of_ros():
    text, type_hash = definition("tf2_msgs/msg/TFMessage")
    assert "geometry_msgs/TransformStamped[] transforms" in text
    assert type_hash == "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
    assert definition("my_msgs/msg/Own") is None


def test_definitions_of_installed_packages_are_found_with_all_that_they_are_made_of(tmp_path, monkeypatch):
    folder = tmp_path / "share" / "my_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "Inner.msg").write_text("geometry_msgs/Vector3 force  # N\n")
    (folder / "Whole.msg").write_text("uint8 OPEN = 0\nstd_msgs/Header header\nInner[] inner\n")
    (folder / "Lost.msg").write_text("their_msgs/Missing missing\n")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    text, type_hash = definition("my_msgs/msg/Whole")
    assert type_hash.startswith("RIHS01_") and "MSG: my_msgs/Inner" in text and "MSG: geometry_msgs/Vector3" in text
    assert definition("my_msgs/msg/Lost") is None
