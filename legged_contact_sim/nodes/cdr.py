"""Messages that are serialized once; afterwards only their numbers are written into the bytes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.serialization import serialize_message

WORD = np.dtype("<u4")
MARK = 0x4A100000  # first of the words that mark holes; two of them make a finite double, one a finite float
STAMP = ("stamp", WORD, 2)  # seconds and nanoseconds
HEADER = 4  # bytes that say how the rest is encoded


class Template:
    """A serialized message whose numbers can be replaced: converting it anew takes ten times as long.

    The message is serialized once with marks, each a word of its own, in the places of the numbers; where the marks are
    found, the words of ``record`` are written from then on. Only numbers of 4 or 8 bytes can be replaced.

    Attributes:
        record: (1,), of the dtype that was given; what is written into it is in the next `encoded`.
    """

    def __init__(self, message: Any, dtype: Any, fill: Callable[[Any, np.void], None]) -> None:
        """Find the places of the numbers.

        Args:
            message: with everything in it that will not change.
            dtype: of the numbers that will.
            fill: writes a record of this dtype into the message.
        """
        self.record = np.zeros(1, np.dtype(dtype))
        self._words = self.record.view(WORD)
        self._words[:] = MARK + np.arange(len(self._words), dtype=WORD)
        fill(message, self.record[0])
        self._buffer = bytearray(serialize_message(message))
        self._payload = np.frombuffer(self._buffer, WORD, (len(self._buffer) - HEADER) // 4, HEADER)
        self._places = self._find_marks()
        self._words[:] = 0

    def encoded(self) -> bytes:
        """Return the message with the present numbers."""
        self._payload[self._places] = self._words
        return bytes(self._buffer)

    def _find_marks(self) -> np.ndarray:
        places = np.flatnonzero((self._payload >= MARK) & (self._payload < MARK + len(self._words)))
        order = np.argsort(self._payload[places])
        if not np.array_equal(self._payload[places][order], self._words):
            raise AssertionError("a number of the message's template has not exactly one place in its bytes")
        return places[order]


def put_stamp(stamp: Any, record: np.ndarray) -> None:
    """Write seconds and nanoseconds (2,) into a builtin_interfaces/Time."""
    stamp.sec, stamp.nanosec = int(record[0]), int(record[1])


def put_vector(vector: Any, numbers: np.ndarray) -> None:
    """Write (3,) into a Vector3 or a Point."""
    vector.x, vector.y, vector.z = numbers.tolist()


def put_quaternion(quaternion: Any, numbers: np.ndarray) -> None:
    """Write (4,), x y z w, into a Quaternion."""
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = numbers.tolist()
