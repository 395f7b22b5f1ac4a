"""Tests of the differences in a frozen bundle, which a script with ``sys.frozen`` replaces."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdb_desktop.__main__ import _HELPERS
from cdb_desktop.events.export import table_files
from cdb_desktop.foundation import bundle as bundle_module
from cdb_desktop.foundation.bundle import (
    HELPER,
    helper_command,
    leave_libraries_to_others,
    neighbour_command,
    resource,
)
from cdb_desktop.schema.diagram.graphviz_layout import GraphvizError, find_graphviz

_GRAPHVIZ = "cdb_desktop.schema.diagram.graphviz_helper"
_DOT = b"digraph { work -> place }"
# As in a bundle, only the program's entry point handles its arguments.
_BUNDLE = """#!{python} -P
import sys
sys.frozen, sys.executable = True, __file__
from {package}.__main__ import main
sys.exit(main())
"""


def bundle(folder: Path, package: str) -> Path:
    """A program that behaves like a bundle of ``package``."""
    program = folder / f"{package}.py"
    program.write_text(_BUNDLE.format(python=sys.executable, package=package), "utf-8")
    program.chmod(0o755)
    return program


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes this process a bundle of the desktop, without a ``dot`` program."""
    program = bundle(tmp_path, "cdb_desktop")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("PATH", "")
    return program


async def test_a_bundle_runs_graphviz_in_its_own_program(frozen: Path) -> None:
    """The program is started again, and Graphviz's messages are returned in the same way."""
    assert helper_command(table_files._HELPER) == (str(frozen), HELPER, *_HELPERS.keys() - {_GRAPHVIZ})
    engine = find_graphviz()
    assert engine.command[0] == str(frozen)
    plain = await engine.run(("-Tplain",), _DOT.decode())
    assert [line.split()[1] for line in plain.decode().splitlines() if line.startswith("node")] == [
        "work",
        "place",
    ]
    with pytest.raises(GraphvizError):
        await engine.run(("-Tplain",), "no graph")


def test_a_bundle_of_the_server_runs_graphviz_in_its_own_program(tmp_path: Path) -> None:
    """It is its only helper process."""
    command = (str(bundle(tmp_path, "server_stub")), "--helper", "svg", "dot")
    done = subprocess.run(command, input=_DOT, capture_output=True, check=True, timeout=60)
    assert b"<title>work</title>" in done.stdout


def test_from_source_the_interpreter_runs_modules() -> None:
    """Files in the user's current folder do not shadow them, and the output is UTF-8."""
    options = ("-P", "-X", "utf8")
    assert helper_command("a.helper") == (sys.executable, *options, "-m", "a.helper")
    assert neighbour_command("cdb-server", "server_stub") == (sys.executable, *options, "-m", "server_stub")


def test_other_programs_use_the_libraries_of_the_system(
    frozen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bundle prepends its own; the original value is restored, or the variable removed."""
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle:/before")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/before")
    monkeypatch.setenv("LIBPATH", "/bundle")
    leave_libraries_to_others()
    assert (os.environ.get("LD_LIBRARY_PATH"), os.environ.get("LIBPATH")) == ("/before", None)
    monkeypatch.setattr(sys, "frozen", False, raising=False)
    leave_libraries_to_others()
    assert os.environ.get("LD_LIBRARY_PATH") == "/before"


def test_packaged_data_takes_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an installed or frozen program it is beside the module; else in the folder at the top."""
    monkeypatch.setattr(bundle_module, "_PACKAGE", tmp_path / "cdb_desktop")
    assert resource("errors.json") == tmp_path / "resources" / "errors.json"
    packaged = tmp_path / "cdb_desktop" / "_resources" / "errors.json"
    packaged.parent.mkdir(parents=True)
    packaged.write_text("{}")
    assert resource("errors.json") == packaged
