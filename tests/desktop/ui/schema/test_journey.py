"""Tests of the way of a change from a key press to the service, and of what can come in between."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from shutil import copyfile
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QListWidget, QPushButton

from cdb_desktop.client import Client, EventFilter
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.removal import RemoveTable
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.local_store import ConflictCopy, LocalStore
from cdb_desktop.ui.schema.commit_sheet import CommitSheet
from cdb_desktop.ui.schema.conflict import AdoptSheet, ConflictSheet
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.tree_model import TreeModel
from tests.desktop.patience import until
from tests.desktop.schema.models import column_named, named
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service, service

Update = Callable[[Client, Mapping[str, object]], Awaitable[dict[str, object]]]
_Sheet = TypeVar("_Sheet", bound=QDialog)


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a museum, made once."""
    file = tmp_path_factory.mktemp("museum") / "demo.sqlite"
    with service(file, "--demo", "--demo-events", "10"):
        return file


@pytest.fixture
def own(museum: Path, tmp_path: Path) -> Iterator[Service]:
    """A server with a museum of its own."""
    file = tmp_path / "museum.sqlite"
    for part in museum.parent.glob("demo.sqlite*"):
        copyfile(part, tmp_path / part.name.replace("demo", "museum"))
    with service(file) as running:
        yield running


async def test_a_column_is_renamed_saved_and_committed(bench: Bench, own: Service) -> None:
    """F2 in the tree, Ctrl+S, the sheet with its ticks: then the event is there, and so is the column."""
    async with bench.signed_in(own.url, "root", "admin") as controller:
        before = await _newest(own.url)
        controller.store.select(column_named(_document(controller), "exhibition", "visitors"))
        bench.view.tables.tree.setFocus()
        bench.actions["element_rename"].trigger()
        field = QApplication.focusWidget()
        assert field is not None
        QTest.keyClicks(field, "guests")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: bench.view.header.note == "not saved")
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))
        bench.actions["schema_commit"].trigger()
        sheet = _sheet(bench, CommitSheet)
        assert sheet.accept_button.text().startswith("Commit v4: 2 tables added, 1 column removed, 2 columns")
        assert not sheet.accept_button.isEnabled()
        await until(lambda: "lost)" in sheet.accept_button.text())
        assert not sheet.accept_button.isEnabled()
        _tick_all(sheet)
        sheet.accept_button.click()
        await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")
        assert "guests" in own.columns("exhibition")
        async with Client(own.url) as client:
            await client.authenticate("root", "admin")
            page = await client.list_events(EventFilter(type=("SCHEMA_COMMIT",)))
        assert [event.id > before for event in page.events] == [True, False, False, False][: len(page.events)]


async def test_undo_past_a_saved_removal_says_what_it_costs(bench: Bench, own: Service) -> None:
    """Told and marked at once, and not first when a commit would lose the values; redo takes it back."""
    async with bench.signed_in(own.url, "modeller") as controller:
        before = named(_document(controller), "institution")
        controller.store.apply(RemoveTable(before.key, dependents=True))
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))
        bench.actions["schema_undo"].trigger()
        assert bench.view.offer.isVisible()
        assert "HEAD was saved without " in bench.view.offer.text
        assert "institution" in bench.view.offer.text
        assert "it is restored as new and empty" in bench.view.offer.text
        after = named(_document(controller), "institution")
        assert (before.id, after.id) == (before.key, None)
        model = bench.view.tables.model
        await until(lambda: _sign(model, after.key) == "+" and _sign(model, before.key) == "−")
        bench.actions["schema_redo"].trigger()
        assert not bench.view.offer.isVisible()
        bench.actions["schema_undo"].trigger()
        assert bench.view.offer.isVisible()
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))
        assert not bench.view.offer.isVisible()
        assert named(_document(controller), "institution").id not in (None, before.id)


async def test_what_others_saved_meanwhile_is_listed_and_kept_with_mine(bench: Bench, own: Service) -> None:
    """Loading theirs keeps mine as a model file, which one click brings back into HEAD (§4.7)."""
    async with bench.signed_in(own.url, "modeller") as controller:
        await _save_elsewhere(own.url, "theirs")
        _rename_first(controller, "mine")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.findChild(ConflictSheet) is not None)
        sheet = _sheet(bench, ConflictSheet)
        listed = sheet.findChild(QListWidget, "schema.conflict.theirs")
        assert isinstance(listed, QListWidget)
        assert ["comment" in listed.item(row).text() for row in range(listed.count())] == [True]
        sheet.accept_button.click()
        await until(lambda: _document(controller).tables[0].raw.get("comment") == "theirs")
        assert _is_saved(controller)
        assert {kept.side for kept in _kept(bench, own)} == {"mine", "theirs"}
        await until(lambda: len(bench.view.offer.buttons) == 1)
        bench.view.offer.buttons[0].click()
        await until(lambda: _document(controller).tables[0].name == "mine")
        assert _document(controller).tables[0].raw.get("comment") != "theirs"
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))
        assert await _head_tables(own.url) == [table.name for table in _document(controller).tables]
        bench.actions["schema_undo"].trigger()
        assert _document(controller).tables[0].raw.get("comment") == "theirs"


async def test_mine_can_be_kept_without_losing_theirs(bench: Bench, own: Service) -> None:
    """HEAD is read again and saved over; their version is a model file that can be brought back."""
    async with bench.signed_in(own.url, "modeller") as controller:
        await _save_elsewhere(own.url, "theirs")
        _rename_first(controller, "mine")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.findChild(ConflictSheet) is not None)
        keep = _sheet(bench, ConflictSheet).findChild(QPushButton, "schema.conflict.mine")
        assert isinstance(keep, QPushButton)
        keep.click()
        await until(lambda: _is_saved(controller))
        assert (await _head_tables(own.url))[0] == "mine"
        await until(lambda: "The other side's version" in bench.view.offer.text)
        bench.actions["schema_adopt"].trigger()
        await until(lambda: bench.view.findChild(AdoptSheet) is not None)
        chooser = _sheet(bench, AdoptSheet)
        assert chooser.kept.count() == 2
        assert not chooser.accept_button.isEnabled()
        rows = [chooser.kept.item(row) for row in range(2)]
        next(row for row in rows if "other side" in row.text()).setSelected(True)
        chooser.accept_button.click()
        await until(lambda: _document(controller).tables[0].raw.get("comment") == "theirs")
        assert _document(controller).tables[0].name != "mine"
        assert not _is_saved(controller)


async def test_a_third_save_between_question_and_answer_is_asked_about_again(
    bench: Bench, own: Service
) -> None:
    """Keeping mine means over what was listed, not over what came later."""
    async with bench.signed_in(own.url, "modeller") as controller:
        await _save_elsewhere(own.url, "second")
        _rename_first(controller, "mine")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.findChild(ConflictSheet) is not None)
        first = _sheet(bench, ConflictSheet)
        await _save_elsewhere(own.url, "third")
        keep = first.findChild(QPushButton, "schema.conflict.mine")
        assert isinstance(keep, QPushButton)
        keep.click()
        await until(lambda: bench.view.findChild(ConflictSheet) not in (None, first))
        assert not _is_saved(controller)
        assert (await _head_tables(own.url))[0] != "mine"


async def test_somebody_who_saves_right_after_is_reported(
    bench: Bench, own: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HEAD is read back after it was saved."""
    update = Client.update_schema

    async def overtaken(client: Client, schema: Mapping[str, object]) -> object:
        answer = await update(client, schema)
        await _save_elsewhere(own.url, "theirs", update)
        return answer

    async with bench.signed_in(own.url, "modeller") as controller:
        _rename_first(controller, "mine")
        monkeypatch.setattr(Client, "update_schema", overtaken)
        bench.actions["schema_save"].trigger()
        await until(lambda: "somebody else saved another one" in bench.view.offer.text)
        bench.view.offer.buttons[0].click()
        await until(lambda: bench.view.findChild(ConflictSheet) is not None)
        assert _document(controller).tables[0].name == "mine"


async def test_a_file_of_another_service_is_brought_in_by_names(
    bench: Bench, own: Service, tmp_path: Path
) -> None:
    """Its ids mean other tables here: equal names keep their ids, all else is new."""
    async with bench.signed_in(own.url, "modeller") as controller:
        before = {table.name: table.id for table in _document(controller).tables}
        raw = json.loads(json.dumps(write_document(_document(controller))))
        ids = [table["table_id"] for table in raw["tables"]]
        for table, number in zip(raw["tables"], reversed(ids), strict=True):
            table["table_id"] = number
        bare = {"name": "guest", "columns": [{"kind": "column", "name": "title", "type": "text"}]}
        raw["tables"] = [{**bare, "table_id": ids[0]}]
        file = tmp_path / "foreign.json"
        file.write_text(json.dumps(raw), "utf-8")
        bench.actions["schema_adopt"].trigger()
        await until(lambda: bench.view.findChild(AdoptSheet) is not None)
        choose = _sheet(bench, AdoptSheet).findChild(QPushButton, "schema.adopt.file")
        assert isinstance(choose, QPushButton)
        choose.click()
        await until(lambda: bench.view.findChild(QFileDialog, "schema.adopt.dialog") is not None)
        dialog = bench.view.findChild(QFileDialog, "schema.adopt.dialog")
        assert isinstance(dialog, QFileDialog)
        dialog.fileSelected.emit(str(file))
        dialog.close()
        await until(lambda: [table.name for table in _document(controller).tables] == ["guest"])
        assert _document(controller).tables[0].id is None
        bench.actions["schema_undo"].trigger()
        assert {table.name: table.id for table in _document(controller).tables} == before


async def test_a_killed_server_costs_no_work(bench: Bench, own: Service) -> None:
    """Saving fails, the steps stay, and saving works again as soon as somebody answers."""
    async with bench.signed_in(own.url, "modeller") as controller:
        own.process.kill()
        own.process.wait()
        _rename_first(controller, "kept")
        bench.actions["schema_save"].trigger()
        await until(lambda: "Your changes are kept." in bench.view.offer.text)
        port = own.url.rpartition(":")[2]
        with service(own.file, "--port", port):
            bench.actions["schema_save"].trigger()
            await until(lambda: _is_saved(controller))
        assert _document(controller).tables[0].name == "kept"


async def test_a_commit_that_fails_is_told_in_its_sheet(bench: Bench, own: Service) -> None:
    """Rows that do not fulfil what is asked for stop all of it (wire §5); the sheet stays open."""
    async with bench.signed_in(own.url, "releaser") as controller:
        place = column_named(_document(controller), "artist", "died")
        controller.store.apply(SetColumnOptions(place, {"not_null": True}))
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))
        bench.actions["schema_commit"].trigger()
        sheet = _sheet(bench, CommitSheet)
        await until(lambda: sheet.fault == "The service would refuse this commit: existing rows block it.")
        lines = [sheet.list.item(row).text() for row in range(sheet.list.count())]
        assert any("artist.died" in line and "rows block this" in line for line in lines)
        _tick_all(sheet)
        sheet.accept_button.click()
        await until(lambda: sheet.fault and "would refuse" not in sheet.fault)
        assert sheet.isVisible()
        assert sheet.accept_button.isEnabled()
        assert bench.view.header.badge == "vs CURRENT v3 · 6 changes"


async def test_only_what_was_agreed_to_is_committed(bench: Bench, own: Service) -> None:
    """Somebody saves HEAD while the sheet is open: nothing is committed."""
    async with bench.signed_in(own.url, "releaser"):
        bench.actions["schema_commit"].trigger()
        sheet = _sheet(bench, CommitSheet)
        _tick_all(sheet)
        await until(sheet.accept_button.isEnabled)
        await _save_elsewhere(own.url, "theirs")
        sheet.accept_button.click()
        await until(bench.view.offer.isVisible)
        assert bench.view.offer.text.startswith("HEAD or CURRENT has changed in the meantime.")
        await until(lambda: bench.view.header.badge.startswith("vs CURRENT v3"))


async def test_a_server_that_dies_while_counting_or_committing(bench: Bench, own: Service) -> None:
    """The sheet says so, stays, and commits as soon as somebody answers."""
    async with bench.signed_in(own.url, "releaser"):
        own.process.kill()
        own.process.wait()
        bench.actions["schema_commit"].trigger()
        sheet = _sheet(bench, CommitSheet)
        await until(lambda: sheet.fault)
        _tick_all(sheet)
        sheet.accept_button.click()
        await until(lambda: sheet.fault and sheet.accept_button.isEnabled())
        with service(own.file, "--port", own.url.rpartition(":")[2]):
            sheet.accept_button.click()
            await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")


async def test_errors_are_told_before_anything_is_sent(bench: Bench, own: Service) -> None:
    """The first one is selected, and the list of problems opens."""
    async with bench.signed_in(own.url, "modeller") as controller:
        place = column_named(_document(controller), "exhibition", "visitors")
        controller.store.apply(RenameColumn(place, "Bad name"))
        bench.actions["schema_save"].trigger()
        assert bench.view.offer.text.startswith("HEAD cannot be saved yet: exhibition.Bad name:")
        assert controller.store.page is not None
        assert controller.store.page.selection == place
        assert bench.view.bottom.problems.isVisible()
        controller.store.apply(RenameColumn(place, "visitors"))
        await until(lambda: not bench.view.offer.isVisible())


async def test_patterns_that_the_server_refuses_are_errors(bench: Bench, own: Service) -> None:
    """It checks with RE2, so nothing is sent; the notice goes when the pattern is one that it takes."""
    async with bench.signed_in(own.url, "modeller") as controller:
        place = column_named(_document(controller), "exhibition", "title")
        controller.store.apply(SetColumnOptions(place, {"check": "regexp", "check_regexp": "^(?!x)"}))
        bench.actions["schema_save"].trigger()
        assert bench.view.offer.text == (
            "HEAD cannot be saved yet: The service does not take the regular expression of exhibition.title: "
            "it looks ahead or behind."
        )
        await until(lambda: bench.view.bottom.titles[0] == "Problems 1")
        controller.store.apply(SetColumnOptions(place, {"check_regexp": "^[^x]"}))
        await until(lambda: not bench.view.offer.isVisible())
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))


async def test_saving_keeps_the_tree_as_it_is(bench: Bench, own: Service) -> None:
    """A new table gets its id, and stays as open as the others; what is closed stays closed."""
    async with bench.signed_in(own.url, "modeller") as controller:
        bench.actions["table_new"].trigger()
        assert controller.store.page is not None
        new = controller.store.page.selection
        assert isinstance(new, TableRef)
        controller.store.apply(AddColumn(new.table, "first", "text"))
        tree, model = bench.view.tables.tree, bench.view.tables.model
        for place in (new, TableRef(named(_document(controller), "work").key)):
            tree.expand(model.index_of(place))
        bench.actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller))
        places = (TableRef(table.key) for table in _document(controller).tables)
        is_open = [one.table for one in places if tree.isExpanded(model.index_of(one))]
        document = _document(controller)
        assert {document.by_key[table].name for table in is_open} == {"work", "new_table"}


async def test_undo_and_redo_say_what_they_do(bench: Bench, own: Service) -> None:
    """After each step, in the tooltips of their buttons as well."""
    async with bench.signed_in(own.url, "modeller") as controller:
        work = named(_document(controller), "work").key
        undo, redo = bench.actions["schema_undo"], bench.actions["schema_redo"]
        for name in ("first", "second"):
            controller.store.apply(AddColumn(work, name, "text"))
            assert undo.toolTip() == f"Undo: Add column work.{name} (Ctrl+Z)"
        undo.trigger()
        assert undo.toolTip() == "Undo: Add column work.first (Ctrl+Z)"
        assert redo.toolTip() == "Redo: Add column work.second (Ctrl+Shift+Z)"
        undo.trigger()
        assert undo.toolTip() == "Undo (Ctrl+Z)\nNot available at the moment."


def _document(controller: SchemaController) -> Document:
    assert controller.store.page is not None
    return controller.store.page.document


def _sign(model: TreeModel, table: int) -> str:
    index = model.index_of(TableRef(table))
    return model.sign(index) if index.isValid() else ""


def _is_saved(controller: SchemaController) -> bool:
    page = controller.store.page
    return page is not None and page.editing.is_saved and not page.busy


def _rename_first(controller: SchemaController, name: str) -> None:
    controller.store.apply(RenameTable(named(_document(controller), "work").key, name))


def _sheet(bench: Bench, kind: type[_Sheet]) -> _Sheet:
    found = bench.view.findChild(kind)
    assert isinstance(found, kind)
    return found


def _tick_all(sheet: CommitSheet) -> None:
    for row in range(sheet.list.count()):
        item = sheet.list.item(row)
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            item.setCheckState(Qt.CheckState.Checked)


async def _newest(url: str) -> int:
    async with Client(url) as client:
        session = await client.authenticate("root", "admin")
        assert session.current_max_event_id is not None
        return session.current_max_event_id


async def _head_tables(url: str) -> list[str]:
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        tables = (await client.schema("HEAD"))["tables"]
        assert isinstance(tables, list)
        return [table["name"] for table in tables]


def _kept(bench: Bench, service: Service) -> tuple[ConflictCopy, ...]:
    return LocalStore(Path(bench.settings.fileName()).parent / "schema", service.url).kept_models()


async def _save_elsewhere(url: str, comment: str, update: Update = Client.update_schema) -> None:
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        head = await client.schema("HEAD")
        tables = head["tables"]
        assert isinstance(tables, list)
        tables[0]["comment"] = comment
        await update(client, head)
