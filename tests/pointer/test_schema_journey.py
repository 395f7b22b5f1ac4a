"""A data model from nothing to its commit by keyboard alone, and columns pasted from a spreadsheet."""

import subprocess
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from cdb_desktop.client import Client
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.models import named
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.pointer.conftest import Pointer
from tests.server import address
from tests.server_process import ServerProcess

__all__ = ["appearance", "bench", "settings"]

_MOST_KEYS = 60


class Keyboard:
    """Counts the keys that are pressed beyond names; each letter of a type or table counts."""

    def __init__(self, pointer: Pointer) -> None:
        self.pointer = pointer
        self.keys = 0

    def press(self, *keys: str) -> None:
        self.keys += len(keys)
        self.pointer.press(*keys)

    def name(self, text: str) -> None:
        self.pointer.type(text)

    def find(self, text: str) -> None:
        self.keys += len(text)
        self.pointer.type(text)


async def test_three_linked_tables_from_nothing_to_a_commit(
    bench: Bench, pointer: Pointer, tmp_path: Path
) -> None:
    """One of them is nested, with links and types, in at most 60 keystrokes beyond the names."""
    arguments = ["--port", "0", "--database", str(tmp_path / "empty.sqlite"), "--exit-with-stdin"]
    with ServerProcess(arguments, errors=subprocess.PIPE) as process:
        assert process.stderr is not None
        password = process.stderr.readline().partition("root password: ")[2].strip()
        url = address(process)
        async with Client(url) as client:
            session = await client.authenticate("root", password)
            async with bench.at(client, session) as controller:
                controller.load()
                await pointer.until(lambda: controller.store.page.is_read)
                pointer.show(bench.view)
                keyboard = Keyboard(pointer)
                await _enter_model(keyboard, bench, controller)
                keyboard.press("ctrl+s")
                await pointer.until(lambda: _is_saved(controller))
                keyboard.press("ctrl+shift+Return")
                await pointer.until(lambda: _can_commit(bench))
                keyboard.press("Return")
                await pointer.until(lambda: _current(controller) is not None)
                current = _current(controller)
                assert current is not None
                assert [table.name for table in current.tables] == ["artist", "work", "work__image"]
                assert [column.type for column in named(current, "work").columns] == [
                    "text_oneline",
                    "link",
                    "number",
                ]
                assert named(current, "work").foreign_keys[0].target == named(current, "artist").key
                assert keyboard.keys <= _MOST_KEYS, keyboard.keys


async def _enter_model(keyboard: Keyboard, bench: Bench, controller: SchemaController) -> None:
    keyboard.press("ctrl+t")
    keyboard.name("artist")
    keyboard.press("Return")
    keyboard.name("name")
    keyboard.press("Return")
    keyboard.name("born")
    keyboard.press("Tab")
    keyboard.find("date (")
    keyboard.press("Return")
    keyboard.press("ctrl+t")
    keyboard.name("work")
    keyboard.press("Return")
    keyboard.name("title")
    keyboard.press("Return")
    keyboard.name("artist")
    keyboard.press("Tab")
    keyboard.find("art")
    keyboard.press("Return")
    keyboard.name("year")
    keyboard.press("Tab")
    keyboard.find("whole")
    keyboard.press("Return")
    keyboard.press("ctrl+b")
    keyboard.name("image")
    keyboard.press("Return")
    keyboard.name("file")
    keyboard.press("Tab")
    keyboard.find("file")
    keyboard.press("Return", "Escape")
    await keyboard.pointer.until(lambda: len(_columns(controller, "work__image")) == 1)


async def test_columns_of_a_spreadsheet_are_pasted_by_key(bench: Bench, pointer: Pointer) -> None:
    """Twenty, into the row for new columns, in one step."""
    async with bench.with_museum() as controller:
        person = named(controller.store.page.document, "person").key
        controller.store.select(TableRef(person))
        pointer.show(bench.view)
        rows = [f"Field {number}\t{'int' if number % 2 else 'varchar(40)'}" for number in range(20)]
        QGuiApplication.clipboard().setText("\n".join(["Name\tType", *rows]))
        bench.view.form.table.grid.begin_new()
        pointer.press("ctrl+v")
        await pointer.until(lambda: len(_columns(controller, "person")) == 22)
        assert _columns(controller, "person")[2:4] == ["field_0", "field_1"]
        pointer.press("ctrl+z")
        assert len(_columns(controller, "person")) == 2


def _columns(controller: SchemaController, table: str) -> list[str]:
    document = controller.store.page.document
    return [column.name for each in document.tables if each.name == table for column in each.columns]


def _can_commit(bench: Bench) -> bool:
    dialog = bench.view.findChild(CommitDialog)
    return dialog is not None and dialog.accept_button.isEnabled()


def _is_saved(controller: SchemaController) -> bool:
    return controller.store.page.is_read and controller.store.page.editing.is_saved


def _current(controller: SchemaController) -> Document | None:
    page = controller.store.page
    return page.editing.current
