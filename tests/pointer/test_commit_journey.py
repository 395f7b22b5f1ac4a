"""A commit that is rehearsed, executed and reverted with pointer and keyboard."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton

from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from cdb_desktop.ui.schema.commit.rehearsal_dialog import RehearsalDialog
from cdb_desktop.ui.schema.compare.revert_controller import RevertCommitDialog
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.conftest import appearance, settings
from tests.desktop.ui.schema.conftest import Bench, bench, museum_file, own
from tests.desktop.ui.schema.service import Service
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "museum_file", "own", "settings"]

_CHECK_BOX = QPoint(14, 12)


async def test_a_commit_is_rehearsed_executed_and_reverted(
    bench: Bench, own: Service, pointer: Pointer
) -> None:
    """On the demo with its rows; at the end CURRENT is what it was, but for ids of elements that return."""
    async with bench.signed_in(own.url, "root", "admin", own.file) as controller:
        pointer.show(bench.view)
        before = _current(controller)
        dialog = await _opened(bench, pointer)
        pointer.click(_button(dialog, "schema.commit.dialog.rehearse"))
        await pointer.until(lambda: "with all of its rows" in dialog.fault)
        pointer.click(_button(dialog, "schema.commit.dialog.report"))
        await pointer.until(lambda: dialog.findChild(RehearsalDialog) is not None)
        pointer.press("Escape")
        assert _current(controller) is before
        _check_all(dialog, pointer)
        await _committed(bench, pointer, dialog, 4)
        copies = LocalStore(Path(bench.settings.fileName()).parent / "schema", own.url).safety_copies
        copy = copies.of_commit(4)
        assert copy is not None
        assert copy.values

        pointer.press("ctrl+F9")
        revert = _revert_dialog(bench)
        await pointer.until(lambda: revert.shown is not None)
        pointer.click(revert.accept_button)
        await pointer.until(lambda: bench.view.header.note == "not saved")
        pointer.press("ctrl+s")
        await pointer.until(lambda: controller.store.page.is_read and controller.store.page.editing.is_saved)
        dialog = await _opened(bench, pointer)
        _check_all(dialog, pointer)
        await _committed(bench, pointer, dialog, 5)
        assert _names(_current(controller)) == _names(before)
        assert compare(before, _current(controller))  # removed columns return with other ids


async def _opened(bench: Bench, pointer: Pointer) -> CommitDialog:
    """The dialog with the counts of the service."""
    pointer.press("ctrl+shift+Return")
    await pointer.until(lambda: any(each.isVisible() for each in bench.view.findChildren(CommitDialog)))
    found = next(each for each in bench.view.findChildren(CommitDialog) if each.isVisible())
    await pointer.until(lambda: not any("Counting" in label.text() for label in found.findChildren(QLabel)))
    return found


def _revert_dialog(bench: Bench) -> RevertCommitDialog:
    found = bench.view.findChild(RevertCommitDialog)
    assert isinstance(found, RevertCommitDialog)
    return found


def _check_all(dialog: CommitDialog, pointer: Pointer) -> None:
    changes = dialog.list
    for row in range(changes.count()):
        item = changes.item(row)
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable and item.checkState() == Qt.CheckState.Unchecked:
            changes.scrollToItem(item)
            pointer.click(changes.viewport(), changes.visualItemRect(item).topLeft() + _CHECK_BOX)
            assert item.checkState() == Qt.CheckState.Checked


async def _committed(bench: Bench, pointer: Pointer, dialog: CommitDialog, version: int) -> None:
    pointer.click(dialog.accept_button)
    await pointer.until(lambda: bench.view.header.badge.startswith(f"vs CURRENT v{version}"))


def _button(dialog: CommitDialog, name: str) -> QPushButton:
    found = dialog.findChild(QPushButton, name)
    assert isinstance(found, QPushButton)
    return found


def _current(controller: SchemaController) -> Document:
    page = controller.store.page
    assert page.editing.current is not None
    return page.editing.current


def _names(document: Document) -> list[tuple[str, list[tuple[str, str]]]]:
    """The tables with names and types of their columns, without their order."""
    return sorted(
        (table.name, sorted((column.name, column.type) for column in table.columns))
        for table in document.tables
    )
