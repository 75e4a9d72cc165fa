"""Gap and normal against closed forms, against a brute-force distance, and against their own gradients."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from legged_contact_sim.terrain import Groove, HeightField, Plane, Slope, Steps, surface, surface_height

coordinate = st.floats(-3.0, 3.0)
point = st.tuples(coordinate, coordinate, coordinate).map(np.array)
azimuths = st.floats(-4.0, 4.0)
staircases = st.builds(
    Steps,
    rise=st.floats(0.05, 0.5),
    run=st.floats(0.05, 0.6),
    count=st.integers(1, 8),
    start=st.floats(-1.0, 1.0),
    azimuth=azimuths,
)
exact = st.one_of(
    st.builds(Plane, height=coordinate),
    st.builds(Slope, angle=st.floats(-1.4, 1.4), azimuth=azimuths),
    st.builds(Groove, angle=st.floats(0.0, 1.4), azimuth=azimuths),
    staircases,
)
ROUGH = HeightField(np.random.default_rng(3).uniform(-0.2, 0.2, (7, 9)), 0.25)
fields = st.builds(
    lambda seed, rows, columns: HeightField(np.random.default_rng(seed).uniform(-0.3, 0.3, (rows, columns)), 0.25),
    st.integers(0, 1000),
    st.integers(1, 6),
    st.integers(1, 6),
)
many = settings(max_examples=150, deadline=None)


def profile_distance(stairs, point):
    """Signed distance to a staircase by looking at every one of its segments."""
    along = point[0] * math.cos(stairs.azimuth) + point[1] * math.sin(stairs.azimuth) - stairs.start
    corners = [(-100.0, 0.0)]
    for i in range(stairs.count):
        corners += [(i * stairs.run, i * stairs.rise), (i * stairs.run, (i + 1) * stairs.rise)]
    corners.append((100.0, stairs.count * stairs.rise))
    place = np.array([along, point[2]])
    distances = []
    for a, b in zip(np.array(corners[:-1]), np.array(corners[1:]), strict=True):
        t = np.clip((place - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        distances.append(np.linalg.norm(place - a - t * (b - a)))
    ground = sum(stairs.rise for i in range(stairs.count) if along >= i * stairs.run)
    return min(distances) * (1.0 if point[2] >= ground else -1.0)


@given(coordinate, point)
@many
def test_plane_is_the_height_above_it(height, p):
    ground = Plane(height=height)
    assert ground.gap(p) == pytest.approx(p[2] - height, abs=1e-14)
    assert ground.normal(p) == pytest.approx([0.0, 0.0, 1.0])
    assert ground.height(p[0], p[1]) == height


@given(st.floats(-1.4, 1.4), azimuths, point)
@many
def test_slope_is_the_distance_to_a_plane_through_the_origin(angle, azimuth, p):
    ground = Slope(angle, azimuth)
    normal = [-math.sin(angle) * math.cos(azimuth), -math.sin(angle) * math.sin(azimuth), math.cos(angle)]
    assert ground.normal(p) == pytest.approx(normal)
    assert ground.gap(p) == pytest.approx(np.dot(normal, p), abs=1e-13)
    ascent = [math.cos(azimuth), math.sin(azimuth)]
    assert ground.height(*ascent) == pytest.approx(math.tan(angle), rel=1e-12, abs=1e-14)


def test_wedge_of_the_bicycle_study():
    ground = Slope(math.radians(45.0))
    assert ground.height(5.0, 5.0) == pytest.approx(5.0)
    assert ground.gap([5.0, 5.0, 7.0]) == pytest.approx(math.sqrt(2.0))


@given(st.floats(0.0, 1.4), azimuths, point)
@many
def test_groove_above_the_walls_is_the_nearer_of_two_slopes(angle, azimuth, p):
    ground = Groove(angle, azimuth)
    walls = [Slope(angle, azimuth).gap(p), Slope(angle, azimuth + math.pi).gap(p)]
    if min(walls) >= 0.0:
        assert ground.gap(p) == pytest.approx(min(walls), abs=1e-12)
    else:
        assert ground.gap(p) <= min(walls) + 1e-12


def test_groove_below_its_line_leaves_through_the_line():
    ground = Groove(math.radians(60.0))
    assert ground.gap([0.03, 7.0, -0.4]) == pytest.approx(-math.hypot(0.03, 0.4))
    assert ground.normal([0.03, 7.0, -0.4]) == pytest.approx(np.array([-0.03, 0.0, 0.4]) / math.hypot(0.03, 0.4))
    assert ground.normal([0.0, 0.0, 0.0])[2] == pytest.approx(0.5)


@given(staircases, point)
@settings(max_examples=500, deadline=None)
def test_steps_are_the_distance_to_their_nearest_segment(stairs, p):
    assert stairs.gap(p) == pytest.approx(profile_distance(stairs, p), abs=1e-12)


@pytest.mark.parametrize(
    ("place", "gap", "normal"),
    [
        ((-5.0, 0.3), 0.3, (0.0, 1.0)),  # ground before the stairs
        ((0.96, 0.05), 0.04, (-1.0, 0.0)),  # in front of the first riser
        ((0.97, 0.14), 0.05, (-0.6, 0.8)),  # off the first edge
        ((1.2, 0.13), 0.03, (0.0, 1.0)),  # above the first tread
        ((1.02, 0.05), -0.02, (-1.0, 0.0)),  # inside, behind the first riser
        ((1.2, 0.06), -0.04, (0.0, 1.0)),  # inside, below the first tread
        ((1.03, -0.04), -0.05, (-0.6, 0.8)),  # inside, off the first inner corner
        ((9.0, 0.2), 0.0, (0.0, 1.0)),  # on the landing
        ((1.0, 0.1), 0.0, (0.0, 1.0)),  # on an edge
        ((1.0, 0.04), 0.0, (-1.0, 0.0)),  # on a riser
    ],
)
def test_steps_feature_by_feature(place, gap, normal):
    stairs = Steps(rise=0.1, run=0.3, count=2, start=1.0)
    p = [place[0], -2.0, place[1]]
    assert stairs.gap(p) == pytest.approx(gap, abs=1e-12)
    assert stairs.normal(p) == pytest.approx([normal[0], 0.0, normal[1]], abs=1e-9)


def test_steps_rise_to_their_landing():
    stairs = Steps(rise=0.1, run=0.3, count=3, start=0.5)
    assert stairs.height([0.49, 0.5, 0.79, 0.81, 1.2, 100.0], 0.0) == pytest.approx([0, 0.1, 0.1, 0.2, 0.3, 0.3])


@pytest.mark.parametrize("run", [0.1, 0.3, 0.29, 1.0 / 3.0, 0.07])
def test_steps_gap_vanishes_on_every_corner_whatever_the_rounding(run):
    stairs = Steps(rise=run / 3.0, run=run, count=1000, start=0.0)
    i = np.arange(1000)
    for nudge in (-1e-16, 0.0, 1e-16):
        for corner in (i, i + 1):
            points = np.stack([i * run * (1.0 + nudge), 0.0 * i, corner * stairs.rise], axis=-1)
            assert np.abs(stairs.gap(points)).max() < 1e-12
            assert np.linalg.norm(stairs.normal(points), axis=1) == pytest.approx(1.0)


@given(exact, point)
@many
def test_the_foot_of_the_normal_is_on_the_ground(ground, p):
    assert ground.gap(p - ground.gap(p) * ground.normal(p)) == pytest.approx(0.0, abs=1e-9)


@given(exact, point, point)
@many
def test_the_gap_changes_no_more_than_the_way(ground, a, b):
    assert abs(ground.gap(a) - ground.gap(b)) <= np.linalg.norm(a - b) + 1e-12


@given(exact, point)
# level with an inner corner, 1.4 mm behind the riser: curved below, straight above
@example(Steps(rise=0.5, run=0.5, count=1, start=0.23828125, azimuth=0.5), np.array([0.0, 0.5, 0.0]))
@many
def test_the_gradient_of_the_gap_is_the_normal(ground, p):
    h = 1e-8
    around = np.concatenate([p + h * np.eye(3), p - h * np.eye(3)])
    normal = ground.normal(p)
    # Where two features are equally near the gap has a kink; within 0.05 mm of a centre of curvature h is too large:
    # where curvature begins, the difference errs by a quarter of what the normal changes over h.
    assume(np.abs(ground.normal(around) - normal).max() < 2e-4)
    gaps = ground.gap(around)
    gradient = (gaps[:3] - gaps[3:]) / (2.0 * h)
    assert np.linalg.norm(gradient) == pytest.approx(1.0, abs=1e-4)
    assert gradient == pytest.approx(normal, abs=1e-4)


@given(exact.filter(lambda ground: not isinstance(ground, Plane)), st.floats(-3.0, 3.0), point)
@many
def test_turning_the_azimuth_turns_the_ground(ground, turn, p):
    cosine, sine = math.cos(turn), math.sin(turn)
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    values = {**ground.__dict__, "azimuth": ground.azimuth + turn}
    values.pop("record", None)
    turned = type(ground)(**values)
    assert turned.gap(rotation @ p) == pytest.approx(ground.gap(p), abs=1e-12)
    h = 1e-9
    assume(np.abs(ground.normal(p + h) - ground.normal(p - h)).max() < 1e-4)
    assert turned.normal(rotation @ p) == pytest.approx(rotation @ ground.normal(p), abs=1e-6)


@given(st.one_of(exact, fields), st.lists(point, min_size=1, max_size=8))
@many
def test_compiled_vectorised_and_plain_python_agree(ground, points):
    record = ground.record.view(np.recarray)[0]
    gaps, normals = ground.gap(points), ground.normal(points)
    heights = ground.height([p[0] for p in points], [p[1] for p in points])
    for i, p in enumerate(points):
        x, y, z = map(float, p)
        gap, *normal = surface(record, ground.heights, x, y, z)
        assert gaps[i] == pytest.approx(gap, abs=1e-12) == ground.gap(p)
        if not isinstance(ground, Steps) or np.ptp(ground.normal(p + 1e-9 * np.eye(3)), axis=0).max() < 1e-4:
            assert normals[i] == pytest.approx(normal, abs=1e-9) == ground.normal(p)
        assert heights[i] == pytest.approx(surface_height(record, ground.heights, x, y), abs=1e-12)


@given(st.one_of(exact, fields), point)
@many
def test_normals_have_unit_length(ground, p):
    assert np.linalg.norm(ground.normal(p)) == pytest.approx(1.0, abs=1e-14)


def test_any_leading_shape():
    ground = Slope(0.2)
    points = np.random.default_rng(0).normal(size=(4, 5, 3))
    assert ground.gap(points).shape == (4, 5)
    assert ground.normal(points).shape == (4, 5, 3)
    assert ground.gap(points[::2, ::-1]) == pytest.approx(ground.gap(points)[::2, ::-1])
    assert ground.gap(np.zeros((0, 3))).shape == (0,)
    assert ground.height(points[..., 0], 0.0).shape == (4, 5)
    assert np.ndim(ground.gap(points[0, 0])) == 0


@pytest.mark.parametrize("ground", [Plane(), Slope(0.2), Steps(), Groove(), ROUGH])
def test_nan_stays_visible_and_far_points_are_safe(ground):
    for axis in range(3):
        p = np.zeros(3)
        p[axis] = np.nan
        assert np.isnan(ground.gap(p))
    assert np.isnan(ground.height(np.nan, 0.0))
    for far in (1e12, -1e12):
        assert np.isfinite(ground.gap(far * np.eye(3))).all()
        assert np.isfinite(ground.normal(far * np.eye(3))).all()


def test_height_field_takes_the_values_of_its_nodes():
    rows, columns = np.indices(ROUGH.array.shape)
    x, y = ROUGH.origin[0] + columns * 0.25, ROUGH.origin[1] + rows * 0.25
    assert ROUGH.height(x, y) == pytest.approx(ROUGH.array, abs=1e-14)
    assert ROUGH.origin == pytest.approx((-1.0, -0.75))


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.tuples(*[st.floats(-0.7, 0.7)] * 2, coordinate).map(np.array))
@many
def test_height_field_of_a_plane_is_its_distance(slope_x, slope_y, p):
    rows, columns = np.indices((11, 11))
    ground = HeightField((columns - 5) * 0.2 * slope_x + (rows - 5) * 0.2 * slope_y, 0.2)
    steepness = math.sqrt(1.0 + slope_x**2 + slope_y**2)
    assert ground.gap(p) == pytest.approx((p[2] - slope_x * p[0] - slope_y * p[1]) / steepness, abs=1e-12)
    assert ground.normal(p) == pytest.approx(np.array([-slope_x, -slope_y, 1.0]) / steepness, abs=1e-12)


@given(st.floats(-1.2, 1.2), st.floats(-1.0, 1.0))
@many
def test_height_field_normal_is_perpendicular_to_its_surface(x, y):
    h = 1e-7
    cells = np.array([(x - ROUGH.origin[0]) / 0.25, (y - ROUGH.origin[1]) / 0.25])
    assume((np.abs(cells - np.round(cells)) > 1e-5).all())
    normal = ROUGH.normal([x, y, 0.0])
    slope_x = (ROUGH.height(x + h, y) - ROUGH.height(x - h, y)) / (2.0 * h)
    slope_y = (ROUGH.height(x, y + h) - ROUGH.height(x, y - h)) / (2.0 * h)
    assert normal @ [1.0, 0.0, slope_x] == pytest.approx(0.0, abs=1e-6)
    assert normal @ [0.0, 1.0, slope_y] == pytest.approx(0.0, abs=1e-6)


@given(fields, st.integers(-4, 8), st.floats(-2.0, 2.0), st.floats(-1.0, 1.0), st.booleans())
@many
def test_height_field_gap_is_continuous_across_cells_and_borders(ground, line, other, z, along_x):
    first = 0 if along_x else 1
    at = np.array([other, other, z])
    at[first] = ground.origin[first] + line * ground.cell_size
    step = np.zeros(3)
    step[first] = 1e-10
    assert ground.gap(at - step) == pytest.approx(ground.gap(at + step), abs=1e-8)


def test_height_field_goes_on_level_outside():
    edge = ROUGH.origin[0] + 8 * 0.25
    y = 0.1
    assert ROUGH.height([edge + 0.01, edge + 50.0], y) == pytest.approx(ROUGH.height(edge, y))
    assert ROUGH.normal([edge + 0.1, y, 1.0])[0] == 0.0
    corner = [edge + 9.0, 9.0, 1.0]
    assert ROUGH.gap(corner) == pytest.approx(1.0 - ROUGH.array[-1, -1])
    assert ROUGH.normal(corner) == pytest.approx([0.0, 0.0, 1.0])


def test_height_field_of_a_dome_converges_with_the_square_of_the_cell():
    direction = np.random.default_rng(1).uniform(-0.25, 0.25, (200, 3)) + [0.0, 0.0, 1.0]
    on_dome = 2.0 * direction / np.linalg.norm(direction, axis=1)[:, None]
    errors = []
    for cell in (0.1, 0.05):
        x = np.arange(-1.0, 1.0 + 1e-9, cell)
        ground = HeightField(np.sqrt(4.0 - x[None, :] ** 2 - x[:, None] ** 2), cell)
        errors.append(np.abs(ground.gap(on_dome)).max())
        assert np.abs(ground.gap(1.01 * on_dome) - 0.02).max() < errors[-1] + 1e-4
    assert errors[0] < 2e-3
    assert errors[1] < errors[0] / 3.0
