"""The import contracts hold, and a deliberate violation of each is detected."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.sources import PROGRAMS, ROOT

# Contract name -> (file, line that breaks it)
VIOLATIONS = {
    "desktop, downwards only": ("cdb_desktop/client/errors.py", "import cdb_desktop.vocabulary"),
    "inside ui, downwards only; pages do not import one another": (
        "cdb_desktop/ui/events/view.py",
        "import cdb_desktop.ui.live",
    ),
    "inside the schema page, downwards only": (
        "cdb_desktop/ui/schema/page/state.py",
        "import cdb_desktop.ui.schema.view",
    ),
    "inside the shell, downwards only": (
        "cdb_desktop/ui/shell/header.py",
        "import cdb_desktop.ui.shell.main_window",
    ),
    "inside the client, downwards only": (
        "cdb_desktop/client/calls.py",
        "import cdb_desktop.client.transport",
    ),
    "inside the vocabulary, downwards only": (
        "cdb_desktop/vocabulary/times.py",
        "import cdb_desktop.vocabulary.pattern",
    ),
    "inside the embedded server, downwards only": (
        "cdb_desktop/embedded/child.py",
        "import cdb_desktop.embedded.server",
    ),
    "inside the widgets, downwards only": (
        "cdb_desktop/ui/widgets/labels.py",
        "import cdb_desktop.ui.widgets.notice",
    ),
    "inside the event table, downwards only": (
        "cdb_desktop/ui/widgets/event_table/columns.py",
        "import cdb_desktop.ui.widgets.event_table.table",
    ),
    "inside the theme, downwards only": (
        "cdb_desktop/ui/theme/tokens.py",
        "import cdb_desktop.ui.theme.colors",
    ),
    "inside events, downwards only": ("cdb_desktop/events/result.py", "import cdb_desktop.events.counts"),
    "inside events' export, downwards only": (
        "cdb_desktop/events/export/csv_page.py",
        "import cdb_desktop.events.export.options",
    ),
    "inside live, downwards only": ("cdb_desktop/live/feed.py", "import cdb_desktop.live.log_follower"),
    "inside queries, downwards only": ("cdb_desktop/queries/query.py", "import cdb_desktop.queries.history"),
    "inside ui's live, downwards only": (
        "cdb_desktop/ui/live/feed_model.py",
        "import cdb_desktop.ui.live.controller",
    ),
    "inside app, downwards only": ("cdb_desktop/app/folders.py", "import cdb_desktop.app.page_loader"),
    "inside app's connection, downwards only": (
        "cdb_desktop/app/connection/store.py",
        "import cdb_desktop.app.connection.session",
    ),
    "inside the event browser, downwards only; features do not know one another": (
        "cdb_desktop/ui/events/overview/controller.py",
        "import cdb_desktop.ui.events.export",
    ),
    "inside the export of events, downwards only": (
        "cdb_desktop/ui/events/export/messages.py",
        "import cdb_desktop.ui.events.export.dialogs",
    ),
    "inside schema, downwards only": (
        "cdb_desktop/schema/document/names.py",
        "import cdb_desktop.schema.edits.edit",
    ),
    "inside schema's document, downwards only": (
        "cdb_desktop/schema/document/element_ref.py",
        "import cdb_desktop.schema.document.model",
    ),
    "inside schema's edits, downwards only": (
        "cdb_desktop/schema/edits/edit.py",
        "import cdb_desktop.schema.edits.tables",
    ),
    "inside schema's checks, downwards only": (
        "cdb_desktop/schema/checks/validation.py",
        "import cdb_desktop.schema.checks.lint",
    ),
    "inside schema's merge, downwards only": (
        "cdb_desktop/schema/merge/matching.py",
        "import cdb_desktop.schema.merge.merge",
    ),
    "inside schema's diagram, downwards only": (
        "cdb_desktop/schema/diagram/model.py",
        "import cdb_desktop.schema.diagram.placement",
    ),
    "inside schema's dictionary, downwards only": (
        "cdb_desktop/schema/dictionary/contents.py",
        "import cdb_desktop.schema.dictionary.markdown",
    ),
    "inside schema's exchange, downwards only": (
        "cdb_desktop/schema/exchange/relational.py",
        "import cdb_desktop.schema.exchange.sql",
    ),
    "inside schema's diff, downwards only": (
        "cdb_desktop/schema/diff/matching.py",
        "import cdb_desktop.schema.diff.apply",
    ),
    "server, downwards only": ("server_stub/database/tables.py", "import server_stub.events"),
    "inside the conformance checks, downwards only": (
        "server_stub/conformance/client.py",
        "import server_stub.conformance.report",
    ),
    "the conformance checks are a reading of the contract of their own": (
        "server_stub/conformance/expectations.py",
        "import server_stub.accounts",
    ),
    "inside the server's schema, downwards only": (
        "server_stub/schema/document/model.py",
        "import server_stub.schema.validation",
    ),
    "inside the server's backup, downwards only": (
        "server_stub/backup/contents.py",
        "import server_stub.backup.transfer",
    ),
    "the two programs share data, never code": (
        "server_stub/foundation/times.py",
        "import cdb_desktop.client.errors",
    ),
    "no circle at any depth": ("server_stub/events/record.py", "import server_stub.events.log"),
    "Qt only in ui and app": ("cdb_desktop/vocabulary/times.py", "import PySide6.QtCore"),
    "the loop's library only in app": ("cdb_desktop/ui/tasks.py", "import qasync"),
    "httpx only in the client": ("cdb_desktop/events/result.py", "import httpx"),
    "HTTP only in http and process": ("server_stub/events/log.py", "import starlette"),
}


def test_all_contracts_hold() -> None:
    """The sources satisfy all import contracts."""
    done = _lint(ROOT)
    assert done.returncode == 0, done.stdout


def test_every_contract_can_fail(tmp_path: Path) -> None:
    """In a copy of the sources with one violation of each, every contract is broken."""
    for folder in PROGRAMS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, line in VIOLATIONS.values():
        broken = tmp_path / file
        broken.write_text(f"{broken.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    report = _lint(tmp_path).stdout
    kept = [name for name in VIOLATIONS if f"{name} BROKEN" not in report]
    assert kept == []


def test_every_contract_has_a_violation() -> None:
    """Every contract has a violation in this module."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]}
    assert names == set(VIOLATIONS)


@pytest.mark.parametrize("folder", PROGRAMS)
def test_a_new_package_must_be_placed(tmp_path: Path, folder: str) -> None:
    """A package that is not in any layer is refused."""
    for program in PROGRAMS:
        shutil.copytree(ROOT / program, tmp_path / program, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / folder / "attic").mkdir()
    (tmp_path / folder / "attic" / "__init__.py").write_text('"""Unplaced."""\n')
    done = _lint(tmp_path)
    assert done.returncode != 0
    assert "attic" in done.stdout


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=100)
