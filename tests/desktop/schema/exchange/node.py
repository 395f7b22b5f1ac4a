"""Node.js and the packages that check exports, where a machine has them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def package(name: str) -> Path:
    """The folder of an installed npm package; skips the test without Node.js or the package.

    ``NODE_PATH`` names the folder ``node_modules`` in which it is.
    """
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    for folder in os.environ.get("NODE_PATH", "").split(os.pathsep):
        if folder and (Path(folder) / name / "package.json").is_file():
            return Path(folder) / name
    pytest.skip(f"the npm package {name} is not installed: npm install {name}, and set NODE_PATH")


def run(program: str, text: str) -> str:
    """The output of a program of JavaScript that reads ``text`` on its standard input."""
    node = shutil.which("node") or ""
    done = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
