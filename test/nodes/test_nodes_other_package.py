"""Somebody else's contact model in the simulator node, by the command line, with its parameters."""

import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "contact"))
from other_models import install_by_pip


def run(environment, *settings):
    options = [word for setting in settings for word in ("-p", setting)]
    command = [sys.executable, "-m", "legged_contact_sim", "run", "quadruped_stand", "--controller", "none", *options]
    command += ["--duration", "0.2"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200.0)


def test_the_command_line_runs_it_with_its_parameters(tmp_path):
    environment = install_by_pip(tmp_path)
    done = run(environment, "contact_model:=my_ground", "contact.my_ground.stiffness:=80000.0")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "under my_ground" in said
    refused = run(environment, "contact_model:=my_ground", "contact.my_ground.dent:=2.0")
    assert refused.returncode == 1
    assert "contact.my_ground.dent" in refused.stdout + refused.stderr
