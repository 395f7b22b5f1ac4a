"""Tests of reverting a commit: what cannot return, the step of the draft, conflicts, and rights."""

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QTreeWidgetItem

from cdb_desktop.client import Client
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.schema.compare.revert_controller import RevertCommitDialog
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from cdb_desktop.ui.widgets.files import short_path
from tests.desktop.patience import until
from tests.desktop.schema.models import named
from tests.desktop.ui.finding import awaited_child, child_of
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service

_NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


async def test_a_commit_is_reverted(bench: Bench, own: Service) -> None:
    """Other changes of HEAD stay; later changes of the same elements are decided in the dialog of merges."""
    copy = await _keep_copy(bench, own.url)
    async with bench.signed_in(own.url, "root", "admin") as controller:
        dialog = await _opened(bench)
        assert dialog.version.currentText().startswith("CURRENT v3")
        texts = _texts(dialog)
        assert texts[:2] == [
            "Cannot return",
            "Column work.card_number returns without values  ·  42 values",
        ]
        assert texts[2].startswith("The inverse: 2 tables removed, 1 column added, 2 columns removed")
        assert "−  Column work.on_display removed  ·  values entered since are lost" in texts
        assert short_path(copy) in dialog._copy.text()
        assert dialog.height() <= 660
        await until(lambda: "committed by" in dialog.version.currentText())
        changes = len(_changes(controller))
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        await until(lambda: "inverse of version 3" in bench.view.notice.text)
        assert "card_number" in _columns(controller, "work")
        assert "on_display" not in _columns(controller, "work")
        assert len(_changes(controller)) > changes
        undo = bench.actions["schema_undo"]
        assert undo.text() == "&Undo: Revert commit v3"
        assert bench.view.notice.isVisibleTo(bench.view)
        undo.trigger()
        assert len(_changes(controller)) == changes
        assert not bench.view.notice.isVisibleTo(bench.view)
        tour = named(_document(controller), "tour").key
        controller.store.apply(AddColumn(tour, "guide", "text", 0))
        await _decide_conflict(bench, controller)


async def _decide_conflict(bench: Bench, controller: SchemaController) -> None:
    """The table that the inverse removes has a new column in the draft; it stays if mine is chosen."""
    dialog = await _opened(bench)
    dialog.accept_button.click()
    merge = await awaited_child(bench.view, MergeDialog)
    assert "“Theirs” is its inverse" in merge.text
    assert not merge.accept_button.isEnabled()
    mine = child_of(merge, QPushButton, "schema.merge.all.mine")
    mine.click()
    await until(merge.accept_button.isEnabled)
    merge.accept_button.click()
    await until(lambda: "card_number" in _columns(controller, "work"))
    assert "guide" in _columns(controller, "tour")


async def test_without_an_earlier_version_there_is_nothing_to_revert(bench: Bench) -> None:
    """The action says so; the museum of this test is version 7 of a service that does not answer."""
    async with bench.with_museum() as controller:
        assert bench.actions["schema_revert"].isEnabled()
        controller.store.set_busy(busy=True)
        assert not bench.actions["schema_revert"].isEnabled()


async def _keep_copy(bench: Bench, url: str) -> Path:
    """A copy as it is made before version 3 is committed."""
    step = {
        "action": "drop_column",
        "table_id": 1,
        "table": "work",
        "column": "card_number",
        "stake": {"rows": 50, "values": 42},
    }
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        before, after = await client.schema(2), await client.schema(3)
        work = next(table for table in _objects(before["tables"]) if table["name"] == "work")
        columns = {one.get("name"): one.get("column_id") for one in _objects(work["columns"])}
        step |= {"table_id": work["table_id"], "column_id": columns["card_number"]}
        copies = LocalStore(Path(bench.settings.fileName()).parent / "schema", client.address).safety_copies
    return copies.keep(after, before, {"steps": [step]}, _NOW)


def _objects(value: object) -> list[dict[str, object]]:
    assert isinstance(value, list)
    return value


async def _opened(bench: Bench) -> RevertCommitDialog:
    bench.actions["schema_revert"].trigger()
    await until(lambda: any(one.shown for one in bench.view.findChildren(RevertCommitDialog)))
    return next(one for one in bench.view.findChildren(RevertCommitDialog) if one.shown)


def _document(controller: SchemaController) -> Document:
    return controller.store.page.editing.document


def _changes(controller: SchemaController) -> tuple[object, ...]:
    return controller.store.page.editing.changes


def _columns(controller: SchemaController, table: str) -> list[str]:
    return [column.name for column in named(_document(controller), table).columns]


def _texts(dialog: RevertCommitDialog) -> list[str]:
    tree = dialog.effects
    groups = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    found: list[str] = []
    for group in groups:
        assert isinstance(group, QTreeWidgetItem)
        children = [group.child(at) for at in range(group.childCount())]
        found += [group.text(0), *(child.text(0) for child in children if child is not None)]
    return found
