"""Tests of the simulator use the small robots of the contact tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "contact"))
