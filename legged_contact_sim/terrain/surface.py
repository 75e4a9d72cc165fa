"""Where a point is relative to the ground: its gap and the ground's normal there.

The gap is positive above the ground and negative inside; the normal has unit length and points out of the ground.
For inclines, steps and grooves the gap is the exact signed Euclidean distance, hence its gradient is the normal, and
a sphere of radius r has the gap ``gap - r``. A NaN among the coordinates gives a NaN gap.
"""

import math

from ..jit import compiled, inlined
from .records import GROOVE, HEIGHT_FIELD, INCLINE


@inlined
def surface(terrain, heights, x, y, z):
    """Return (gap, nx, ny, nz) of a point.

    Args:
        terrain: One ``TERRAIN`` record.
        heights: Nodes of the height field, m, shape (rows, columns); any 2-D array for the other kinds.
        x: World coordinates of the point, m.
        y: See x.
        z: See x.
    """
    cosine, sine = terrain.heading[0], terrain.heading[1]
    along = x * cosine + y * sine
    if terrain.kind == INCLINE:
        gap, forward, up = incline(terrain, along, z)
        return gap, forward * cosine, forward * sine, up
    if terrain.kind == HEIGHT_FIELD:
        return height_field(terrain, heights, x, y, z)
    gap, forward, up = groove(terrain, along, z) if terrain.kind == GROOVE else steps(terrain, along, z)
    return gap, forward * cosine, forward * sine, up


@inlined
def surface_height(terrain, heights, x, y):
    """Return the height z of the ground at (x, y), m; on a riser's line, the upper tread's."""
    if terrain.kind == HEIGHT_FIELD:
        return field_height(terrain, heights, x, y)[0]
    along = x * terrain.heading[0] + y * terrain.heading[1]
    if terrain.kind == INCLINE:
        return terrain.height + along * terrain.tilt[1] / terrain.tilt[0]
    if terrain.kind == GROOVE:
        return abs(along) * terrain.tilt[1] / terrain.tilt[0]
    if math.isnan(along):
        return along
    return tread_height(terrain, along - terrain.start)


@inlined
def incline(terrain, along, z):
    """Return gap and normal (along the heading, up) over a plane that rises along the heading."""
    cosine, sine = terrain.tilt[0], terrain.tilt[1]
    return (z - terrain.height) * cosine - along * sine, -sine, cosine


@inlined
def groove(terrain, along, z):
    """Return gap and normal (along the heading, up) in a valley whose walls rise on either side of along = 0.

    By symmetry the nearer wall is the one on the point's own side. A point below the bottom line's two perpendiculars
    leaves the ground soonest through that line.
    """
    cosine, sine = terrain.tilt[0], terrain.tilt[1]
    side = 1.0 if along >= 0.0 else -1.0
    up_the_wall = side * along * cosine + z * sine
    if up_the_wall < 0.0:
        depth = math.sqrt(along * along + z * z)
        if depth > 0.0:
            return -depth, -along / depth, -z / depth
    return z * cosine - side * along * sine, -side * sine, cosine


@inlined
def steps(terrain, along, z):
    """Return gap and normal (along the heading, up) over a staircase: the exact distance to its profile.

    Only three features can be nearest. From outside: the tread below the point, the riser level with it, and the
    nearest of the edges, which lie on a straight line at equal distances. From inside: the tread above, the riser
    behind, and the nearest of the inner corners, on a parallel line one rise lower.
    """
    if math.isnan(along):
        return along, 0.0, 1.0
    run, rise, last = terrain.run, terrain.rise, terrain.count - 1
    u = along - terrain.start
    tread = tread_index(terrain, u)
    clearance = z - (tread + 1) * rise
    outside = clearance >= 0.0
    side = 1.0 if outside else -1.0
    distance, forward, up = side * clearance, 0.0, 1.0

    # Held against the tread's index, as z / rise may round to the wrong side of a whole number.
    level = bounded_floor(z / rise, -1, last + 1)
    riser = max(level, tread + 1) if outside else min(level, tread)
    if 0 <= riser <= last and abs(u - riser * run) < distance:
        distance, forward, up = abs(u - riser * run), -1.0, 0.0

    lift = rise if outside else 0.0
    nearest = bounded_floor((u * run + (z - lift) * rise) / (run * run + rise * rise) + 0.5, 0, last)
    du, dz = u - nearest * run, z - lift - nearest * rise
    radial = math.sqrt(du * du + dz * dz)
    if radial < distance:
        if radial == 0.0:
            return 0.0, 0.0, 1.0
        return side * radial, side * du / radial, side * dz / radial
    return side * distance, forward, up


@inlined
def tread_index(terrain, u):
    """Return the index of the tread at a distance u behind the first riser, m; -1 before it."""
    return bounded_floor(u / terrain.run, -1, terrain.count - 1)


@inlined
def tread_height(terrain, u):
    """Return the height of the tread at a distance u behind the first riser, m."""
    return (tread_index(terrain, u) + 1) * terrain.rise


@inlined
def bounded_floor(value, low, high):
    """Return the floor of a number within whole bounds; NaN gives the lower one, so the result can index."""
    if not value > low:
        return low
    if value >= high:
        return high
    return math.floor(value)


@inlined
def height_field(terrain, heights, x, y, z):
    """Return gap and normal over bilinear patches: the vertical gap times the cosine of the slope.

    The normal is that of the patch, hence exact on the surface, and jumps with the slope from cell to cell. The
    cosine comes from slopes interpolated between nodes, so that the gap itself has no jumps, even far off the surface
    where the centre of a spherical foot is.
    """
    height, slope_x, slope_y, mean_slope_x, mean_slope_y = field_height(terrain, heights, x, y)
    gap = (z - height) / math.sqrt(1.0 + mean_slope_x * mean_slope_x + mean_slope_y * mean_slope_y)
    up = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return gap, -slope_x * up, -slope_y * up, up


@inlined
def field_height(terrain, heights, x, y):
    """Return height, slopes of the patch along x and y, and slopes interpolated from central differences at nodes."""
    scale = 1.0 / terrain.cell_size
    row, t = cell((y - terrain.origin[1]) * scale, heights.shape[0])
    column, s = cell((x - terrain.origin[0]) * scale, heights.shape[1])
    south_west, south_east = node(heights, row, column), node(heights, row, column + 1)
    north_west, north_east = node(heights, row + 1, column), node(heights, row + 1, column + 1)
    height = bilinear(south_west, south_east, north_west, north_east, s, t)
    slope_x = mix(south_east - south_west, north_east - north_west, t) * scale
    slope_y = mix(north_west - south_west, north_east - south_east, s) * scale
    mean_slope_x = bilinear(
        south_east - node(heights, row, column - 1),
        node(heights, row, column + 2) - south_west,
        north_east - node(heights, row + 1, column - 1),
        node(heights, row + 1, column + 2) - north_west,
        s,
        t,
    )
    mean_slope_y = bilinear(
        north_west - node(heights, row - 1, column),
        north_east - node(heights, row - 1, column + 1),
        node(heights, row + 2, column) - south_west,
        node(heights, row + 2, column + 1) - south_east,
        s,
        t,
    )
    return height, slope_x, slope_y, 0.5 * scale * mean_slope_x, 0.5 * scale * mean_slope_y


@inlined
def cell(position, count):
    """Return the index of the cell at a position counted in cells from the first node, and the fraction in it.

    Beyond one cell outside of the field nothing changes any more.
    """
    index = bounded_floor(position, -1, count)
    if position < -1.0 or position > count:
        return index, 0.0
    return index, position - index


@inlined
def node(heights, row, column):
    """Return the height at a node, m; outside of the field that of the nearest node of its border."""
    return heights[min(max(row, 0), heights.shape[0] - 1), min(max(column, 0), heights.shape[1] - 1)]


@inlined
def mix(a, b, fraction):
    """Return the linear interpolation from a to b."""
    return a + fraction * (b - a)


@inlined
def bilinear(south_west, south_east, north_west, north_east, s, t):
    """Return the interpolation between four corners, s eastwards and t northwards."""
    return mix(mix(south_west, south_east, s), mix(north_west, north_east, s), t)


@compiled
def evaluate_surface(terrain, heights, points, gaps, normals):
    """Fill gaps, shape (n,), and normals, shape (n, 3), of points, shape (n, 3), over a one-element TERRAIN array."""
    for i in range(points.shape[0]):
        gap, nx, ny, nz = surface(terrain[0], heights, points[i, 0], points[i, 1], points[i, 2])
        gaps[i] = gap
        normals[i, 0] = nx
        normals[i, 1] = ny
        normals[i, 2] = nz


@compiled
def evaluate_height(terrain, heights, x, y, result):
    """Fill result with the ground's heights at x and y, all of shape (n,), over a one-element TERRAIN array."""
    for i in range(x.shape[0]):
        result[i] = surface_height(terrain[0], heights, x[i], y[i])
