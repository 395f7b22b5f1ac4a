"""Tests that the program ends cleanly in any state: exit code 0, nothing on stderr, and no process left."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.desktop.app.ends.ending_program import STATES
from tests.desktop.app.processes import STRICT_PYTHON, add_demo, complaints, environment

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked")


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(len(STATES), marks=pytest.mark.timeout(600)),
        pytest.param(512, marks=[pytest.mark.long, pytest.mark.timeout(7200)]),
    ],
)
def test_normal_ends(tmp_path: Path, count: int) -> None:
    """While loading, exporting and committing and after copying: by the window, by keys and by signals."""
    add_demo(tmp_path)
    command = (*STRICT_PYTHON, "-m", "tests.desktop.app.ends.ending_program", str(tmp_path), str(count), "1")
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=True)
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ends) == count
    wrong = [end for end in ends if end["code"] or not end["alone"] or complaints(end["errors"])]
    assert "\n".join(map(str, wrong)) == ""
