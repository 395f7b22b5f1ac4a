"""Tests of the diagram of a merge: changes of both sides, and conflicts resolved at the box."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu

from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import RenameTable, remove_column, remove_table
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.diagram.style import SideMarks
from cdb_desktop.ui.schema.merge import dialog as merge_dialog
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from cdb_desktop.ui.schema.output.dialog import OutputDialog
from tests.desktop.patience import until
from tests.desktop.schema.merge.museum_merges import merged
from tests.desktop.schema.models import NOTE, NOTE_TEXT, PERSON, PICTURE, PLACE, TITLE, WORK, YEAR
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.commit.merge_dialogs import open_merge_dialog, until_merged
from tests.desktop.ui.schema.conftest import Bench

_TITLE = ColumnRef(WORK, TITLE)


async def test_conflicts_are_resolved_at_the_box(bench: Bench) -> None:
    """The list is in step, in both directions; what was there before can be chosen too."""
    async with bench.with_museum() as controller:
        new = AddColumn(PERSON, "died", "date")
        found = merged(
            (RenameColumn(_TITLE, "heading"), remove_table(PICTURE, dependents=True)),
            (RenameColumn(_TITLE, "caption"), new, remove_column(ColumnRef(WORK, YEAR), dependents=True)),
        )
        dialog, accepted = await open_merge_dialog(controller, found)
        sides = dialog.diagram.view.diagram_scene.diagram_style.sides
        assert sides[_TITLE] == SideMarks("→", "→", is_decided=False)
        assert sides[TableRef(WORK)].is_decided is False
        assert sides[TableRef(PICTURE)] == SideMarks("", "−")
        assert sides[ColumnRef(WORK, YEAR)] == SideMarks("−", "")
        assert sides[ColumnRef(PERSON, new.key)] == SideMarks("+", "")
        removed = dialog.diagram.view.diagram_scene.diagram_style.removed
        assert {ColumnRef(WORK, YEAR), TableRef(PICTURE)} <= removed
        assert "Theirs: Column work.title renamed to heading" in dialog.diagram._note(_TITLE)
        for choice, column in (("As before", 1), ("Theirs", 3), ("Mine", 2)):
            _choose(dialog, _TITLE, choice)
            await until_merged(dialog)
            item = dialog.conflicts.currentItem()
            assert item is not None
            chosen = [at for at in (1, 2, 3) if item.data(at, Qt.ItemDataRole.UserRole + 1)]
            assert chosen == [column]
        assert dialog.diagram.view.diagram_scene.diagram_style.sides[TableRef(WORK)].is_decided is True
        for expected in ("heading", "title", "caption"):
            QTest.keyClick(dialog.conflicts, Qt.Key.Key_Space)
            await until_merged(dialog)
            assert dialog.merge.document.by_key[WORK].by_key[TITLE].name == expected
        dialog.accept_button.click()
        assert accepted[0].document.by_key[WORK].by_key[TITLE].name == "caption"


async def test_what_is_edited_before_the_dialog_opens_is_merged(bench: Bench) -> None:
    """The result is that of the draft as it is then."""
    async with bench.with_museum() as controller:
        found = merged((RenameTable(PLACE, "site"),), (RenameColumn(_TITLE, "caption"),)).versions
        edited = RenameTable(PERSON, "people").apply_to(found.mine)
        drafts = iter((found.mine, edited, edited, edited))
        taken: list[tuple[Merge, Document]] = []

        def take(*accepted: Any) -> None:
            taken.append(accepted)

        view, tasks = controller._view, controller._tasks
        others = found.base, found.theirs
        await merge_dialog.open_merge_dialog(view, tasks, "Merge", others, lambda: next(drafts), take)
        child_of(view, MergeDialog).accept_button.click()
        ((result, mine),) = taken
        names = [result.document.by_key[key].name for key in (PLACE, PERSON)]
        assert (names, mine) == (["site", "people"], edited)


async def test_a_box_has_the_conflicts_of_everything_in_it(bench: Bench) -> None:
    """Those of nested tables too; a removal has no former value to choose."""
    async with bench.with_museum() as controller:
        text = ColumnRef(NOTE, NOTE_TEXT)
        found = merged(
            (remove_table(NOTE, dependents=True), RenameTable(PLACE, "site")),
            (SetColumnOptions(text, {"not_null": True}), RenameTable(PLACE, "spot")),
        )
        dialog, _ = await open_merge_dialog(controller, found)
        assert _texts(dialog, TableRef(WORK))[0].endswith("Removal")
        assert len(_texts(dialog, TableRef(WORK))) == 3
        assert [text.split(":")[0] for text in _texts(dialog, TableRef(PLACE))[1:]] == [
            *("Mine", "Theirs", "As before")
        ]
        _choose(dialog, TableRef(PLACE), "As before")
        await until_merged(dialog)
        assert dialog.merge.document.by_key[PLACE].name == "place"
        assert not dialog.accept_button.isEnabled()
        dialog.show_diagram.click()
        assert not dialog.diagram.isVisible()
        dialog.reject()


async def test_the_comparison_is_exported(bench: Bench, tmp_path: Path) -> None:
    """With the signs and what both sides have changed; the legend and the heading say what it is."""
    async with bench.with_museum() as controller:
        found = merged(
            (RenameColumn(_TITLE, "heading"), RenameTable(PLACE, "site")),
            (RenameColumn(_TITLE, "caption"), remove_column(ColumnRef(WORK, YEAR), dependents=True)),
        )
        dialog, _ = await open_merge_dialog(controller, found)
        dialog.diagram.export.click()
        output = child_of(dialog, OutputDialog, "schema.output")
        assert output.options.format == "svg"
        output.accept_button.click()
        files = child_of(dialog, QFileDialog, "schema.export.dialog")
        target = tmp_path / "merge.svg"
        files.fileSelected.emit(str(target))
        files.close()
        await until(lambda: str(target) in bench.view.notice.text)
        svg = target.read_text("utf-8")
        for text in ("merge of two versions", "0 of 1 decided", "Sides of the merge", ">▸ theirs<", ">site<"):
            assert text in svg
        assert "Theirs: Column work.title renamed to heading" in svg
        assert "Mine: Column work.title renamed to caption" in svg
        assert "line-through" in svg
        dialog.reject()


def _menu(dialog: MergeDialog, ref: ElementRef) -> QMenu:
    """The choices that Enter opens at an element."""
    view = dialog.diagram.view
    view.choose(ref, reveal=True)
    QTest.keyClick(view, Qt.Key.Key_Return)
    menu = dialog.diagram.findChildren(QMenu, "schema.merge.menu")[-1]
    assert menu.isVisible()
    return menu


def _texts(dialog: MergeDialog, ref: ElementRef) -> list[str]:
    menu = _menu(dialog, ref)
    found = [plain(action.text()) for action in menu.actions()]
    menu.close()
    return found


def _choose(dialog: MergeDialog, ref: ElementRef, choice: str) -> None:
    menu = _menu(dialog, ref)
    action = next(one for one in menu.actions() if plain(one.text()).startswith(choice))
    action.trigger()
    menu.close()
