"""The inverse contact inertia of many contacts as a product, ``G = F^T X``, which is cheaper than G itself.

With nv degrees of freedom, F (nv, r) holds what each of r rows leaves in them, X (nv, r) the motion that this gives
them; both follow from the rows' efforts (`dynamics.contact_inertia`). G has r^2 numbers, the product 2 nv r: contacts
of one rigid body, of which there may be hundreds, share six degrees of freedom.
"""

from ..dynamics.record_fields import inertia, spatial
from ..dynamics.spatial import apply
from ..jit import inlined
from .constraint_rows import put_column, soften

MANY = 2  # rows per degree of freedom, from which the product is cheaper


@inlined
def are_many(system, rows):
    """Return whether there are so many rows that G is better left as a product."""
    return rows >= MANY * system.dofs.shape[1]


@inlined
def fill_row(system, efforts, motions, r):
    """Write row ``r`` of the contact problem as a column of F and of X."""
    row, links, bodies = system.rows[r], system.links, system.bodies
    i = row.link
    while i != row.end:
        effort, j = system.row_efforts[r, i], links[i].velocity_index
        efforts[j, r], motions[j, r] = effort, effort * bodies[i].inverse_inertia
        i = links[i].parent
    if i >= 0:
        put_column(efforts, links[i].velocity_index, r, spatial(row.force))
        put_column(motions, links[i].velocity_index, r, apply(inertia(bodies[i].inertia), spatial(row.force)))


@inlined
def fill_own_block(G, efforts, motions, width, r):
    """Fill the 3x3 block of G on the diagonal that begins at row ``r``."""
    nn, n1, n2, g11, g12, g22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(width):
        x0, x1, x2 = motions[j, r], motions[j, r + 1], motions[j, r + 2]
        y1, y2 = efforts[j, r + 1], efforts[j, r + 2]
        nn, n1, n2 = nn + efforts[j, r] * x0, n1 + y1 * x0, n2 + y2 * x0
        g11, g12, g22 = g11 + y1 * x1, g12 + y2 * x1, g22 + y2 * x2
    G[r, r], G[r, r + 1], G[r, r + 2] = nn, n1, n2
    G[r + 1, r], G[r + 1, r + 1], G[r + 1, r + 2] = n1, g11, g12
    G[r + 2, r], G[r + 2, r + 1], G[r + 2, r + 2] = n2, g12, g22


@inlined
def factor_problem(system, contacts, rows):
    """Write the rows of contacts and limits as F and X into `System.columns`, the blocks on G's diagonal into G.

    Returns F, X, the rows' softness, and the number of degrees of freedom.
    """
    G, width = system.G, system.dofs.shape[1]
    efforts, motions, softness = system.columns[:width], system.columns[width : 2 * width], system.columns[2 * width]
    for j in range(width):
        for r in range(rows):
            efforts[j, r], motions[j, r] = 0.0, 0.0
    for r in range(rows):
        fill_row(system, efforts, motions, r)
        softness[r] = 0.0
    for k in range(contacts):
        r = 3 * k
        fill_own_block(G, efforts, motions, width, r)
        before = G[r, r]
        soften(G, r)
        softness[r] = G[r, r] - before
        softness[r + 1], softness[r + 2] = softness[r], softness[r]
    for r in range(3 * contacts, rows):
        G[r, r] = 0.0
        for j in range(width):
            G[r, r] += efforts[j, r] * motions[j, r]
    return efforts, motions, softness, width
