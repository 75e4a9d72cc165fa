"""`legged-contact-sim inspect`: what it says about robots that are fine, and about those that are not."""

import pytest
from walkers import quadruped

from legged_contact_sim.app.cli import main
from legged_contact_sim.model import RobotModel
from legged_contact_sim.model.inspection import doubts


def inspected(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["inspect", *map(str, arguments)])
    return ended.value.code, capsys.readouterr()


def test_it_says_how_a_robot_stands_and_draws_it(tmp_path, capsys):
    path, picture = tmp_path / "dog.urdf", tmp_path / "dog.png"
    path.write_text(quadruped())
    status, said = inspected(capsys, path, "-o", picture, "--points", "--feet", "FL_foot,FR_foot,RL_foot,RR_foot")
    assert status == 0
    for part in ("12 kg, 12 joints", "foot FL_foot (radius 20.0 mm): FL_hip_joint", "found: feet under the hips"):
        assert part in said.out
    assert said.out.count("point ") == 8 + 4 * 9
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_robot_that_cannot_be_read_is_one_line(tmp_path, capsys):
    status, said = inspected(capsys, tmp_path / "nobody.urdf")
    assert status == 1
    assert said.err.count("\n") == 1
    assert "nobody.urdf: no such robot" in said.err


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        (quadruped(), "link 'trunk' has equal moments of inertia"),
        (quadruped(("-2.7", "-0.6", "0.5")), "'FL_calf_joint' needs .* to stand; its effort limit is 0.5"),
        (quadruped(("0", "0", "40")), "'FL_calf_joint' cannot move"),
        (quadruped().replace('effort="40"', 'effort="0"'), "12 joints have no effort limit"),
        (quadruped().replace("<collision", "<nothing").replace("</collision", "</nothing"), "it has no feet"),
    ],
)
@pytest.mark.filterwarnings("ignore::legged_contact_sim.errors.ModelWarning")
def test_what_looks_wrong_is_told(text, culprit):
    found = " ".join(doubts(RobotModel.from_urdf(text)))
    assert culprit.partition(" needs")[0] in found
    assert all(part in found for part in culprit.split(".*"))
