"""Tests of saving and committing with a server: conflicts with other users, failures, undo after a save."""

import asyncio
import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QFileDialog,
    QLabel,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client, CommitQuestion, EventFilter, UserError
from cdb_desktop.client.records import CommitButton, CommitField, CommitOption
from cdb_desktop.client.responses import TaggedObject
from cdb_desktop.embedded import read_stored_rows
from cdb_desktop.schema.diagram.model import Path as LinkPath
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.edits.columns import AddColumn, ChangeType, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import AddTable, RenameTable, remove_table
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from cdb_desktop.ui.schema.commit.head_save_controller import AdoptModelDialog, refusal_fix
from cdb_desktop.ui.schema.commit.questions import QuestionPanel
from cdb_desktop.ui.schema.commit.rehearsal_dialog import RehearsalDialog
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.tree.model import TreeModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.form import Choice
from tests.chaos import Chaos, chaos_of
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PERSON_NAME, PLACE, PLACE_NAME, column_named, named, opened
from tests.desktop.ui.finding import awaited_child, child_of, focus_widget
from tests.desktop.ui.schema.conftest import Bench, is_saved
from tests.desktop.ui.schema.service import Service, service
from tests.server import both_generations


@pytest.mark.generation5("a commit has a plan")
async def test_a_column_is_renamed_saved_and_committed(bench: Bench, own: Service) -> None:
    """F2 in the tree, Ctrl+S, the dialog with its check boxes; then the event and the column exist."""
    async with bench.signed_in(own.url, "root", "admin") as controller:
        before = await _newest(own.url)
        controller.store.select(column_named(controller.store.page.document, "exhibition", "visitors"))
        bench.view.tables.tree.setFocus()
        bench.actions["element_rename"].trigger()
        field = focus_widget()
        QTest.keyClicks(field, "guests")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: bench.view.header.note == "not saved")
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        bench.actions["schema_commit"].trigger()
        dialog = child_of(bench.view, CommitDialog)
        assert dialog.accept_button.text().startswith(
            "Commit v4: 2 tables added, 1 column removed, 2 columns"
        )
        assert not dialog.accept_button.isEnabled()
        await until(lambda: "lost)" in dialog.accept_button.text())
        assert not dialog.accept_button.isEnabled()
        _check_all(dialog)
        dialog.accept_button.click()
        await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")
        assert "guests" in own.columns("exhibition")
        async with Client(own.url) as client:
            await client.authenticate("root", "admin")
            page = await client.list_events(EventFilter(type=("SCHEMA_COMMIT",)))
        assert [event.id > before for event in page.events] == [True, False, False, False][: len(page.events)]


async def test_a_service_without_a_plan_refuses_and_asks(bench: Bench, own: Service) -> None:
    """A table with objects is put back by a button; the service's question appears in the dialog.

    A commit is none that has failed if only its number cannot be read.
    """
    with service(own.file, "--generation", "6", "--chaos", "off") as newer, chaos_of(newer.url) as chaos:
        async with bench.signed_in(newer.url, "root", "admin") as controller:
            lost = named(controller.store.page.document, "institution")
            controller.store.apply(remove_table(lost.key, dependents=True))
            bench.actions["schema_save"].trigger()
            await until(lambda: "institution" in bench.view.notice.text)
            _button(bench.view.notice, "Put the table back").click()
            assert controller.store.page.document.contains(TableRef(lost.key))
            column = column_named(controller.store.page.document, "work", "internal_note")
            controller.store.apply(SetColumnOptions(column, {"length_max": 5000}))
            bench.actions["schema_save"].trigger()
            await until(lambda: is_saved(controller))
            bench.actions["schema_commit"].trigger()
            dialog = child_of(bench.view, CommitDialog)
            await until(lambda: "Objects in the tables concerned: " in dialog.text)
            assert dialog.reindex.isVisible()
            assert not dialog.events.isVisible()
            _check_all(dialog)
            dialog.accept_button.click()
            answer = await awaited_child(dialog, QPushButton, "schema.commit.answer.confirm")
            assert not dialog.accept_button.isVisible()
            unread = {"fault": "unknown-error", "call": "GET /schema/user/CURRENT", "after": 1, "times": 1}
            chaos.inject(unread)
            answer.click()
            await until(lambda: "HEAD is committed and in use" in bench.view.notice.text)
            assert chaos.injected == 1
            await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")


def test_what_two_questions_ask_for_is_asked_once(qtbot: QtBot, appearance: Appearance) -> None:
    """There is one field, and one button, for each answer."""
    field = CommitField(name="reindex", options=(CommitOption("yes"), CommitOption("skip")))
    texts = ("Delete", "Convert")
    questions = [
        CommitQuestion(form=(field,), buttons=(CommitButton("confirm", "1", text),)) for text in texts
    ]
    holder = QWidget()
    qtbot.addWidget(holder)
    panel = QuestionPanel(appearance, questions, holder)
    (choice,) = panel.findChildren(Choice)
    choice.choose("skip")
    holder.show()
    with qtbot.waitSignal(panel.answered) as answered:
        _button(panel, "Delete / Convert").click()
    assert answered.args == [{"reindex": "skip", "confirm": "1"}]


def test_refusals_to_save_are_taken_back() -> None:
    """Tables come back with the links to them, one column gets the type that it has in CURRENT."""
    document = opened()
    removed = remove_table(PERSON, dependents=True).apply_to(document)
    page = PageState(open_head(document, document).applied(remove_table(PERSON, dependents=True)))
    error = UserError("api", "ObjecttypeNotEmpty", {"stats": '[{"type_name":"person","total_count":7}]'})
    assert page.document == removed
    fix = refusal_fix(error, page)
    assert fix is not None
    assert fix[0] == "Put the table back"
    assert compare(document, fix[1].apply_to(removed)) == ()
    namesake = ChangeType(ColumnRef(PLACE, PLACE_NAME), "text")
    retyped = ChangeType(ColumnRef(PERSON, PERSON_NAME), "boolean")
    page = PageState(open_head(document, document).applied(namesake).applied(retyped))
    fix = refusal_fix(UserError("api", "TypeChangeUnsupported", {"column": "person.name"}), page)
    assert fix is not None
    assert fix[1].apply_to(page.document) == namesake.apply_to(document)
    assert refusal_fix(UserError("api", "ReadOnlyMode"), page) is None


def _button(holder: QWidget, text: str) -> QAbstractButton:
    return next(one for one in holder.findChildren(QAbstractButton) if one.text() == text and one.isVisible())


@pytest.mark.generation5("a commit has a plan")
async def test_the_dialog_may_be_closed_while_the_commit_runs(bench: Bench, own: Service) -> None:
    """The page shows the result."""
    async with bench.signed_in(own.url, "root", "admin") as controller:
        dialog = await _planned_commit(bench)
        _check_all(dialog)
        dialog.accept_button.click()
        assert dialog.cancel_button.text() == "Close"
        dialog.cancel_button.click()
        assert not dialog.isVisible()
        assert controller.store.page.busy
        await until(lambda: "is committed and in use" in bench.view.notice.text)
        assert not controller.store.page.busy


@pytest.mark.generation5("tables with objects can be removed")
async def test_undo_of_a_saved_removal_warns_about_lost_values(bench: Bench, own: Service) -> None:
    """The warning is shown at once and disappears with redo."""
    async with bench.signed_in(own.url, "modeller") as controller:
        before = named(controller.store.page.document, "institution")
        controller.store.apply(remove_table(before.key, dependents=True))
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        bench.actions["schema_undo"].trigger()
        assert bench.view.notice.isVisible()
        assert "HEAD was saved without " in bench.view.notice.text
        assert "institution" in bench.view.notice.text
        assert "it is restored as new and empty" in bench.view.notice.text
        after = named(controller.store.page.document, "institution")
        assert (before.id, after.id) == (before.key, None)
        model = bench.view.tables.model
        await until(lambda: _sign(model, after.key) == "+" and _sign(model, before.key) == "−")
        bench.actions["schema_redo"].trigger()
        assert not bench.view.notice.isVisible()
        bench.actions["schema_undo"].trigger()
        assert bench.view.notice.isVisible()
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert not bench.view.notice.isVisible()
        assert named(controller.store.page.document, "institution").id not in (None, before.id)


async def test_a_save_moves_no_link(bench: Bench, own: Service) -> None:
    """Although keys of new tables and columns become ids; undo after it restores all routes."""
    async with bench.signed_in(own.url, "root", "admin") as controller:
        view = bench.view.diagram
        (layout,) = view.findChildren(DiagramLayoutController)

        async def routes() -> list[tuple[str, LinkPath]]:
            await until(lambda: layout.is_routed)
            names = {box.table: box.name for box in view.diagram_scene.diagram.boxes}
            links = view.diagram_scene.diagram.links
            return sorted((names[link.edge.source], link.path) for link in links)

        first = await routes()
        new = AddTable("borrower")
        controller.store.apply(new)
        for name in ("work", "artist", "place", "keyword", "tour"):
            # One by one they get other routes than all at once.
            controller.store.apply(
                AddColumn(new.key, name, "link", target=named(controller.store.page.document, name).key)
            )
            await routes()
        added = await routes()
        controller.store.apply(
            AddColumn(named(controller.store.page.document, "work").key, "borrower", "link", target=new.key)
        )
        last = await routes()
        assert first != added != last
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert named(controller.store.page.document, "borrower").key > 0
        assert await routes() == last
        bench.actions["schema_undo"].trigger()
        assert await routes() == added
        for _ in range(6):
            bench.actions["schema_undo"].trigger()
        assert await routes() == first


async def test_head_with_a_tag_is_saved_without_reading_it(
    bench: Bench, own: Service, own_chaos: Chaos
) -> None:
    """The service itself refuses to replace another HEAD."""
    async with bench.signed_in(own.url, "modeller") as controller:
        _rename_first(controller, "mine")
        own_chaos.inject({"fault": "server-error", "call": "GET /schema/user/*"})
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert own_chaos.injected == 0


@pytest.mark.parametrize("tag", ["", '"changed by a proxy"'])
async def test_without_a_true_tag_head_is_read_before_it_is_saved(
    bench: Bench, own: Service, monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    """A save that another one has preceded is a conflict; without another one it is saved."""
    monkeypatch.setattr(TaggedObject, "etag", property(lambda _: tag, lambda *_: None), raising=False)
    async with bench.signed_in(own.url, "modeller") as controller:
        _rename_first(controller, "mine")
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert bench.view.findChild(MergeDialog) is None
        controller.store.apply(RenameTable(controller.store.page.document.tables[0].key, "again"))
        await _save_elsewhere(own.url, "theirs")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.findChild(MergeDialog) is not None)


async def test_another_save_immediately_afterwards_is_reported(
    bench: Bench, own: Service, own_chaos: Chaos, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where HEAD has no tag, it is read again after it was saved."""
    monkeypatch.setattr(TaggedObject, "etag", property(lambda _: "", lambda *_: None), raising=False)
    async with bench.signed_in(own.url, "modeller") as controller:
        _rename_first(controller, "mine")
        own_chaos.inject({"fault": "head-moved", "call": "POST /schema/user/HEAD", "times": 1})
        bench.actions["schema_save"].trigger()
        await until(lambda: "somebody else saved another one" in bench.view.notice.text)
        bench.view.notice.buttons[0].click()
        await until(lambda: bench.view.findChild(MergeDialog) is not None)
        assert controller.store.page.document.tables[0].name == "mine"


async def test_a_model_of_another_service_is_adopted_by_names(
    bench: Bench, own: Service, tmp_path: Path
) -> None:
    """Tables with known names keep their ids, the others are new."""
    async with bench.signed_in(own.url, "modeller") as controller:
        before = {table.name: table.id for table in controller.store.page.document.tables}
        raw = json.loads(json.dumps(write_document(controller.store.page.document)))
        ids = [table["table_id"] for table in raw["tables"]]
        for table, number in zip(raw["tables"], reversed(ids), strict=True):
            table["table_id"] = number
        bare = {"name": "guest", "columns": [{"kind": "column", "name": "title", "type": "text"}]}
        raw["tables"] = [{**bare, "table_id": ids[0]}]
        file = tmp_path / "foreign.json"
        file.write_text(json.dumps(raw), "utf-8")
        bench.actions["schema_adopt"].trigger()
        await until(lambda: bench.view.findChild(AdoptModelDialog) is not None)
        choose = child_of(bench.view, AdoptModelDialog).findChild(QPushButton, "schema.adopt.file")
        assert isinstance(choose, QPushButton)
        choose.click()
        dialog = await awaited_child(bench.view, QFileDialog, "schema.adopt.dialog")
        dialog.fileSelected.emit(str(file))
        dialog.close()
        await until(lambda: [table.name for table in controller.store.page.document.tables] == ["guest"])
        assert controller.store.page.document.tables[0].id is None
        bench.actions["schema_undo"].trigger()
        assert {table.name: table.id for table in controller.store.page.document.tables} == before


async def test_a_model_is_adopted_after_what_is_edited_meanwhile(bench: Bench, tmp_path: Path) -> None:
    """Undo returns to the edits."""
    file = tmp_path / "foreign.json"
    file.write_text(json.dumps({"version": 1, "tables": []}), "utf-8")
    async with bench.with_museum() as controller:
        controller._save._start_adopt(file, same_service=False)
        names = [""]
        while controller._tasks.is_running("schema.adopt"):
            name = f"name_{len(names)}"
            if controller.store.apply(RenameTable(PERSON, name)):
                names.append(name)
            await asyncio.sleep(0)
        while not controller.store.page.document.tables:
            bench.actions["schema_undo"].trigger()
        assert controller.store.page.document.by_key[PERSON].name == names[-1] != ""


async def test_edits_survive_a_killed_server(bench: Bench, own: Service, generation: int) -> None:
    """Saving fails, the edits stay, and saving works when the server is back."""
    async with bench.signed_in(own.url, "modeller") as controller:
        own.process.kill()
        own.process.wait()
        _rename_first(controller, "kept")
        bench.actions["schema_save"].trigger()
        await until(lambda: "Your changes are kept." in bench.view.notice.text)
        port = own.url.rpartition(":")[2]
        with service(own.file, "--port", port, "--generation", str(generation)):
            bench.actions["schema_save"].trigger()
            await until(lambda: is_saved(controller))
        assert controller.store.page.document.tables[0].name == "kept"


async def test_a_commit_whose_answer_is_lost_is_not_repeated(
    bench: Bench, own: Service, own_chaos: Chaos
) -> None:
    """The dialog says that the commit may have taken place; the next attempt finds that it has."""
    async with bench.signed_in(own.url, "releaser"):
        own_chaos.inject({"fault": "lost-commit-answer", "times": 1})
        bench.actions["schema_commit"].trigger()
        dialog = child_of(bench.view, CommitDialog)
        _check_all(dialog)
        await until(dialog.accept_button.isEnabled)
        dialog.accept_button.click()
        await until(lambda: "look first whether it took place" in dialog.fault)
        assert own_chaos.injected == 1
        await until(dialog.accept_button.isEnabled)
        dialog.accept_button.click()
        await until(lambda: "Nothing was committed" in bench.view.notice.text)
        await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")


@pytest.mark.parametrize("edits_since", [False, True])
async def test_a_save_whose_answer_is_lost_is_no_conflict(
    bench: Bench, own: Service, own_chaos: Chaos, edits_since: bool
) -> None:
    """Saving again finds HEAD as it was sent, also after further edits, and with the ids of new columns."""
    async with bench.signed_in(own.url, "modeller") as controller:
        _rename_first(controller, "mine")
        controller.store.apply(
            AddColumn(named(controller.store.page.document, "mine").key, "height", "number", 0)
        )
        own_chaos.inject({"fault": "lost-save-answer", "times": 1})
        bench.actions["schema_save"].trigger()
        await until(lambda: "look first whether it took place" in bench.view.notice.text)
        if edits_since:
            controller.store.apply(RenameTable(named(controller.store.page.document, "mine").key, "later"))
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        assert bench.view.findChild(MergeDialog) is None
        assert not bench.view.notice.isVisible()
        assert await _head_tables(own.url) == [table.name for table in controller.store.page.document.tables]
        assert controller.store.page.document.tables[0].name == ("later" if edits_since else "mine")


async def test_a_lost_answer_hides_no_conflict(bench: Bench, own: Service, own_chaos: Chaos) -> None:
    """If somebody else has saved since then, their changes are shown."""
    async with bench.signed_in(own.url, "modeller") as controller:
        _rename_first(controller, "mine")
        own_chaos.inject({"fault": "lost-save-answer", "times": 1})
        bench.actions["schema_save"].trigger()
        await until(lambda: "look first whether it took place" in bench.view.notice.text)
        await _save_elsewhere(own.url, "theirs")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.findChild(MergeDialog) is not None)


async def test_a_commit_by_somebody_else_is_a_conflict(bench: Bench, own: Service, own_chaos: Chaos) -> None:
    """HEAD was committed between the last look and the save (§4.7)."""
    async with bench.signed_in(own.url, "releaser") as controller:
        _rename_first(controller, "mine")
        own_chaos.inject({"fault": "head-committed", "times": 1})
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.findChild(MergeDialog) is not None)
        assert own_chaos.injected == 1


@pytest.mark.generation5("a commit has a plan")
async def test_rows_that_block_a_commit_disable_its_button(bench: Bench, own: Service) -> None:
    """Rows that violate a constraint prevent the commit (wire §5)."""
    async with bench.signed_in(own.url, "releaser") as controller:
        place = column_named(controller.store.page.document, "artist", "died")
        controller.store.apply(SetColumnOptions(place, {"not_null": True}))
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        bench.actions["schema_commit"].trigger()
        dialog = child_of(bench.view, CommitDialog)
        await until(lambda: dialog.fault == "The service would refuse this commit: existing rows block it.")
        lines = [dialog.list.item(row).text() for row in range(dialog.list.count())]
        assert any("artist.died" in line and "rows block this" in line for line in lines)
        _check_all(dialog)
        assert not dialog.accept_button.isEnabled()


@both_generations
async def test_a_save_while_the_dialog_is_open_prevents_the_commit(bench: Bench, own: Service) -> None:
    """Only the confirmed changes may be committed."""
    async with bench.signed_in(own.url, "releaser"):
        bench.actions["schema_commit"].trigger()
        dialog = child_of(bench.view, CommitDialog)
        _check_all(dialog)
        await until(dialog.accept_button.isEnabled)
        await _save_elsewhere(own.url, "theirs")
        dialog.accept_button.click()
        await until(bench.view.notice.isVisible)
        assert bench.view.notice.text.startswith("HEAD or CURRENT has changed in the meantime.")
        await until(lambda: bench.view.header.badge.startswith("vs CURRENT v3"))


@pytest.mark.generation5("a commit has a plan")
async def test_a_server_that_dies_while_the_dialog_is_open(bench: Bench, own: Service) -> None:
    """The dialog reports it, stays open, and commits when the server is back."""
    async with bench.signed_in(own.url, "releaser"):
        own.process.kill()
        own.process.wait()
        bench.actions["schema_commit"].trigger()
        dialog = child_of(bench.view, CommitDialog)
        await until(lambda: dialog.fault)
        _check_all(dialog)
        dialog.accept_button.click()
        await until(lambda: dialog.fault and dialog.accept_button.isEnabled())
        with service(own.file, "--port", own.url.rpartition(":")[2]):
            dialog.accept_button.click()
            await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")


async def test_head_with_errors_is_not_sent(bench: Bench, own: Service) -> None:
    """The first error is selected and the list of problems opens."""
    async with bench.signed_in(own.url, "modeller") as controller:
        place = column_named(controller.store.page.document, "exhibition", "visitors")
        controller.store.apply(RenameColumn(place, "Bad name"))
        bench.actions["schema_save"].trigger()
        assert bench.view.notice.text.startswith("HEAD cannot be saved yet: exhibition.Bad name:")
        assert controller.store.page.selection == place
        assert bench.view.bottom.problems.isVisible()
        controller.store.apply(RenameColumn(place, "visitors"))
        await until(lambda: not bench.view.notice.isVisible())


async def test_patterns_that_re2_refuses_are_errors(bench: Bench, own: Service) -> None:
    """Nothing is sent; the notice disappears when the pattern is valid."""
    async with bench.signed_in(own.url, "modeller") as controller:
        place = column_named(controller.store.page.document, "exhibition", "title")
        controller.store.apply(SetColumnOptions(place, {"check": "regexp", "check_regexp": "^(?!x)"}))
        bench.actions["schema_save"].trigger()
        assert bench.view.notice.text == (
            "HEAD cannot be saved yet: The service does not take the regular expression of exhibition.title: "
            "it looks ahead or behind."
        )
        await until(lambda: bench.view.bottom.titles[0] == "Problems 1")
        controller.store.apply(SetColumnOptions(place, {"check_regexp": "^[^x]"}))
        await until(lambda: not bench.view.notice.isVisible())
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))


async def test_saving_keeps_tables_expanded(bench: Bench, own: Service) -> None:
    """Also a new table, whose key is replaced by its id."""
    async with bench.signed_in(own.url, "modeller") as controller:
        bench.actions["table_new"].trigger()
        new = controller.store.page.selection
        assert isinstance(new, TableRef)
        controller.store.apply(AddColumn(new.table, "first", "text"))
        tree, model = bench.view.tables.tree, bench.view.tables.model
        for place in (new, TableRef(named(controller.store.page.document, "work").key)):
            tree.expand(model.index_of(place))
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        places = (TableRef(table.key) for table in controller.store.page.document.tables)
        is_open = [one.table for one in places if tree.isExpanded(model.index_of(one))]
        document = controller.store.page.document
        assert {document.by_key[table].name for table in is_open} == {"work", "new_table"}


async def test_undo_and_redo_name_their_edit(bench: Bench, own: Service) -> None:
    """After each edit, also in the tooltips of their buttons."""
    async with bench.signed_in(own.url, "modeller") as controller:
        work = named(controller.store.page.document, "work").key
        undo, redo = bench.actions["schema_undo"], bench.actions["schema_redo"]
        for name in ("first", "second"):
            controller.store.apply(AddColumn(work, name, "text"))
            assert undo.toolTip() == f"Undo: Add column work.{name} (Ctrl+Z)"
        undo.trigger()
        assert undo.toolTip() == "Undo: Add column work.first (Ctrl+Z)"
        assert redo.toolTip() == "Redo: Add column work.second (Ctrl+Shift+Z)"
        undo.trigger()
        assert undo.toolTip() == "Undo (Ctrl+Z)\nNot available at the moment."


def _sign(model: TreeModel, table: int) -> str:
    index = model.index_of(TableRef(table))
    return model.sign(index) if index.isValid() else ""


def _rename_first(controller: SchemaController, name: str) -> None:
    controller.store.apply(RenameTable(named(controller.store.page.document, "work").key, name))


async def _planned_commit(bench: Bench) -> CommitDialog:
    """The dialog of a commit whose plan has arrived: it says that values are lost."""
    bench.actions["schema_commit"].trigger()
    dialog = child_of(bench.view, CommitDialog)
    await until(lambda: "lost)" in dialog.accept_button.text())
    return dialog


def _check_all(dialog: CommitDialog) -> None:
    for row in range(dialog.list.count()):
        item = dialog.list.item(row)
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


async def _save_elsewhere(url: str, comment: str) -> None:
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        head = await client.schema("HEAD")
        tables = head["tables"]
        assert isinstance(tables, list)
        tables[0]["comment"] = comment
        await client.update_schema(head)


@pytest.mark.generation5("a commit has a plan")
async def test_both_versions_are_kept_before_a_commit(bench: Bench, own: Service) -> None:
    """The notice names the folder; without room for them nothing is committed unless the user goes on."""
    async with bench.signed_in(own.url, "root", "admin") as controller:
        copies = LocalStore(Path(bench.settings.fileName()).parent / "schema", own.url).safety_copies
        copies.folder.parent.mkdir(parents=True)
        copies.folder.write_text("no folder", encoding="utf-8")
        dialog = await _planned_commit(bench)
        _check_all(dialog)
        dialog.accept_button.click()
        await until(lambda: "Nothing was committed." in dialog.fault)
        assert bench.view.header.badge.startswith("vs CURRENT v3")
        copies.folder.unlink()
        dialog.accept_button.click()
        await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")
        (kept,) = copies.all()
        assert str(kept) in bench.view.notice.text
        names = sorted(path.name for path in kept.iterdir())
        assert names == ["CURRENT v3.json", "HEAD v4.json", "plan.json"]
        head = json.loads((kept / "HEAD v4.json").read_bytes())
        assert [table["name"] for table in head["tables"]] == [
            each.name for each in controller.store.page.document.tables
        ]


@pytest.mark.generation5("a commit has a plan")
async def test_affected_values_are_kept_before_a_commit(bench: Bench, own: Service) -> None:
    """Where the rows can be read: one file for each table, which the dialog of the reversal names."""
    before = read_stored_rows(own.file, "work", 100_000)
    async with bench.signed_in(own.url, "root", "admin", own.file) as controller:
        copies = LocalStore(Path(bench.settings.fileName()).parent / "schema", own.url).safety_copies
        remove = remove_table(named(controller.store.page.document, "exhibition").key, dependents=True)
        controller.store.apply(remove)
        bench.actions["schema_save"].trigger()
        await until(lambda: is_saved(controller))
        dialog = await _planned_commit(bench)
        assert any("as CSV files" in label.text() for label in dialog.findChildren(QLabel))
        _check_all(dialog)
        dialog.accept_button.click()
        await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")
        (kept,) = copies.all()
        copy = copies.of_commit(4)
        assert copy is not None
        written = {path.stem.split(" ", 1)[1]: path for path in copy.values}
        assert written.keys() == {"exhibition", "exhibition__exhibit", "loan", "work"}
        lost = set(before[0]) - set(read_stored_rows(own.file, "work", 1)[0])
        with written["work"].open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert lost
        assert lost <= set(rows[0])
        kept_columns = rows[0].keys() - {"_id"}
        expected = [
            {name: "" if row[name] is None else str(row[name]) for name in ("_id", *kept_columns)}
            for row in before
            if any(row[name] is not None for name in kept_columns)
        ]
        assert rows == expected
        assert str(kept) in bench.view.notice.text
        assert "with the affected values of" in bench.view.notice.text


@pytest.mark.generation5("a commit has a plan")
async def test_a_copy_without_all_values_prevents_the_commit(
    bench: Bench, own: Service, tmp_path: Path
) -> None:
    """What the database lacks is named, and the commit stays possible without a copy."""
    other = tmp_path / "other.sqlite"
    other.touch()
    async with bench.signed_in(own.url, "root", "admin", other):
        dialog = await _planned_commit(bench)
        _check_all(dialog)
        dialog.accept_button.click()
        await until(lambda: "Missing in the database: " in dialog.fault)
        assert "Nothing was committed" in dialog.fault
        assert bench.view.header.badge.startswith("vs CURRENT v3")
        dialog.keeps_copy.setChecked(False)
        dialog.accept_button.click()
        await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")


@pytest.mark.generation5("a commit has a plan")
async def test_a_commit_is_rehearsed(bench: Bench, own: Service) -> None:
    """Step by step; the service is not changed, and the commit stays possible."""
    async with bench.signed_in(own.url, "root", "admin"):
        dialog = await _planned_commit(bench)
        button = child_of(dialog, QPushButton, "schema.commit.dialog.rehearse")
        button.click()
        await until(lambda: "Rehearsal: " in dialog.fault)
        assert not button.isEnabled()
        await until(lambda: "The rehearsed commit succeeded on a server without rows" in dialog.fault)
        assert button.isEnabled()
        assert "the result is HEAD" in dialog.fault
        _report(dialog)
        assert bench.view.header.badge.startswith("vs CURRENT v3")
        _check_all(dialog)
        assert dialog.accept_button.isEnabled()


def _report(dialog: CommitDialog) -> None:
    """The dialog about the rehearsal has all steps; there were no rows."""
    child_of(dialog, QPushButton, "schema.commit.dialog.report").click()
    report = child_of(dialog, RehearsalDialog)
    steps, rows = (report.rows.topLevelItem(at) for at in range(2))
    assert steps is not None
    assert rows is not None
    children = (steps.child(at) for at in range(steps.childCount()))
    titles = [child.text(0) for child in children if child is not None]
    assert titles[0] == "✓  A server is started"
    assert titles[-2:] == ["✓  HEAD is committed", "✓  The result is compared with HEAD"]
    assert rows.text(0) == "There were no rows: the service lists none."
    report.accept_button.click()
    assert not report.isVisible()
