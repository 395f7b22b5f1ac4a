"""Tests of merges in the window: two users edit one HEAD, with and without a conflict."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidgetItem

from cdb_desktop.client import Client
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions, remove_column
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.schema.commit.head_save_controller import AdoptModelDialog
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from tests.desktop.patience import until
from tests.desktop.schema.models import column_named, named
from tests.desktop.ui.finding import awaited_child, child_of
from tests.desktop.ui.schema.conftest import Bench, is_saved
from tests.desktop.ui.schema.service import Service


async def test_two_windows_edit_one_head(bench: Bench, next_bench: Bench, own: Service) -> None:
    """The second one to save merges with the keyboard; both find all changes in HEAD (§4.7)."""
    async with (
        bench.signed_in(own.url, "modeller") as mine,
        next_bench.signed_in(own.url, "root", "admin") as theirs,
    ):
        visitors = column_named(mine.store.page.document, "exhibition", "visitors")
        theirs.store.apply(RenameColumn(visitors, "guests"))
        theirs.store.apply(AddColumn(named(theirs.store.page.document, "artist").key, "nickname", "text"))
        next_bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(theirs))
        mine.store.apply(RenameColumn(visitors, "audience"))
        mine.store.apply(AddColumn(named(mine.store.page.document, "artist").key, "homepage", "text"))
        dialog = await _merge_dialog(bench)
        assert (
            "They have made 2 changes since your work began, and you 2 changes. 1 place was changed by both"
            in dialog.text
        )
        assert _rows(dialog) == [["audience · Name", "visitors", "audience", "guests"]]
        assert not dialog.accept_button.isEnabled()
        assert _label(dialog, "theirs") == "With theirs: Name: guests"
        QTest.keyClick(dialog.conflicts, Qt.Key.Key_Right)
        await until(dialog.accept_button.isEnabled)
        assert _label(dialog, "count", "schema.merge.") == "1 of 1 decided"
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        await until(lambda: "merged with the other version" in bench.view.notice.text)
        assert _column_names(mine.store.page.document, "exhibition").count("guests") == 1
        assert not is_saved(mine)
        bench.view.notice.buttons[0].click()
        await until(lambda: is_saved(mine))
        head = await _head(own.url)
        assert _column_names(head, "artist")[-2:] == ["nickname", "homepage"]
        next_bench.actions["refresh"].trigger()
        theirs.load()
        await until(lambda: _column_names(theirs.store.page.document, "artist")[-1] == "homepage")
        assert "audience" not in _column_names(theirs.store.page.document, "exhibition")


async def test_changes_that_fit_need_no_choice(bench: Bench, own: Service) -> None:
    """The dialog lists theirs; undo returns to my work and to the HEAD that it is based on."""
    async with bench.signed_in(own.url, "modeller") as controller:
        await _save_elsewhere(own.url, "theirs")
        _rename_first(controller, "mine")
        dialog = await _merge_dialog(bench)
        assert dialog.conflicts.current_conflict is None
        assert not dialog.conflicts.isHidden()
        group = dialog.conflicts.topLevelItem(0)
        assert group is not None
        assert group.isExpanded()
        assert "Comment" in _text(group.child(0))
        dialog.accept_button.click()
        await until(lambda: _first(controller).raw.get("comment") == "theirs")
        assert _first(controller).name == "mine"
        bench.actions["schema_undo"].trigger()
        assert (_first(controller).name, _first(controller).raw.get("comment") == "theirs") == ("mine", False)
        again = await _merge_dialog(bench)
        again.cancel_button.click()
        assert _first(controller).name == "mine"
        bench.actions["schema_redo"].trigger()
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert named(await _head(own.url), "mine").raw["comment"] == "theirs"


async def test_a_click_chooses_and_buttons_choose_all(bench: Bench, own: Service) -> None:
    """A conflict that follows from a choice is added; the result is that of the chosen sides."""
    async with bench.signed_in(own.url, "modeller") as controller:
        first = _first(controller)
        column = first.columns[0]
        await _save_elsewhere(own.url, "theirs", column_name="theirs")
        controller.store.apply(SetTableOptions(first.key, {"comment": "mine"}))
        removed = column_named(controller.store.page.document, first.name, column.name)
        controller.store.apply(remove_column(removed, dependents=True))
        dialog = await _merge_dialog(bench)
        assert [row[0] for row in _rows(dialog)] == ["comment", "theirs · Removal"]
        _choice(dialog, "mine").click()
        await until(dialog.accept_button.isEnabled)
        assert column.key not in dialog.merge.document.by_key[first.key].by_key
        item = dialog.conflicts.currentItem()
        assert item is not None
        at = dialog.conflicts.visualItemRect(item)
        place = QPoint(dialog.conflicts.columnViewportPosition(3) + 20, at.center().y())
        QTest.mouseClick(dialog.conflicts.viewport(), Qt.MouseButton.LeftButton, pos=place)
        await until(lambda: dialog.merge.document.by_key[first.key].raw["comment"] == "theirs")
        _choice(dialog, "theirs").click()
        await until(lambda: column.key in dialog.merge.document.by_key[first.key].by_key)
        await until(dialog.accept_button.isEnabled)
        dialog.accept_button.click()
        await until(lambda: _first(controller).columns[0].name == "theirs")


async def test_both_versions_are_kept_as_model_files(bench: Bench, own: Service) -> None:
    """The dialog that brings a model into HEAD offers them (§4.7)."""
    async with bench.signed_in(own.url, "modeller") as controller:
        await _save_elsewhere(own.url, "theirs")
        _rename_first(controller, "mine")
        dialog = await _merge_dialog(bench)
        dialog.accept_button.click()
        await until(lambda: _first(controller).raw.get("comment") == "theirs")
        kept = LocalStore(Path(bench.settings.fileName()).parent / "schema", own.url).kept_models()
        assert {one.side for one in kept} == {"mine", "theirs"}
        bench.actions["schema_adopt"].trigger()
        chooser = await awaited_child(bench.view, AdoptModelDialog)
        assert chooser.kept.count() == 2
        assert not chooser.accept_button.isEnabled()
        rows = [chooser.kept.item(row) for row in range(2)]
        next(row for row in rows if "other side" in row.text()).setSelected(True)
        chooser.accept_button.click()
        await until(lambda: _first(controller).name != "mine")
        assert not is_saved(controller)


async def test_a_save_while_the_dialog_is_open_is_merged_next(bench: Bench, own: Service) -> None:
    """The result is only saved against the HEAD that it was merged with."""
    async with bench.signed_in(own.url, "modeller") as controller:
        await _save_elsewhere(own.url, "second")
        _rename_first(controller, "mine")
        dialog = await _merge_dialog(bench)
        await _save_elsewhere(own.url, "third")
        dialog.accept_button.click()
        await until(lambda: _first(controller).raw.get("comment") == "second")
        again = await _merge_dialog(bench, dialog)
        assert not again.merge.conflicts
        again.accept_button.click()
        await until(lambda: _first(controller).raw.get("comment") == "third")
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert named(await _head(own.url), "mine").raw["comment"] == "third"


async def test_reading_a_head_that_has_moved_offers_to_merge(bench: Bench, own: Service) -> None:
    """Unsaved work stays as it is until then."""
    async with bench.signed_in(own.url, "modeller") as controller:
        work = column_named(controller.store.page.document, "exhibition", "visitors")
        controller.store.apply(SetColumnOptions(work, {"not_null": True}))
        await _save_elsewhere(own.url, "theirs")
        controller.load()
        await until(lambda: "has saved HEAD since your unsaved work began" in bench.view.notice.text)
        bench.view.notice.buttons[0].click()
        dialog = await awaited_child(bench.view, MergeDialog)
        dialog.accept_button.click()
        await until(lambda: _first(controller).raw.get("comment") == "theirs")


def _first(controller: SchemaController) -> Table:
    return controller.store.page.document.tables[0]


def _rename_first(controller: SchemaController, name: str) -> None:
    controller.store.apply(RenameTable(_first(controller).key, name))


async def _merge_dialog(bench: Bench, last: MergeDialog | None = None) -> MergeDialog:
    """The dialog that opens after saving."""
    bench.actions["schema_save"].trigger()
    await until(lambda: any(one is not last and one.isVisible() for one in _dialogs(bench)))
    return next(one for one in _dialogs(bench) if one is not last and one.isVisible())


def _dialogs(bench: Bench) -> Sequence[MergeDialog]:
    return bench.view.findChildren(MergeDialog)


def _rows(dialog: MergeDialog) -> list[list[str]]:
    """The texts of the conflicts."""
    tree = dialog.conflicts
    groups = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    items = [group.child(at) for group in groups if group is not None for at in range(group.childCount())]
    return [[one.text(column) for column in range(4)] for one in items if one is not None and one.text(1)]


def _text(item: QTreeWidgetItem | None) -> str:
    return "" if item is None else item.text(0)


def _label(dialog: MergeDialog, name: str, prefix: str = "schema.merge.result.") -> str:
    return child_of(dialog, QLabel, f"{prefix}{name}").text()


def _choice(dialog: MergeDialog, side: str) -> QPushButton:
    return child_of(dialog, QPushButton, f"schema.merge.all.{side}")


def _column_names(document: Document, table: str) -> list[str]:
    return [column.name for column in named(document, table).columns]


async def _head(url: str) -> Document:
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        return read_document(await client.schema("HEAD"))


async def _save_elsewhere(url: str, comment: str, column_name: str = "") -> None:
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        head = await client.schema("HEAD")
        tables = head["tables"]
        assert isinstance(tables, list)
        tables[0]["comment"] = comment
        if column_name:
            tables[0]["columns"][0]["name"] = column_name
        await client.update_schema(head)
