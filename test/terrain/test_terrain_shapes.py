"""What users may write, and what is refused."""

import math
import pickle

import numpy as np
import pytest

from legged_contact_sim.errors import ParameterError
from legged_contact_sim.terrain import TERRAIN, Groove, HeightField, Plane, Slope, Steps, make_terrain
from legged_contact_sim.terrain.surface import evaluate_surface

FLAT = np.zeros((2, 3))


@pytest.mark.parametrize(
    ("make", "culprit"),
    [
        (lambda: Plane(height=math.nan), "Plane.height = nan"),
        (lambda: Plane(height=math.inf), "Plane.height = inf"),
        (lambda: Plane(height="low"), "Plane.height = 'low'"),
        (lambda: Plane(height=True), "Plane.height = True"),
        (lambda: Slope(2.0), "Slope.angle = 2.0; expected a number from -1.55334 to 1.55334 rad"),
        (lambda: Slope(math.nan), "Slope.angle = nan"),
        (lambda: Slope(0.1, azimuth=math.inf), "Slope.azimuth = inf"),
        (lambda: Slope(None), "Slope.angle = None"),
        (lambda: Slope(10**400), "Slope.angle = 1000"),
        (lambda: Groove(-0.1), "Groove.angle = -0.1; expected a number from 0 to"),
        (lambda: Steps(rise=0.0), "Steps.rise = 0.0"),
        (lambda: Steps(run=-1.0), "Steps.run = -1.0"),
        (lambda: Steps(count=0), "Steps.count = 0; expected a whole number from 1 to"),
        (lambda: Steps(count=2.5), "Steps.count = 2.5"),
        (lambda: Steps(start=math.nan), "Steps.start = nan"),
        (lambda: HeightField(FLAT, 0.0), "HeightField.cell_size = 0.0"),
        (lambda: HeightField(FLAT, math.nan), "HeightField.cell_size = nan"),
        (lambda: HeightField(np.zeros(3), 0.1), r"HeightField.array of shape \(3,\)"),
        (lambda: HeightField(np.zeros((0, 3)), 0.1), r"HeightField.array of shape \(0, 3\)"),
        (lambda: HeightField([[0.0, math.nan]], 0.1), r"HeightField.array\[0, 1\] = nan"),
        (lambda: HeightField([[0.0], [math.inf]], 0.1), r"HeightField.array\[1, 0\] = inf"),
        (lambda: HeightField([[0.0, 1.0], [2.0]], 0.1), "HeightField.array"),
        (lambda: HeightField("rough", 0.1), "HeightField.array"),
        (lambda: HeightField([["1", "2"]], 0.1), "HeightField.array: expected an array of numbers"),
        (lambda: HeightField([[1.0 + 2.0j]], 0.1), "HeightField.array: expected an array of numbers"),
        (lambda: HeightField([[10**400]], 0.1), "HeightField.array: expected an array of numbers"),
        (lambda: HeightField(FLAT, 0.1, origin=(0.0,)), "HeightField.origin"),
        (lambda: HeightField(FLAT, 0.1, origin=(0.0, math.nan)), r"HeightField.origin\[1\] = nan"),
        (lambda: HeightField(FLAT, 0.1, origin="ab"), "HeightField.origin"),
        (lambda: make_terrain("sea"), "terrain 'sea'; expected .*plane, slope, steps, groove, height_field"),
        (lambda: make_terrain({"kind": ["slope"]}), "terrain"),
        (lambda: make_terrain({"angle": 0.3}), "terrain {'angle': 0.3}"),
        (lambda: make_terrain(3), "terrain 3"),
        (lambda: make_terrain(None), "terrain None"),
        (lambda: make_terrain({"kind": "slope", "tilt": 0.3}), "no parameter 'tilt'; expected angle, azimuth"),
        (lambda: make_terrain({"kind": "slope", "angle": 3.0}), "Slope.angle = 3.0"),
        (lambda: make_terrain("height_field"), "'height_field' needs array, cell_size"),
        (lambda: make_terrain({"kind": "height_field", "path": "a.png"}), "needs cell_size, height_range"),
        (lambda: HeightField.from_png(3, 0.1, (0.0, 1.0)), "HeightField.path = 3"),
        (lambda: HeightField.from_png("a.png", 0.1, 1.0), "HeightField.height_range = 1.0"),
        (lambda: HeightField.from_png("a.png", 0.1, (0.0, math.nan)), r"HeightField.height_range\[1\] = nan"),
        (lambda: Plane().gap([1.0, 2.0]), r"points of shape \(2,\); expected \(..., 3\)"),
        (lambda: Plane().gap(1.0), r"points of shape \(\)"),
        (lambda: Plane().normal("abc"), "points"),
        (lambda: Plane().gap(["1", "2", "3"]), "points: expected an array of numbers"),
        (lambda: Plane().gap([10**400, 0, 0]), "points: expected an array of numbers"),
        (lambda: Plane().gap(np.array(["2024"] * 3, "M8[Y]")), "points: expected an array of numbers"),
        (lambda: Plane().height("1", 2.0), "x: expected an array of numbers"),
        (lambda: Plane().height([1.0, 2.0], [1.0, 2.0, 3.0]), "x and y of a height"),
    ],
)
def test_refusals_name_the_culprit(make, culprit):
    with pytest.raises(ParameterError, match=culprit):
        make()


def test_make_terrain_by_name_object_and_mapping():
    assert make_terrain("plane") == Plane()
    assert make_terrain("steps") == Steps()
    assert make_terrain({"kind": "slope", "angle": 0.3}) == Slope(0.3)
    assert make_terrain({"kind": "plane", "height": 1}) == Plane(height=1.0)
    slope = Slope(0.1)
    assert make_terrain(slope) is slope
    field = make_terrain({"kind": "height_field", "array": [[0, 1]], "cell_size": 1, "origin": [0, 0]})
    assert field.height(0.5, 0.0) == 0.5


def test_make_terrain_leaves_the_mapping_as_it_was():
    spec = {"kind": "slope", "angle": 0.3}
    make_terrain(spec)
    assert spec == {"kind": "slope", "angle": 0.3}


def test_one_compilation_serves_every_terrain():
    for ground in (Plane(), Slope(0.1), Steps(), Groove(), HeightField(np.zeros((3, 4)).T, 0.1)):
        assert ground.record.dtype == TERRAIN
        assert ground.record.shape == (1,)
        assert ground.heights.flags.c_contiguous
        ground.gap([0.0, 0.0, 1.0])
    assert len(evaluate_surface.signatures) == 1


def test_a_field_shared_read_only_between_processes_keeps_the_compiled_type():
    shared = np.zeros((3, 3))
    shared.flags.writeable = False
    field = HeightField(shared, 0.1)
    object.__setattr__(field, "array", shared)
    assert pickle.loads(pickle.dumps(field)).heights.flags.writeable


def test_terrains_are_values():
    assert Slope(0.1) == Slope(0.1) != Slope(0.2)
    assert hash(Plane(1.0)) == hash(Plane(1))
    assert eval(repr(Plane(0.5))) == Plane(0.5)
    with pytest.raises(AttributeError):
        Slope(0.1).angle = 0.2
    given = np.zeros((2, 2))
    field = HeightField(given, 1.0)
    given[:] = 5.0
    assert field.height(0.0, 0.0) == 0.0


@pytest.mark.parametrize("ground", [Plane(0.2), Slope(0.1), Steps(), Groove(), HeightField(FLAT + 1.0, 0.1)])
def test_terrains_travel_to_other_processes(ground):
    points = np.random.default_rng(0).normal(size=(20, 3))
    ground.gap(points)
    assert (pickle.loads(pickle.dumps(ground)).gap(points) == ground.gap(points)).all()
