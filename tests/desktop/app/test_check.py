"""Tests of ``cdb-desktop check`` as CI runs it: output and exit code."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cdb_desktop.app import check
from cdb_desktop.app.options import CheckOptions, parse_check_options
from tests.desktop.schema.models import exported_text, museum, museum_export


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The museum as a service exports it."""
    path = tmp_path / "model.json"
    path.write_text(exported_text(museum_export()), encoding="utf-8")
    return path


def test_the_command_ends_with_an_exit_code_and_loads_no_qt(tmp_path: Path, model: Path) -> None:
    """0 for a valid model, 1 for a violation, each on a line with the file."""
    policy = tmp_path / "policy.toml"
    policy.write_text('comments = ["tables"]')
    script = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('PySide6' in sys.modules))\n"
        "from cdb_desktop.__main__ import main\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", script, "check", str(model), "--policy", str(policy)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert lines[0] == f"{model}: policy: person needs a comment."
    assert lines[-1] == "False"


def test_a_valid_model_is_silent(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hints are written only if they are wanted, and fail then."""
    assert check.run(CheckOptions(str(model))) == 0
    assert capsys.readouterr().out == ""
    assert check.run(CheckOptions(str(model), hints=True, json=True)) == 1
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first.keys() == {"severity", "code", "element", "message"}
    assert first["severity"] == "hint"


def test_errors_and_drops_are_found(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The base is the model before."""
    raw = museum()
    raw["tables"] = [each for each in raw["tables"] if each["name"] != "place"]
    after, policy = tmp_path / "after.json", tmp_path / "policy.json"
    after.write_text(json.dumps(raw))
    policy.write_text('{"no_drops": true}')
    assert check.run(CheckOptions(str(after), str(policy), str(model))) == 1
    out = capsys.readouterr().out
    assert "error: work.origin links to a table that is not there." in out
    assert "policy: " in out
    assert "place" in out


@pytest.mark.parametrize("wrong", ["file", "policy", "base"])
def test_files_that_cannot_be_read_end_it_with_2(
    tmp_path: Path, model: Path, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text names the file."""
    other = tmp_path / "other.toml"
    other.write_text("[" * 5000)
    options = replace(CheckOptions(str(model)), **{wrong: str(other)})  # type: ignore[arg-type]
    assert check.run(options) == 2
    assert capsys.readouterr().err.startswith("cdb-desktop check: ")
    assert check.run(CheckOptions(str(tmp_path / "missing.json"))) == 2
    assert "missing.json" in capsys.readouterr().err


def test_arguments() -> None:
    """The file is required."""
    given = parse_check_options(["a.json", "--policy", "p.toml", "--base", "b.json", "--hints"])
    assert given == CheckOptions("a.json", "p.toml", "b.json", hints=True)
    with pytest.raises(SystemExit) as ended:
        parse_check_options([])
    assert ended.value.code == 2
