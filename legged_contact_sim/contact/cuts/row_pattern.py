"""Which rows of the contact problem of cut bodies act on one another: G is mostly zeros, and sums leave them out.

A row across a cut joint meets only those on the two bodies that it joins. Of a quadruped's 72 rows in maximal
coordinates, that is about a fifth.
"""

from typing import Any, NamedTuple

import numpy as np

from ...jit import inlined


class Pattern(NamedTuple):
    """The columns in which rows of G are not zero; r rows."""

    columns: Any  # of every row, the first ``counts`` of them, (r, r); a contact's three rows share the first one's
    counts: Any  # (r,)


def pattern_work(rows: int) -> Pattern:
    """Return room for the pattern of at most so many rows."""
    return Pattern(np.zeros((rows, rows), dtype=np.int64), np.zeros(rows, dtype=np.int64))


@inlined
def fill_pattern(G, contacts, rows, pattern):
    """List the columns of every contact and of every scalar row after them."""
    for k in range(contacts):
        r, count = 3 * k, 0
        for s in range(rows):
            if G[r, s] != 0.0 or G[r + 1, s] != 0.0 or G[r + 2, s] != 0.0:
                pattern.columns[r, count] = s
                count += 1
        pattern.counts[r] = count
    for r in range(3 * contacts, rows):
        count = 0
        for s in range(rows):
            if G[r, s] != 0.0:
                pattern.columns[r, count] = s
                count += 1
        pattern.counts[r] = count


@inlined
def sparse_block_velocity(G, b, z, r, pattern):
    """Return the velocities w of the block that begins at row ``r``."""
    w0, w1, w2 = b[r], b[r + 1], b[r + 2]
    for k in range(pattern.counts[r]):
        s = pattern.columns[r, k]
        w0 += G[r, s] * z[s]
        w1 += G[r + 1, s] * z[s]
        w2 += G[r + 2, s] * z[s]
    return w0, w1, w2


@inlined
def sparse_row_velocity(G, b, z, r, pattern):
    """Return the velocity w of row ``r``."""
    w = b[r]
    for k in range(pattern.counts[r]):
        s = pattern.columns[r, k]
        w += G[r, s] * z[s]
    return w
