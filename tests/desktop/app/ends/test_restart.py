"""Tests of restarting in another language."""

import json
import os
from pathlib import Path

import pytest

from tests.desktop.app.ends.restarting_program import FILTER, TABLE
from tests.desktop.app.processes import STRICT_PYTHON, add_demo, complaints, program
from tests.desktop.app.services import service

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there the restarted program is another process")


def test_the_demo_comes_back_in_german(tmp_path: Path) -> None:
    """With its data, page, query and event, and the unsaved edit of HEAD, which nobody has to restore."""
    add_demo(tmp_path)
    report = _restart(tmp_path, "--demo")
    assert str(report.pop("title")).startswith("Museum")
    assert report == _expected


def test_a_service_comes_back_without_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The password that was given for the first start is used again, and not passed to other programs."""
    monkeypatch.setenv("CDB_PASSWORD", "admin")
    with service(tmp_path) as running:
        report = _restart(tmp_path, "--server", running.url, "--login", "root")
    assert "Root" in str(report.pop("title"))
    assert report == _expected


_expected = {
    "language": "de",
    "qt": "Strg",
    "page": "settings",
    "page_before": "schema",
    "filters": [FILTER],
    "is_selected": True,
    "table": TABLE,
    "password": False,
}


def _restart(home: Path, *arguments: str) -> dict[str, object]:
    command = (*STRICT_PYTHON, "-m", "tests.desktop.app.ends.restarting_program", *arguments)
    with program(home, *command) as process:
        out, err = process.communicate()
    assert (process.returncode, complaints(err)) == (0, "")
    report: dict[str, object] = json.loads(out)
    return report
