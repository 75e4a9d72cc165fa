"""Which messages of a topic never arrived, by the numbers that their publishers give them."""

from collections.abc import Callable


class Continuity:
    """Counts the messages that are missing between those that came.

    A publisher numbers its messages 1, 2, 3 and so on. Several publishers of a topic number their own, and a message
    does not say whose it is: it continues the numbers that end closest below its own.

    Attributes:
        early: messages that were published before the first that came: their recorder was not there yet.
        lost: messages that are missing since then.
        gaps: places at which they are missing.
        numbered: whether all messages bore a number; without it nothing can be said.
    """

    def __init__(self) -> None:
        """Begin before the first message."""
        self.early = self.lost = self.gaps = 0
        self.numbered = True
        self._ends: list[int] = []  # the last number of each publisher

    def take(self, number: int | None, publishers: Callable[[], int]) -> int:
        """Note the number of a message that came; return how many are missing before it.

        Args:
            number: of the message; None: its middleware gives none.
            publishers: says how many publishers the topic has; asked only if the message continues nothing.
        """
        if number is None:
            self.numbered = False
            return 0
        ends = self._ends
        if number - 1 in ends:
            ends[ends.index(number - 1)] = number
            return 0
        below = [end for end in ends if end < number]
        if not below or len(ends) < publishers():
            self.early += number - 1
            ends.append(number)
            return 0
        closest = max(below)
        ends[ends.index(closest)] = number
        missing = number - 1 - closest
        self.lost += missing
        self.gaps += 1
        return missing
