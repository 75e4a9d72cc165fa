"""Missing messages are counted exactly, however many publishers share a topic."""

from hypothesis import given
from hypothesis import strategies as st

from legged_contact_sim.recording.bag import BagWriter, Topic, completeness_of, mend
from legged_contact_sim.recording.continuity import Continuity
from legged_contact_sim.recording.definitions import definition

CLOCK = "rosgraph_msgs/msg/Clock"


@given(first=st.integers(1, 1000), came=st.sets(st.integers(0, 200), min_size=1))
def test_one_publisher(first, came):
    numbers = sorted(first + k for k in came)
    seen = Continuity()
    missing = [seen.take(number, lambda: 1) for number in numbers]
    assert seen.lost == sum(missing) == numbers[-1] - numbers[0] + 1 - len(numbers)
    assert seen.gaps == sum(count > 0 for count in missing)
    assert seen.early == numbers[0] - 1


@given(order=st.lists(st.sampled_from("abc"), max_size=200), begin=st.tuples(*[st.integers(0, 50)] * 3))
def test_nothing_is_missing_when_several_publishers_take_turns(order, begin):
    numbers = dict(zip("abc", begin, strict=True))
    seen, known = Continuity(), set()
    for who in order:
        numbers[who] += 1
        known.add(who)
        assert seen.take(numbers[who], lambda: len(known)) == 0
    assert (seen.lost, seen.gaps) == (0, 0)


def test_a_publisher_that_begins_anew_is_no_gap():
    seen = Continuity()
    for number in (1, 2, 3, 1, 2, 5):
        seen.take(number, lambda: 1)
    assert (seen.lost, seen.gaps, seen.early) == (1, 1, 0)


def test_without_numbers_nothing_is_said(tmp_path):
    bag = BagWriter(tmp_path / "bag")
    bag.add_topic(Topic("/clock", CLOCK, *definition(CLOCK), []))
    assert completeness_of(bag.folder) == {"complete": "yes"}
    bag.continuity["/clock"].take(None, lambda: 1)
    bag.close()
    assert completeness_of(bag.folder) == {"complete": "unknown"}


def test_metadata_tell_what_is_missing_and_mending_keeps_that(tmp_path):
    bag = BagWriter(tmp_path / "bag")
    channel = bag.add_topic(Topic("/clock", CLOCK, *definition(CLOCK), []))
    for number in (4, 5, 9, 11):
        bag.continuity["/clock"].take(number, lambda: 1)
        bag.write(channel, number, number, b"\0\1\0\0" + bytes(8), number)
    bag.close()
    said = {"complete": "no", "/clock lost": "4", "/clock gaps": "2", "/clock before the recording": "3"}
    assert completeness_of(bag.folder) == said
    assert bag.lacks() == ["/clock: 4 lost in 2 gaps"]
    assert mend(bag.folder) == 4
    assert completeness_of(bag.folder) == said
