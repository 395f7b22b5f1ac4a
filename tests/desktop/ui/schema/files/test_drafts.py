"""Tests of what is kept between starts: positions of boxes and unsaved edits."""

import asyncio
import os
from pathlib import Path

from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.model import Table
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddTable, RenameTable
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.patience import until
from tests.desktop.schema.models import named
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service


async def _left_behind(bench: Bench, url: str, name: str) -> None:
    """Leaves unsaved edits of an earlier run."""
    async with bench.signed_in(url, "modeller") as controller:
        await until(lambda: controller.store.page.is_read)
        bench.view.draft_notice.hide()
        _rename(controller, name)
        await asyncio.sleep(0)


def _rename(controller: SchemaController, name: str) -> None:
    controller.store.apply(RenameTable(_work(controller).key, name))


def _work(controller: SchemaController) -> Table:
    """The table that is named ``work`` in CURRENT."""
    page = controller.store.page
    assert page.editing.current is not None
    return page.document.by_key[named(page.editing.current, "work").key]


async def test_new_tables_are_where_they_were(bench: Bench, next_bench: Bench, reference_server: str) -> None:
    """At their place and in their group, whatever was done before the draft is restored."""
    async with bench.signed_in(reference_server, "modeller") as controller:
        view = bench.view.diagram
        await until(lambda: view.has_picture)
        bench.view.draft_notice.hide()
        controller.store.apply(AddTable("guestbook"))
        page = controller.store.page
        key = named(page.document, "guestbook").key
        bench.actions["groups_by_links"].trigger()
        await until(lambda: view.diagram_scene.diagram.arrangement.groups)
        x, y = view.diagram_scene.bounds.bottomRight().toTuple()
        view.moved.emit(key, x + 200.0, y + 100.0)
        view.settled.emit()
        before = view.diagram_scene.tables[key].pos()
        group = view.diagram_scene.diagram.arrangement.groups.by_table[key]
        await asyncio.sleep(0)
    async with next_bench.signed_in(reference_server, "modeller"):
        view = next_bench.view.diagram
        await until(lambda: view.has_picture)
        assert group.name not in {each.name for each in view.diagram_scene.diagram.arrangement.groups}
        table, item = next(iter(view.diagram_scene.tables.items()))
        view.moved.emit(table, item.x() + 5, item.y())
        view.settled.emit()
        await asyncio.sleep(0)
    async with next_bench.signed_in(reference_server, "modeller"):
        await until(next_bench.view.draft_notice.isVisible)
        next_bench.view.draft_notice.buttons[0].click()
        await until(lambda: key in view.diagram_scene.tables)
        assert view.diagram_scene.tables[key].pos() == before
        found = view.diagram_scene.diagram.arrangement.groups.by_table[key]
        assert (found.name, found.color) == (group.name, group.color)
        next_bench.actions["schema_undo"].trigger()
        assert group.name not in {each.name for each in view.diagram_scene.diagram.arrangement.groups}
        next_bench.actions["schema_redo"].trigger()
        assert view.diagram_scene.diagram.arrangement.groups.by_table[key].name == group.name


async def test_a_saved_table_keeps_its_place(bench: Bench, next_bench: Bench, own: Service) -> None:
    """The service gives it an id, under which the place is stored."""
    async with bench.signed_in(own.url, "modeller") as controller:
        view = bench.view.diagram
        await until(lambda: view.has_picture)
        controller.store.apply(AddTable("guestbook"))
        page = controller.store.page
        key = named(page.document, "guestbook").key
        controller.store.apply(AddColumn(key, "name", "text"))
        x, y = view.diagram_scene.bounds.bottomRight().toTuple()
        view.moved.emit(key, x + 200.0, y + 100.0)
        view.settled.emit()
        before = view.diagram_scene.tables[key].pos()
        await asyncio.sleep(1.2)  # the place under the former key is stored
        bench.actions["schema_save"].trigger()
        await until(lambda: key not in view.diagram_scene.tables)
        await until(lambda: controller.store.page.is_read and controller.store.page.editing.is_saved)
        await asyncio.sleep(0)
    async with next_bench.signed_in(own.url, "modeller") as controller:
        view = next_bench.view.diagram
        await until(lambda: view.has_picture)
        page = controller.store.page
        key = named(page.document, "guestbook").key
        assert view.diagram_scene.tables[key].pos() == before


def _drafts(bench: Bench) -> list[Path]:
    return sorted(Path(bench.settings.fileName()).parent.joinpath("schema").glob("*.journal"))


async def test_a_draft_that_is_ignored_is_not_overwritten(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """Neither by editing, nor by closing the notice, nor by reading the schema again."""
    await _left_behind(bench, reference_server, "opus")
    (first,) = _drafts(bench)
    before = first.read_bytes()
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_notice
        await until(offer.isVisible)
        _rename(controller, "other")
        next_bench.actions["schema_undo"].trigger()
        _rename(controller, "another")
        offer.hide()
        controller.load()
        await until(offer.isVisible)
        assert first.read_bytes() == before
        assert len(_drafts(next_bench)) == 2
    assert first.read_bytes() == before


async def test_edits_before_a_restore_become_another_draft(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """It is offered next; both exist until the user decides."""
    await _left_behind(bench, reference_server, "opus")
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_notice
        await until(offer.isVisible)
        assert offer.text.startswith("Work on HEAD from")
        assert offer.text.endswith(" (local time) was not saved. Go on with it?")
        _rename(controller, "other")
        offer.buttons[0].click()
        assert _work(controller).name == "opus"
        assert next_bench.view.header.note == "not saved"
        await until(offer.isVisible)
        assert len(_drafts(next_bench)) == 2
        offer.buttons[0].click()
        assert _work(controller).name == "other"


async def test_discarding_can_be_undone(bench: Bench, next_bench: Bench, reference_server: str) -> None:
    """Only Discard removes a draft, and Undo restores it."""
    await _left_behind(bench, reference_server, "opus")
    async with next_bench.signed_in(reference_server, "modeller"):
        offer = next_bench.view.draft_notice
        await until(offer.isVisible)
        offer.buttons[1].click()
        assert _drafts(next_bench) == []
        assert offer.text == "The unsaved work was discarded."
        offer.buttons[0].click()
        await until(lambda: offer.text.startswith("Work on HEAD from"))
        assert len(_drafts(next_bench)) == 1


async def test_several_drafts_are_offered_one_after_another(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """The newest first, and the text says how many follow."""
    for number, name in enumerate(("opus", "piece", "labour")):
        await _left_behind(bench, reference_server, name)
        newest = max(_drafts(bench), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (number + 1, number + 1))
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_notice
        await until(offer.isVisible)
        assert offer.text.endswith("2 older drafts follow.")
        offer.buttons[0].click()
        assert _work(controller).name == "labour"
        await until(offer.isVisible)
        assert offer.text.endswith("1 older draft follows.")


async def test_saving_and_undoing_everything_leave_no_draft(bench: Bench, reference_server: str) -> None:
    """There is nothing to restore."""
    async with bench.signed_in(reference_server, "modeller") as controller:
        _rename(controller, "opus")
        assert len(_drafts(bench)) == 1
        bench.actions["schema_undo"].trigger()
        assert _drafts(bench) == []


async def test_a_folder_that_cannot_be_written_is_reported(bench: Bench, reference_server: str) -> None:
    """Editing remains possible, and the user knows that drafts are not kept."""
    folder = Path(bench.settings.fileName()).parent / "schema"
    async with bench.signed_in(reference_server, "modeller") as controller:
        for file in folder.glob("*") if folder.exists() else ():
            file.unlink()
        if folder.exists():
            folder.rmdir()
        folder.write_text("not a folder", "utf-8")
        _rename(controller, "opus")
        assert bench.view.draft_notice.text.startswith("Unsaved work cannot be kept on this machine: ")
        assert _work(controller).name == "opus"


async def test_positions_of_boxes_are_kept(bench: Bench, next_bench: Bench, reference_server: str) -> None:
    """By table id, for each service."""
    async with bench.signed_in(reference_server, "viewer") as controller:
        key = named(controller.store.page.document, "tour").key
        bench.view.diagram.moved.emit(key, 1234.0, 567.0)
        bench.view.diagram.settled.emit()
        await asyncio.sleep(0)
    async with next_bench.signed_in(reference_server, "viewer"):
        assert next_bench.view.diagram.diagram_scene.tables[key].pos().x() == 1234.0
        assert next_bench.view.diagram.line_rect(TableRef(key)) is not None
