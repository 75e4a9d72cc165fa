"""Build the wheel, install it with extras into an empty environment, and do there what the checkout does.

Everything comes from the package index, so this takes minutes: `make test-wheel`, not a part of `make test`.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIALS = (
    ("robots",),
    ("view", "quadruped12", "--port", "0", "--duration", "3"),
    ("interfaces",),
    ("doctor",),
    ("run", "quadruped_stand", "--duration", "0.2"),
)


def call(*command: object, **options: object) -> None:
    """Run a command and end with its status if it fails."""
    words = [str(word) for word in command]
    print("==", *words, flush=True)
    status = subprocess.run(words, **options).returncode  # type: ignore[call-overload]
    if status:
        sys.exit(status)


def main() -> None:
    """Try the wheel."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        call(sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "env", with_pip=True)
        python, program = folder / "env/bin/python", folder / "env/bin/legged-contact-sim"
        call(python, "-m", "pip", "-q", "install", f"{wheel}[ros,viewer]")
        clean = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ} | {"ROS_DOMAIN_ID": "97"}
        for words in TRIALS:
            call(program, *words, cwd=folder, env=clean)
    print("the wheel does what the checkout does")


if __name__ == "__main__":
    main()
