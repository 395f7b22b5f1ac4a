"""Tests of the window that compares versions: choices, filters, Reveal, Revert, authors and reports."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton, QTreeWidgetItem

from cdb_desktop.schema.diff.compare import ChangeKind, Risk
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.edits.columns import RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import SetTableOptions, remove_column, remove_table
from cdb_desktop.ui.schema.compare.controller import VersionComparisonDialog
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PERSON_BORN, PERSON_NAME, PLACE, TITLE, WORK, opened
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service
from tests.server import both_generations

_NAME = ColumnRef(PERSON, PERSON_NAME)


async def test_changes_are_listed_filtered_revealed_and_reverted(bench: Bench) -> None:
    """With pointer and keyboard; each revert is one step, and the list follows the draft.

    The dialog is not higher or wider than a window of 1024×680 allows.
    """
    async with bench.with_museum() as controller:
        controller.store.apply(RenameColumn(_NAME, "surname"))
        controller.store.apply(SetColumnOptions(ColumnRef(WORK, TITLE), {"length_max": 9}))
        controller.store.apply(remove_column(ColumnRef(PERSON, PERSON_BORN), dependents=True))
        dialog = await _opened(bench)
        assert dialog.minimumSizeHint().width() <= 1000
        assert dialog.height() <= 660
        assert _rows(dialog) == [
            ["→  Column person.name renamed to surname", "name", "surname", ""],
            ["−  Column person.born removed", "born", "", "values are lost"],
            ["~  work.title: “Maximum length” set to 9", "", "9", "may fail where values do not fit"],
        ]
        dialog.risk.decided.emit(_chosen(dialog, "risk", Risk.DESTROYING))
        assert [row[1] for row in _rows(dialog)] == ["born"]
        dialog.accept_button.click()
        await until(lambda: _rows(dialog) == [])
        dialog.risk.decided.emit(_chosen(dialog, "risk", None))
        assert len(_rows(dialog)) == 2
        _button(dialog, "reveal").click()
        assert controller.store.page.selection == _NAME
        dialog.kind.decided.emit(_chosen(dialog, "kind", ChangeKind.OPTION))
        dialog.accept_button.click()
        dialog.kind.decided.emit(_chosen(dialog, "kind", None))
        await until(lambda: len(_rows(dialog)) == 1)
        bench.actions["schema_undo"].trigger()
        await until(lambda: len(_rows(dialog)) == 2)
        _button(dialog, "swap").click()
        await until(lambda: _rows(dialog)[0][1:3] == ["surname", "name"])
        assert not dialog.accept_button.isEnabled()
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()


async def test_several_changes_are_reverted_in_one_step(bench: Bench) -> None:
    """Those of a table by its row, or all; undo brings all of them back."""
    async with bench.with_museum() as controller:
        controller.store.apply(RenameColumn(_NAME, "surname"))
        controller.store.apply(remove_table(PLACE, dependents=True))
        controller.store.apply(SetTableOptions(WORK, {"comment": "all works"}))
        dialog = await _opened(bench)
        count = len(_rows(dialog))
        dialog.changes.setFocus()
        dialog.changes.selectAll()
        assert dialog.accept_button.text() == f"Revert {count} changes"
        dialog.accept_button.click()
        await until(lambda: _rows(dialog) == [])
        bench.actions["schema_undo"].trigger()
        await until(lambda: len(_rows(dialog)) == count)
        dialog.changes.clearSelection()
        group = dialog.changes.topLevelItem(0)
        assert group is not None
        assert group.text(0) == "person · 1"
        group.setSelected(True)
        assert dialog.accept_button.text() == "Revert the change"
        dialog.accept_button.click()
        await until(lambda: len(_rows(dialog)) == count - 1)
        dialog.close()


async def test_reports_are_written(bench: Bench, tmp_path: Path) -> None:
    """As a page or as Markdown, by the name of the file; the dialog proposes a name."""
    async with bench.with_museum() as controller:
        controller.store.apply(SetTableOptions(WORK, {"comment": "all works"}))
        dialog = await _opened(bench)
        for name, start in (("review.html", "<!DOCTYPE html>"), ("review.md", "# Data model")):
            _button(dialog, "report").click()
            chooser = child_of(dialog, QFileDialog, "schema.compare.report.dialog")
            chooser.fileSelected.emit(str(tmp_path / name))
            chooser.close()
            chooser.setObjectName("")
            await until((tmp_path / name).exists)
            text = (tmp_path / name).read_text(encoding="utf-8")
            assert text.startswith(start)
            assert "all works" in text


async def test_a_file_is_compared(bench: Bench, tmp_path: Path) -> None:
    """A file that is no model is reported in the window."""
    file, bad = tmp_path / "model.json", tmp_path / "bad.json"
    file.write_text(json.dumps(write_document(RenameColumn(_NAME, "in_file").apply_to(opened()))), "utf-8")
    bad.write_text("{", "utf-8")
    async with bench.with_museum() as controller:
        controller.store.apply(RenameColumn(_NAME, "surname"))
        dialog = await _opened(bench)
        bench.actions["schema_undo"].trigger()
        await until(lambda: _rows(dialog) == [])
        assert dialog.counts.text() == "No differences."
        for path in (bad, file):
            dialog.old.decided.emit(None)
            dialog.pair_chosen.emit("file", "draft")
            chooser = child_of(dialog, QFileDialog, "schema.compare.dialog")
            chooser.fileSelected.emit(str(path))
            chooser.close()
            chooser.setObjectName("")
            if path is bad:
                await until(lambda: "bad.json is no data model" in dialog.fault)
        await until(lambda: bool(_rows(dialog)))
        assert _rows(dialog)[0][1:3] == ["in_file", "name"]
        assert dialog.accept_button.text() == "Take over the change"
        dialog.accept_button.click()
        await until(lambda: _rows(dialog) == [])
        assert controller.store.page.document.by_key[PERSON].by_key[PERSON_NAME].name == "in_file"


@both_generations
async def test_committed_versions_have_author_and_time(
    bench: Bench, reference_servers: Callable[[int], str], generation: int
) -> None:
    """From the events of commits (§4.8)."""
    async with bench.signed_in(reference_servers(generation), "root", "admin"):
        dialog = await _opened(bench)
        assert dialog.review is not None
        assert dialog.old.currentText() == "CURRENT v3"
        assert len(dialog.review.changes) == 5
        await until(lambda: "committed by" in dialog.notes.text())
        dialog.pair_chosen.emit(1, 2)
        await until(lambda: dialog.review is not None and dialog.review.new_name == "v2")
        assert dialog.notes.text().count("committed by") == 2
        assert not dialog.accept_button.isEnabled()
        dialog.close()


@pytest.mark.generation5("a commit asks nothing")
async def test_without_changes_the_last_two_versions_are_compared(bench: Bench, own: Service) -> None:
    """As after a commit; with unsaved changes CURRENT and the draft are."""
    async with bench.signed_in(own.url, "root", "admin") as controller:
        await controller._client.commit_schema()
        controller.load()
        await until(lambda: _current(controller) == 4)
        dialog = await _opened(bench)
        assert (dialog.old.currentText(), dialog.new.currentText()) == ("v3", "CURRENT v4")
        assert dialog.review is not None
        assert len(dialog.review.changes) == 5
        dialog.close()
        bench.actions["table_new"].trigger()
        dialog = await _opened(bench)
        assert (dialog.old.currentText(), dialog.new.currentText()) == ("CURRENT v4", "HEAD, as shown")


def _current(controller: SchemaController) -> int | None:
    return controller.store.page.current_version


async def _opened(bench: Bench) -> VersionComparisonDialog:
    bench.actions["schema_compare"].trigger()
    await until(
        lambda: any(
            one.isVisible() and one.review for one in bench.view.findChildren(VersionComparisonDialog)
        )
    )
    return next(one for one in bench.view.findChildren(VersionComparisonDialog) if one.isVisible())


def _rows(dialog: VersionComparisonDialog) -> list[list[str]]:
    tree = dialog.changes
    groups = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    items: list[QTreeWidgetItem | None] = [
        group.child(at) for group in groups if group is not None for at in range(group.childCount())
    ]
    return [[one.text(column) for column in range(4)] for one in items if one is not None]


def _chosen(dialog: VersionComparisonDialog, name: str, value: object) -> object:
    field = dialog.risk if name == "risk" else dialog.kind
    field.setCurrentIndex(next(at for at in range(field.count()) if field.itemData(at) == value))
    return value


def _button(dialog: VersionComparisonDialog, name: str) -> QPushButton:
    return child_of(dialog, QPushButton, f"schema.compare.{name}")
