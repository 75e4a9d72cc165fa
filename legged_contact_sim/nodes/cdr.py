"""Messages that are serialized once; afterwards only their numbers are written into the bytes."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message

WORD = np.dtype("<u4")
# The words that mark holes; two of them make a finite double, one a finite float. Every template takes marks of its
# own, since the padding in serialized messages holds what was in memory before, often the marks of an earlier one.
MARKS = cycle(range(0x4A000000, 0x4C000000, 0x10000))
STAMP = ("stamp", WORD, 2)  # seconds and nanoseconds
HEADER = 4  # bytes that say how the rest is encoded
TRIES = 5  # with other marks each: what was in memory before can be taken for a number


class Template:
    """A serialized message whose numbers can be replaced: converting it anew takes ten times as long.

    The message is serialized once with marks, each a word of its own, in the places of the numbers; where the marks are
    found, the words of ``record`` are written from then on. Only numbers of 4 or 8 bytes can be replaced.

    Attributes:
        record: (1,); what is written into it is in the next `encoded`.
    """

    def __init__(self, message: Any, numbers: Any, fill: Callable[[Any, np.void], None]) -> None:
        """Find the places of the numbers.

        Args:
            message: with everything in it that will not change.
            numbers: that will: their dtype, or a record (1,) to use, so that several templates can be filled at once.
            fill: writes such a record into the message.
        """
        self.record = numbers if isinstance(numbers, np.ndarray) else np.zeros(1, numbers)
        self._words = self.record.view(WORD)
        for _ in range(TRIES):
            self._places = self._marked_places(message, fill)
            if len(self._places) == len(self._words):
                break
        else:
            raise AssertionError("a number of the message's template has not exactly one place in its bytes")
        self._words[:] = 0

    def encoded(self) -> bytes:
        """Return the message with the present numbers."""
        self._payload[self._places] = self._words
        return bytes(self._buffer)

    def _marked_places(self, message: Any, fill: Callable[[Any, np.void], None]) -> np.ndarray:
        """Serialize the message with marks; return the places of its numbers, fewer or more if they are not sure."""
        first = next(MARKS)
        self._words[:] = first + np.arange(len(self._words), dtype=WORD)
        fill(message, self.record[0])
        self._buffer = bytearray(serialized(message))
        self._payload = np.frombuffer(self._buffer, WORD, (len(self._buffer) - HEADER) // 4, HEADER)
        places = np.flatnonzero((self._payload >= first) & (self._payload < first + len(self._words)))
        if len(places) > len(self._words):
            places = places[[self._matters(place, type(message)) for place in places.tolist()]]
        order = np.argsort(self._payload[places])
        return places[order] if np.array_equal(self._payload[places][order], self._words) else places[:0]

    def _matters(self, place: int, kind: type) -> bool:
        """Return whether a word is part of the message: bytes between numbers hold what was in memory before."""
        before, mark = deserialize_message(bytes(self._buffer), kind), self._payload[place]
        self._payload[place] = mark ^ 0x100
        after = deserialize_message(bytes(self._buffer), kind)
        self._payload[place] = mark
        return before != after


def serialized(message: Any) -> bytes:
    """Return a message's bytes and no more.

    `serialize_message` hands over all that it had set aside, which is too much where a message has empty sequences of
    large numbers. Readers that check the length refuse that, so the bytes end where reading them still succeeds.
    """
    raw = bytes(serialize_message(message))
    while _is_whole(raw[:-1], type(message)):
        raw = raw[:-1]
    return raw


def _is_whole(raw: bytes, kind: type) -> bool:
    try:
        deserialize_message(raw, kind)
    except RuntimeError:  # of the middleware
        return False
    return True


def sender(publisher: Any) -> Callable[[bytes], None]:
    """Return what publishes the bytes of a message, without the checks that rclpy makes every time.

    One of them keeps the publisher from being destroyed meanwhile; ours live as long as the loop that publishes.
    """
    return publisher.handle.publish_raw


def listeners(publisher: Any) -> Callable[[], int]:
    """Return what counts those who hear a publisher: a fifth of the time that it takes to publish to nobody."""
    return publisher.handle.get_subscription_count  # type: ignore[no-any-return]


def put_stamp(stamp: Any, record: np.ndarray) -> None:
    """Write seconds and nanoseconds (2,) into a builtin_interfaces/Time."""
    stamp.sec, stamp.nanosec = int(record[0]), int(record[1])


def put_vector(vector: Any, numbers: np.ndarray) -> None:
    """Write (3,) into a Vector3 or a Point."""
    vector.x, vector.y, vector.z = numbers.tolist()


def put_quaternion(quaternion: Any, numbers: np.ndarray) -> None:
    """Write (4,), x y z w, into a Quaternion."""
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = numbers.tolist()
