"""Rows of contacts and of cut joints in packed blocks: prox iterations over them leave out the zeros of G.

The rows of a cut meet only those on the two bodies that it joins: of the 84 rows of a standing quadruped in maximal
coordinates, 15 to 30; a contact's meet 9. The rows of a block are kept together, column by column, so that all its sums
grow at once.

Bilateral rows are not projected, so that an iteration changes the impulses of a cut by what is linear in all impulses.
Its block therefore holds that change instead of velocities: relaxations and, in a Gauss-Seidel sweep, what a row's
change does to the rows that follow it are multiplied in beforehand.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...jit import inlined, inlined_as_written
from ..solvers.problem import row_velocity
from ..solvers.prox import SOR, Rows, project_scalar, take_impulse

WIDTH = 6  # rows of a cut at most


class RowBlocks(NamedTuple):
    """The rows of contacts, then those of cuts, n blocks; r rows in all."""

    count: Any  # of blocks, (1,)
    begins: Any  # first row of each, (n,)
    sizes: Any  # number of rows of each, (n,)
    lengths: Any  # number of columns of each, (n,)
    columns: Any  # which they are, (n, r)
    values: Any  # of G, or of the change, in these columns, zero beyond the block's rows, (n, r, WIDTH)
    offsets: Any  # velocity or change without any impulse, likewise, (n, WIDTH)


class Packed(NamedTuple):
    """Rows of G that are packed in blocks: contacts, and the bilateral rows from ``first`` on."""

    blocks: RowBlocks
    labels: Any  # which cut and dual a bilateral row belongs to, 6 cut + dual, (r,)
    first: int


def row_blocks(count: int, rows: int) -> RowBlocks:
    """Return room for so many contacts and cuts together."""
    begins, sizes, lengths = (np.zeros(count, dtype=np.int64) for _ in range(3))
    columns, values = np.zeros((count, rows), dtype=np.int64), np.zeros((count, rows, WIDTH))
    return RowBlocks(np.zeros(1, dtype=np.int64), begins, sizes, lengths, columns, values, np.zeros((count, WIDTH)))


@inlined
def pack_rows(G, b, contacts, rows, relaxations, solver, packed):
    """Pack the rows of contacts, and those of cuts as changes; see `prox.leave_rows`."""
    blocks, labels, r = packed.blocks, packed.labels, packed.first
    for k in range(contacts):
        pack_block(G, b, 3 * k, 3, rows, blocks, k)
    count = contacts
    while r < rows:
        size = 1
        while r + size < rows and labels[r + size] // 6 == labels[r] // 6:
            size += 1
        pack_block(G, b, r, size, rows, blocks, count)
        turn_into_change(G, relaxations, r, size, solver, blocks.offsets[count])
        for k in range(blocks.lengths[count]):
            turn_into_change(G, relaxations, r, size, solver, blocks.values[count, k])
        r += size
        count += 1
    blocks.count[0] = count


@inlined
def pack_block(G, b, r, size, rows, blocks, c):
    """Pack the ``size`` rows from row ``r`` on as block ``c``."""
    columns, values, length = blocks.columns[c], blocks.values[c], 0
    for s in range(rows):
        largest = 0.0
        for m in range(size):
            largest = max(largest, abs(G[s, r + m]))
        if largest > 0.0:
            columns[length] = s
            for m in range(WIDTH):
                values[length, m] = G[s, r + m] if m < size else 0.0
            length += 1
    for m in range(WIDTH):
        blocks.offsets[c, m] = b[r + m] if m < size else 0.0
    blocks.begins[c], blocks.sizes[c], blocks.lengths[c] = r, size, length


@inlined
def turn_into_change(G, relaxations, r, size, solver, x):
    """Turn velocities ``x`` of the rows from ``r`` on into what an iteration takes off their impulses."""
    for m in range(size):
        if solver == SOR:
            for s in range(m):
                x[m] -= G[r + m, r + s] * x[s]
        x[m] *= relaxations[r + m]


@inlined_as_written
def block_sums(z, blocks, c):
    """Return offsets + values z of a block's rows, zero beyond them.

    As written: LLVM would make vectors of the sums along a row, which for so few columns is slower.
    """
    w0, w1, w2, w3, w4, w5 = (blocks.offsets[c, 0], blocks.offsets[c, 1], blocks.offsets[c, 2], blocks.offsets[c, 3],
                              blocks.offsets[c, 4], blocks.offsets[c, 5])  # fmt: skip
    columns, values = blocks.columns[c], blocks.values[c]
    for k in range(blocks.lengths[c]):
        x = z[columns[k]]
        w0 += values[k, 0] * x
        w1 += values[k, 1] * x
        w2 += values[k, 2] * x
        w3 += values[k, 3] * x
        w4 += values[k, 4] * x
        w5 += values[k, 5] * x
    return w0, w1, w2, w3, w4, w5


@inlined_as_written
def packed_contact_velocity(G, b, z, r, rows, packed):
    """See `prox.contact_velocity`."""
    blocks, c = packed.blocks, r // 3
    w0, w1, w2 = blocks.offsets[c, 0], blocks.offsets[c, 1], blocks.offsets[c, 2]
    columns, values = blocks.columns[c], blocks.values[c]
    for k in range(blocks.lengths[c]):
        x = z[columns[k]]
        w0 += values[k, 0] * x
        w1 += values[k, 1] * x
        w2 += values[k, 2] * x
    return w0, w1, w2


@inlined
def take_changes(z, r, size, changes, relative, absolute, progress):
    """Take the changes of a block off its impulses; return progress (see `prox.take_impulse`)."""
    change, excess = 0.0, -math.inf
    for m in range(size):
        moved = abs(changes[m])
        change, excess = max(change, moved), max(excess, moved - abs(z[r + m]) * relative - absolute)
        z[r + m] -= changes[m]
    return max(progress[0], change), max(progress[1], excess)


@inlined
def fill_packed_scalars(G, b, z, w, contacts, rows, packed):
    """See `prox.fill_scalars`; of bilateral rows, the change."""
    blocks = packed.blocks
    for r in range(3 * contacts, packed.first):
        w[r] = row_velocity(G, b, z, r, rows)
    for c in range(contacts, blocks.count[0]):
        r, sums = blocks.begins[c], block_sums(z, blocks, c)
        for m in range(blocks.sizes[c]):
            w[r + m] = sums[m]


@inlined
def take_packed_scalars(z, w, contacts, rows, relaxations, bounds, relative, absolute, progress, packed):
    """See `prox.take_scalars`."""
    for r in range(3 * contacts, packed.first):
        new = project_scalar(z, w[r], r, relaxations[r], bounds)
        progress = take_impulse(z, r, new, relative, absolute, progress)
    return take_changes(z, packed.first, rows - packed.first, w[packed.first : rows], relative, absolute, progress)


@inlined
def sweep_packed_scalars(G, b, z, w, contacts, rows, relaxations, bounds, relative, absolute, progress, packed):
    """See `prox.sweep_scalars`."""
    blocks = packed.blocks
    for r in range(3 * contacts, packed.first):
        new = project_scalar(z, row_velocity(G, b, z, r, rows), r, relaxations[r], bounds)
        progress = take_impulse(z, r, new, relative, absolute, progress)
    for c in range(contacts, blocks.count[0]):
        sums = block_sums(z, blocks, c)
        progress = take_changes(z, blocks.begins[c], blocks.sizes[c], sums, relative, absolute, progress)
    return progress


@inlined
def packed_rows(blocks, labels, first):
    """Return how prox iterations go through packed rows."""
    return Rows(
        pack_rows,
        packed_contact_velocity,
        fill_packed_scalars,
        take_packed_scalars,
        sweep_packed_scalars,
        Packed(blocks, labels, first),
    )
