"""Compile what the tests run, ours and the model of `contact/other_package`, in one process: ``make test`` begins so.

Compiled one by one, as tests come to need them, kernels take more processor time: each begins from nothing.
"""

import sys
from pathlib import Path

from legged_contact_sim.app.cli import main

sys.path.append(str(Path(__file__).resolve().parent / "contact"))
from other_models import install

if __name__ == "__main__":
    install()
    main(["compile"])
