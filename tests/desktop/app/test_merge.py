"""Tests of `cdb-desktop merge`, run as a process, also by Git as a merge driver."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.app.processes import environment
from tests.desktop.schema.models import exported_text, museum_export

_COMMAND = (sys.executable, "-m", "cdb_desktop", "merge")
# A module that is registered, to be loaded when it is used, has another type.
_WITHOUT_QT = """
import sys
from types import ModuleType
from cdb_desktop.__main__ import main
code = main()
loaded = [name for name, module in sys.modules.items() if type(module) is ModuleType]
assert not [name for name in loaded if name.startswith(("PySide6", "qasync", "httpx"))]
sys.exit(code)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three versions: they add a column, I rename a table; both change a type in ``other.json``."""
    versions = {name: museum_export() for name in ("base", "mine", "theirs", "other")}
    _tables(versions["mine"])["picture"]["name"] = "photo"
    _tables(versions["mine"])["person"]["columns"][1]["type"] = "datetime"
    _tables(versions["theirs"])["place"]["columns"].append(
        {"kind": "column", "name": "country", "type": "text", "column_id": 21}
    )
    _tables(versions["other"])["person"]["columns"][1]["type"] = "daterange"
    for name, export in versions.items():
        (tmp_path / f"{name}.json").write_text(exported_text(export), encoding="utf-8")
    return tmp_path


def _tables(export: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {table["name"]: table for table in export["schema"]["tables"]}


def _run(
    folder: Path, *arguments: str, command: tuple[str, ...] = _COMMAND
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=environment(folder / "home"),
        capture_output=True,
        text=True,
        check=False,
    )


def test_versions_that_fit_are_merged_without_qt(folder: Path) -> None:
    """The exit code is 0, and nothing is printed."""
    done = _run(
        folder,
        *("merge", "base.json", "mine.json", "theirs.json", "-o", "out.json"),
        command=(sys.executable, "-c", _WITHOUT_QT),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    merged = _tables(json.loads((folder / "out.json").read_text(encoding="utf-8")))
    assert merged["place"]["columns"][-1]["name"] == "country"
    assert "photo" in merged


def test_conflicts_are_reported_and_mine_is_written(folder: Path) -> None:
    """The exit code is 1; the report as JSON has the results of both choices."""
    done = _run(folder, "base.json", "mine.json", "other.json", "-o", "out.json", "--report", "-")
    assert done.returncode == 1
    assert "out.json: 1 conflict; the result has my values" in done.stderr
    assert "person.born: Type" in done.stderr
    assert "theirs: daterange" in done.stderr
    report = json.loads(done.stdout)
    assert [one["result_of_theirs"] for one in report["conflicts"]] == ["Type: daterange"]
    assert (report["their_changes"], report["my_changes"], report["problems"]) == (1, 2, [])
    merged = _tables(json.loads((folder / "out.json").read_text(encoding="utf-8")))
    assert merged["person"]["columns"][1]["type"] == "datetime"


def test_changes_that_are_invalid_together_are_reported(folder: Path) -> None:
    """They make a text a number, I give it a length: no conflict, but the exit code is 1."""
    for name, options in (("mine", {"length_max": 9}), ("other", {"type": "boolean"})):
        export = museum_export()
        _tables(export)["work"]["columns"][0].update(options)
        (folder / f"{name}.json").write_text(exported_text(export), encoding="utf-8")
    done = _run(folder, "base.json", "mine.json", "other.json", "-o", "out.json")
    assert done.returncode == 1
    assert "work.title is not a text, so it has no length." in done.stderr


@pytest.mark.parametrize(("content", "reason"), [(b"{", "JSON"), (None, "No such file")])
def test_unreadable_versions_leave_the_output(folder: Path, content: bytes | None, reason: str) -> None:
    """The exit code is 2, and nothing is written."""
    if content is not None:
        (folder / "bad.json").write_bytes(content)
    done = _run(folder, "base.json", "mine.json", "bad.json", "-o", "mine.json")
    assert done.returncode == 2
    assert "bad.json: " in done.stderr
    assert reason in done.stderr
    assert "photo" in (folder / "mine.json").read_text(encoding="utf-8")


def test_git_merges_branches_with_it(folder: Path) -> None:
    """Two branches add a table with the same id, which a merge of lines could not resolve."""
    repository = folder / "repository"
    driver = f'"{sys.executable}" -m cdb_desktop merge %O %A %B -o %A --name %P'
    repository.mkdir()
    _git(repository, "init", "-q", "-b", "main")
    _git(repository, "config", "merge.cdb-model.driver", driver)
    (repository / ".gitattributes").write_text("*.json merge=cdb-model\n")
    _commit(repository, museum_export(), "base")
    for branch in ("one", "two"):
        _git(repository, "checkout", "-q", "-b", branch, "main")
        export = museum_export()
        new = {"kind": "column", "name": "title", "type": "text", "column_id": 21}
        export["schema"]["tables"].append({"table_id": 10, "name": f"table_{branch}", "columns": [new]})
        _commit(repository, export, branch)
    _git(repository, "merge", "-q", "-m", "both", "one")
    merged = _tables(json.loads((repository / "model.json").read_text(encoding="utf-8")))
    assert [merged[name]["table_id"] for name in ("table_one", "table_two")] == [10, 11]
    ids = [merged[name]["columns"][0]["column_id"] for name in ("table_one", "table_two")]
    assert ids == [21, 22]


def _commit(repository: Path, export: dict[str, Any], text: str) -> None:
    (repository / "model.json").write_text(exported_text(export), encoding="utf-8")
    _git(repository, "add", ".")
    _git(repository, "commit", "-q", "-m", text)


def _git(repository: Path, *arguments: str) -> None:
    user = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    home = environment(repository.parent / "home")
    subprocess.run(["git", *user, *arguments], cwd=repository, env=home, check=True, capture_output=True)
