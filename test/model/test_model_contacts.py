"""Contact points of collision shapes, meshes and the user's own."""

import re
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leg import LEG, leg_with
from walkers import biped

from legged_contact_sim.errors import ModelWarning
from legged_contact_sim.model import ModelError, RobotModel
from legged_contact_sim.model.collision import ContactPoint
from legged_contact_sim.model.reduction import ENDS, reduced_points

SPHERE = '<collision name="sole"><geometry><sphere radius="0.02"/></geometry></collision>'
TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
SPHERE_OF_POINTS = np.random.default_rng(0).normal(size=(2001, 3))
SPHERE_OF_POINTS /= np.linalg.norm(SPHERE_OF_POINTS, axis=1, keepdims=True)
FACES = TETRAHEDRON[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]


def leg_shape(shape, origin="", name=""):
    """The leg with one collision shape on its foot."""
    return leg_with(SPHERE, f"<collision{name}>{origin}<geometry>{shape}</geometry></collision>")


def foot_points(robot):
    """The contact points in the frame of the foot, which is merged into the shank 0.4 m below."""
    assert set(robot.contact_points["link"].tolist()) == {robot.link_index("shank")}
    return robot.contact_points["position"] - robot.frames["foot"].position


def as_rows(points):
    """Points in an order of their own, for comparison as sets."""
    return np.array(sorted(np.round(points, 9).tolist()))


def test_sphere_is_one_point_with_its_name():
    robot = RobotModel.from_urdf(LEG)
    assert robot.contact_names == ("sole",)
    np.testing.assert_allclose(robot.contact_points["position"], [[0.0, 0.0, -0.4]])
    np.testing.assert_allclose(robot.contact_points["radius"], [0.02])


def test_box_gives_its_corners():
    robot = RobotModel.from_urdf(
        leg_shape('<box size="0.2 0.4 0.6"/>', '<origin xyz="0 0 1" rpy="0 0 1.5707963267949"/>')
    )
    corners = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.1, 0.1) for z in (0.7, 1.3)]
    np.testing.assert_allclose(as_rows(foot_points(robot)), as_rows(corners), atol=1e-9)
    assert robot.contact_names == tuple(f"foot_{i}" for i in range(8))
    assert not robot.contact_points["radius"].any()


def test_points_of_a_merged_link_turn_with_it():
    turned = leg_shape('<sphere radius="0.02"/>', '<origin xyz="0.1 0 0.2" rpy="0 0 0"/>').replace(
        '<origin xyz="0 0 -0.4" rpy="0 0 0"/>', '<origin xyz="0 0 -0.4" rpy="1.5707963267948966 0 0"/>'
    )
    np.testing.assert_allclose(foot_points(RobotModel.from_urdf(turned)), [[0.1, -0.2, 0.0]], atol=1e-12)


def test_cylinder_gives_points_on_its_rims():
    points = foot_points(RobotModel.from_urdf(leg_shape('<cylinder radius="0.3" length="0.8"/>')))
    assert points.shape == (16, 3)
    np.testing.assert_allclose(np.hypot(points[:, 0], points[:, 1]), 0.3)
    assert sorted(points[:, 2].round(12).tolist()) == [-0.4] * 8 + [0.4] * 8
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=1e-12)
    assert len(np.unique(points.round(9), axis=0)) == 16


def test_capsule_gives_two_spheres():
    robot = RobotModel.from_urdf(leg_shape('<capsule radius="0.1" length="0.6"/>', name=' name="pad"'))
    np.testing.assert_allclose(foot_points(robot), [[0.0, 0.0, -0.3], [0.0, 0.0, 0.3]], atol=1e-12)
    np.testing.assert_allclose(robot.contact_points["radius"], 0.1)
    assert robot.contact_names == ("pad_0", "pad_1")


@given(st.lists(st.sampled_from(["", "a", "a_0", "a_1", "foot", "foot_0", "b"]), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_contact_names_are_unique(names):
    shapes = "".join(
        f'<collision{f" name={name!r}" if name else ""}><geometry><sphere radius="0.{k + 1}"/></geometry></collision>'
        for k, name in enumerate(names)
    )
    found = RobotModel.from_urdf(leg_with(SPHERE, shapes)).contact_names
    assert len(set(found)) == len(found) == len(names)
    for name, given_name in zip(found, names, strict=True):
        assert name.startswith(given_name or "foot")
        assert found.count(name) == 1
        if names.count(given_name) == 1 and given_name not in ("", "foot"):
            assert name == given_name


def test_points_of_a_fixed_root_are_dropped():
    text = LEG.replace('<link name="body">', f'<link name="body">{SPHERE.replace("sole", "belly")}')
    assert RobotModel.from_urdf(text).contact_names == ("belly", "sole")
    assert RobotModel.from_urdf(text, base="fixed").contact_names == ("sole",)


def write_binary_stl(path, faces):
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *face.ravel(), 0) for face in faces)
    path.write_bytes(b"solid though binary".ljust(80) + struct.pack("<I", len(faces)) + triangles)


def write_text_stl(path, faces):
    loops = "\n".join(
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join(f"vertex {x} {y} {z}" for x, y, z in face)
        + "\nendloop\nendfacet"
        for face in faces
    )
    path.write_text(f"solid shape\n{loops}\nendsolid shape\n")


def write_obj(path, faces):
    corners = "\n".join(f"v {x} {y} {z}" for x, y, z in faces.reshape(-1, 3))
    path.write_text(f"# shape\n{corners}\nvn 0 0 1\nf 1 2 3\n")


@pytest.mark.parametrize(
    ("name", "write"), [("shape.stl", write_binary_stl), ("text.STL", write_text_stl), ("shape.obj", write_obj)]
)
def test_mesh_gives_the_corners_of_its_hull(tmp_path, name, write):
    inside = np.full((1, 3, 3), 0.1)
    write(tmp_path / name, np.concatenate([FACES, inside]))
    path = tmp_path / "leg.urdf"
    path.write_text(leg_shape(f'<mesh filename="{name}" scale="2 1 0.5"/>'))
    robot = RobotModel.from_urdf(path)
    np.testing.assert_allclose(as_rows(foot_points(robot)), as_rows(TETRAHEDRON * [2, 1, 0.5]))
    assert not robot.contact_points["radius"].any()


def written_leg(folder, mesh):
    """Write the leg with a mesh on its foot, and return the file."""
    path = folder / "leg.urdf"
    path.write_text(leg_shape(f'<mesh filename="{mesh}"/>'))
    return path


def test_flat_mesh_gives_its_vertices(tmp_path):
    write_obj(tmp_path / "plate.obj", FACES[:1])
    path = tmp_path / "leg.urdf"
    path.write_text(leg_shape('<mesh filename="plate.obj"/>'))
    assert len(RobotModel.from_urdf(path).contact_points) == 3


def test_many_hull_corners_are_thinned_evenly(tmp_path):
    shell = SPHERE_OF_POINTS * (1.0, 0.5, 0.5)
    write_obj(tmp_path / "egg.obj", shell.reshape(-1, 3, 3))
    path = tmp_path / "leg.urdf"
    path.write_text(leg_shape('<mesh filename="egg.obj"/>'))
    robot = RobotModel.from_urdf(path)
    points = foot_points(robot)
    assert len(points) == ENDS
    # 32 caps of equal area on a unit sphere have a radius of 0.35; farthest-point selection is within a factor of 2.
    nearest = np.linalg.norm(shell[:, None] - points[None], axis=2).min(axis=1)
    assert nearest.max() < 0.7
    assert "the others are near to those: within" in robot.notes[0]


def test_a_mesh_of_a_ball_is_one_sphere(tmp_path):
    ball = 0.02 * SPHERE_OF_POINTS + (0.1, 0.0, 0.0)
    write_obj(tmp_path / "ball.obj", ball.reshape(-1, 3, 3))
    path = tmp_path / "leg.urdf"
    path.write_text(leg_shape('<mesh filename="ball.obj"/>'))
    robot = RobotModel.from_urdf(path)
    np.testing.assert_allclose(foot_points(robot), [[0.1, 0.0, 0.0]], atol=1e-4)
    np.testing.assert_allclose(robot.contact_points["radius"], 0.02, rtol=1e-2)
    assert robot.contact_names == robot.feet == ("foot",)


def test_coincident_points_are_merged():
    twice = SPHERE + SPHERE.replace("sole", "heel") + SPHERE.replace("sole", "pad").replace("0.02", "0.03")
    assert RobotModel.from_urdf(leg_with(SPHERE, twice)).contact_names == ("sole", "pad")


@pytest.mark.parametrize(
    "filename",
    ["package://leg_description/meshes/toe.obj", "file://{root}/leg_description/meshes/toe.obj", "../meshes/toe.obj"],
)
def test_mesh_is_found(tmp_path, filename):
    package = tmp_path / "leg_description"
    for folder in ("urdf", "meshes"):
        (package / folder).mkdir(parents=True)
    write_obj(package / "meshes" / "toe.obj", FACES)
    path = package / "urdf" / "leg.urdf"
    path.write_text(leg_shape(f'<mesh filename="{filename.format(root=tmp_path)}"/>'))
    assert len(RobotModel.from_urdf(path).contact_points) == 4


def test_mesh_is_found_in_an_ament_prefix(tmp_path, monkeypatch):
    folder = tmp_path / "share" / "leg_description"
    folder.mkdir(parents=True)
    write_obj(folder / "toe.obj", FACES)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path}")
    text = leg_shape('<mesh filename="package://leg_description/toe.obj"/>')
    assert len(RobotModel.from_urdf(text).contact_points) == 4


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("missing.stl", None),
        ("long" * 2000 + ".stl", None),
        ("file:///null%00.stl", None),
        ("package://nowhere/missing.stl", None),
        ("http://example.org/foot.stl", None),
        ("foot.dae", b"<COLLADA/>"),
        ("empty.stl", b""),
        ("cut.stl", b"\x80" * 90),
        ("cut_header.stl", b"solid"),
        ("words.obj", b"v one two three\n"),
        ("two.obj", b"v 1 2\n"),
        ("three_times_two.obj", b"v 1 2\nv 3 4\nv 5 6\n"),
        ("uneven.obj", b"v 1 2 3\nv 4 5\n"),
        ("nan.obj", b"v nan 0 0\n"),
    ],
)
def test_unreadable_mesh_is_refused_and_can_be_skipped(tmp_path, filename, content):
    if content is not None:
        (tmp_path / filename).write_bytes(content)
    path = tmp_path / "leg.urdf"
    path.write_text(leg_shape(f'<mesh filename="{filename}"/>'))
    with pytest.raises(ModelError, match=r"leg\.urdf: link 'foot'.*meshes=.skip.") as caught:
        RobotModel.from_urdf(path)
    assert filename in str(caught.value)
    assert RobotModel.from_urdf(path, meshes="skip").contact_names == ()


def test_mesh_cut_short_is_told_by_its_length(tmp_path):
    write_binary_stl(tmp_path / "foot.stl", FACES)
    (tmp_path / "foot.stl").write_bytes((tmp_path / "foot.stl").read_bytes()[:-7].replace(b"solid", b"short"))
    with pytest.raises(ModelError, match=r"'foot'.*foot\.stl' cannot be read: 277 bytes, expected 284"):
        RobotModel.from_urdf(written_leg(tmp_path, "foot.stl"))


def test_a_pointer_to_a_mesh_is_called_one(tmp_path):
    (tmp_path / "foot.stl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 100\n")
    with pytest.raises(ModelError, match=r"foot\.stl' cannot be read: it is a pointer of Git LFS"):
        RobotModel.from_urdf(written_leg(tmp_path, "foot.stl"))


def test_a_package_is_called_as_its_manifest_says_and_foreign_tags_are_passed_over(tmp_path):
    write_obj(tmp_path / "foot.obj", FACES)
    (tmp_path / "package.xml").write_text("<package><name> toe_description </name></package>")
    mesh = '<mesh filename="package://toe_description/foot.obj"/><d:convex xmlns:d="http://d.org"/>'
    path = tmp_path / "leg.urdf"
    path.write_text(leg_shape(mesh))
    assert len(RobotModel.from_urdf(path).contact_points) == 4


def test_a_mesh_in_millimetres_is_told(tmp_path):
    write_obj(tmp_path / "foot.obj", 100.0 * FACES)
    with pytest.warns(ModelWarning, match=r"link 'foot': collision mesh 'foot.obj' is 173 m large .in millimetres"):
        RobotModel.from_urdf(written_leg(tmp_path, "foot.obj"))


def test_text_of_a_mesh_may_hold_any_characters(tmp_path):
    (tmp_path / "foot.obj").write_bytes("# Fu\xdf\n".encode("latin-1") + b"v 1 2 3\n")
    robot = RobotModel.from_urdf(written_leg(tmp_path, "foot.obj"))
    np.testing.assert_allclose(foot_points(robot), [[1.0, 2.0, 3.0]])


def test_extra_points_stand_in_their_link_s_frame():
    heel = {"heel": {"link": "foot", "offset": [0.1, 0.2, 0.3], "radius": 0.01}, "toe": {"link": "body"}}
    robot = RobotModel.from_urdf(LEG, contact_points=heel)
    assert robot.contact_names == ("sole", "heel", "toe")
    assert robot.contact_points["link"].tolist() == [1, 1, 0]
    np.testing.assert_allclose(robot.contact_points["position"][1:], [[0.1, 0.2, -0.1], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(robot.contact_points["radius"][1:], [0.01, 0.0])


@pytest.mark.parametrize(
    ("given_points", "culprit"),
    [
        ({"heel": {"link": "foots"}}, "'heel' is on link 'foots'.*near matches: foot"),
        ({"heel": {"link": ["foot"]}}, "'heel' is on link"),
        ({"heel": {"offset": [0, 0, 0]}}, "'heel'.*expected link"),
        ({"heel": {"link": "foot", "size": 1}}, "'heel'.*expected link"),
        ({"heel": "foot"}, "'heel'.*expected link"),
        ({"heel": {"link": "foot", "offset": [0, 0]}}, "'heel' has the offset"),
        ({"heel": {"link": "foot", "offset": [0, 0, np.nan]}}, "'heel' has the offset"),
        ({"heel": {"link": "foot", "offset": "low"}}, "'heel' has the offset"),
        ({"heel": {"link": "foot", "radius": -1}}, "'heel' has the radius"),
        ({"heel": {"link": "foot", "radius": [1]}}, "'heel' has the radius"),
        ({"sole": {"link": "foot"}}, "'sole'.*already"),
        ({1: {"link": "foot"}, "1": {"link": "foot"}}, "'1'.*already"),
        (["heel"], "contact_points"),
    ],
)
def test_bad_extra_point_is_refused_by_name(given_points, culprit):
    with pytest.raises(ModelError, match=culprit):
        RobotModel.from_urdf(LEG, contact_points=given_points)


def test_extra_point_on_the_world_is_refused():
    with pytest.raises(ModelError, match="'pin' is on link 'body', which does not move"):
        RobotModel.from_urdf(LEG, base="fixed", contact_points={"pin": {"link": "body"}})


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(40, 200))
def test_no_ground_is_deeper_in_a_thinned_mesh_than_its_note_says(seed, count):
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(count, 3)) * rng.uniform(0.01, 0.3, size=3)
    points = [ContactPoint(f"p{k}", 0, corner, 0.0, "cover", 0, mesh=True) for k, corner in enumerate(corners)]
    kept, notes = reduced_points(points, [-1])
    bound = 1e-3 * float(re.search(r"within cover (\d+) mm", notes[0])[1])
    directions = rng.normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    lowest = (corners @ directions.T).min(axis=0)
    touching = (np.array([point.position for point in kept]) @ directions.T).min(axis=0)
    assert len(kept) == ENDS
    assert (touching - lowest).max() <= bound


def test_points_are_asked_for_by_name_by_link_and_as_soles():
    """A biped stands on the lower corners of its box feet; names keep the robot's order and count once."""
    robot = RobotModel.from_urdf(biped())
    own = dict(zip(robot.contact_names, robot.contact_links, strict=True))
    links = {own[foot] for foot in robot.feet}
    assert [list(map(own.get, robot.sole_points)).count(link) for link in links] == [4, 4]
    assert robot.points_of(["feet", robot.feet[0]]) == robot.sole_points
    assert robot.points_of(["chest", robot.feet[1]]) == tuple(n for n in own if own[n] == "chest" or n == robot.feet[1])
    with pytest.raises(ModelError, match="no contact point or link is called 'fete'.*feet"):
        robot.points_of(["fete"])


def test_covers_that_were_thinned_are_told_together_the_coarsest_first():
    """Humanoids have dozens of them, and a line for each hides what else was guessed."""
    rng = np.random.default_rng(0)
    points = [
        ContactPoint(f"p{body}_{k}", body, 0.1 * (body + 1) * corner, 0.0, f"cover_{body}", body, mesh=True)
        for body in range(6)
        for k, corner in enumerate(rng.normal(size=(60, 3)))
    ]
    _, notes = reduced_points(points, [-1, 0, 1, 2, 3, 4])
    assert len(notes) == 2  # the last body is an end
    assert re.search(
        r"a body 12 corners, .*: within cover_4 \d+ mm, cover_3 .*, cover_1 \d+ mm, less for 1 more", notes[0]
    )
    assert "a body 32 corners" in notes[1]


@pytest.mark.parametrize("far", [1e6, 1e30, 1e300])
def test_a_shape_far_away_is_refused_not_solved(tmp_path, far):
    """As a mesh of which a byte is lost: its vertices made legs singular."""
    path = tmp_path / "leg.urdf"
    (tmp_path / "far.obj").write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {far}\n")
    for shape in ('<mesh filename="far.obj"/>', f'<sphere radius="{far}"/>'):
        path.write_text(leg_shape(shape))
        with pytest.raises(ModelError, match=r"link 'foot': collision .* reaches .* m; expected less than 100000"):
            RobotModel.from_urdf(path)


@pytest.mark.parametrize("name", ["quadruped12", "quadruped16"])
def test_a_packaged_quadruped_can_hang_from_a_fixed_base(name):
    """Points of its trunk, which its sidecar names, are left out: the trunk does not move."""
    free, hung = RobotModel.from_urdf(name), RobotModel.from_urdf(name, base="fixed")
    assert hung.nv == free.nv - 6
    of_links = dict(zip(free.contact_names, free.contact_links, strict=True))
    left_out = set(free.contact_names) - set(hung.contact_names)
    assert left_out == {name for name, link in of_links.items() if link == free.link_names[0]}
