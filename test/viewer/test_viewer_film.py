"""Pictures without a browser: what is drawn covers the pixels that geometry says, and files can be read again."""

import numpy as np
import pytest

from legged_contact_sim.errors import ParameterError
from legged_contact_sim.viewer import find_world
from legged_contact_sim.viewer.drawing import arrow_tips
from legged_contact_sim.viewer.film import film
from legged_contact_sim.viewer.raster import Camera, Canvas
from legged_contact_sim.viewer.triangles import box, capsule

CAMERA = Camera(np.array([-4.0, 0.0, 0.0]), np.zeros(3), width=200, height=160, view=0.6)


def disc(canvas, radius, middle, colour):
    surface = capsule(radius, 0.0)
    corners = surface.vertices[surface.faces] + np.array(middle)
    canvas.draw(corners, np.broadcast_to(colour, (len(corners), 3)), lit=False)


def test_a_ball_covers_the_disc_that_perspective_gives_it():
    canvas = Canvas(CAMERA, background=(0.0, 0.0, 0.0))
    disc(canvas, 0.5, (0.0, 0.0, 0.0), [1.0, 0.0, 0.0])
    radius = 80.0 / np.tan(0.3) * 0.5 / np.sqrt(4.0**2 - 0.5**2)  # of the cone that touches the ball, pixels
    covered = canvas.pixels()[..., 0].sum() / 255.0
    assert covered == pytest.approx(np.pi * radius**2, rel=0.03)


def test_the_nearer_one_hides_the_other_in_any_order():
    pictures = []
    balls = [(0.3, (0.0, 0.0, 0.0), [1.0, 0.0, 0.0]), (0.3, (-1.0, 0.0, 0.0), [0.0, 1.0, 0.0])]
    for order in (balls, balls[::-1]):
        canvas = Canvas(CAMERA)
        for ball in order:
            disc(canvas, *ball)
        pictures.append(canvas.pixels())
    np.testing.assert_array_equal(*pictures)
    assert pictures[0][80, 100].tolist() == [0, 255, 0]


def test_up_is_up_and_left_is_left():
    canvas = Canvas(CAMERA, background=(0.0, 0.0, 0.0))
    disc(canvas, 0.1, (0.0, 0.5, 0.7), [1.0, 1.0, 1.0])
    rows, columns = np.nonzero(canvas.pixels()[..., 0])
    assert rows.max() < 80
    assert columns.max() < 100


def test_what_is_transparent_lets_see_what_is_behind_it():
    canvas = Canvas(CAMERA, background=(0.0, 0.0, 0.0))
    surface = box((0.01, 4.0, 4.0))
    canvas.draw(surface.vertices[surface.faces[2:4]], np.ones((2, 3)), lit=False, opacity=0.4)  # the side to the camera
    disc(canvas, 0.3, (1.0, 0.0, 0.0), [0.0, 1.0, 0.0])
    assert canvas.pixels()[80, 100].tolist() == [0, 255, 0]
    assert canvas.pixels()[80, 10].tolist() == [102, 102, 102]


def test_arrows_are_as_long_as_the_weight_makes_them_and_never_out_of_sight():
    robot = find_world("quadruped12").robot
    weight = robot.total_mass * 9.81
    forces = np.array(
        [[0.0, 0.0, weight], [0.3 * weight, 0.4 * weight, 0.0], [0.0, 0.0, 50.0 * weight], [0.0, 0.0, 0.0]]
    )
    tips = arrow_tips(robot, 2.0, np.ones((4, 3)), forces)
    np.testing.assert_allclose(tips - 1.0, [[0, 0, 2], [0.6, 0.8, 0], [0, 0, 3], [0, 0, 0]], atol=1e-12)


def test_forces_are_seen_through_the_legs_and_a_film_may_begin_later(tmp_path):
    imageio = pytest.importorskip("imageio.v3")
    film(find_world("quadruped12"), tmp_path / "a.gif", 0.08, start=0.1, width=320, height=192)
    green = imageio.imread(tmp_path / "a.gif")[0].astype(int)
    assert np.count_nonzero(green[..., 1] > 1.7 * np.maximum(green[..., 0], green[..., 2])) > 100
    with pytest.raises(ParameterError, match="start: expected a finite number"):
        film(find_world("quadruped12"), tmp_path / "a.gif", 1.0, start=-1.0)


def test_films_and_pictures_can_be_read_again(tmp_path):
    imageio = pytest.importorskip("imageio.v3")
    world = find_world("quadruped12")
    assert film(world, tmp_path / "a.gif", 0.12, rate=25.0, width=160, height=96) == 3
    assert world.time == pytest.approx(0.12)
    frames = imageio.imread(tmp_path / "a.gif")
    assert frames.shape[1:3] == (96, 160)
    film(world, tmp_path / "b.png", 0.0, width=160, height=96)
    picture = imageio.imread(tmp_path / "b.png").astype(int)
    trunk = (picture[..., 0] > 60) & (picture[..., 0] > 2 * picture[..., 1:3].max(axis=2))
    assert trunk.sum() > 50  # the robot's red


@pytest.mark.parametrize(("name", "value"), [("rate", 0.0), ("rate", float("nan")), ("width", 0), ("height", 9999)])
def test_pictures_that_nobody_can_make_are_one_clear_error(tmp_path, name, value):
    with pytest.raises(ParameterError, match=f"{name}: expected"):
        film(find_world("quadruped12"), tmp_path / "a.gif", 0.1, **{name: value})


def test_an_unknown_kind_is_one_clear_error(tmp_path):
    with pytest.raises(ParameterError, match=r"\.png, \.gif, \.mp4"):
        film(find_world("quadruped12"), tmp_path / "a.avi", 1.0)
