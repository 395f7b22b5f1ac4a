"""Tests of what stays for another day: where boxes stand, and work that was not saved."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.model import Table
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.drafts import DraftStore
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.drafts import Drafts
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.times import choose_zone, chosen_zone
from tests.desktop.patience import until
from tests.desktop.schema.models import named, opened
from tests.desktop.ui.schema.conftest import Bench


async def _left_behind(bench: Bench, url: str, name: str) -> None:
    """Work of an earlier run that ended without saving."""
    async with bench.signed_in(url, "modeller") as controller:
        await until(lambda: controller.store.page is not None)
        bench.view.draft_offer.hide()
        _rename(controller, name)
        await asyncio.sleep(0)


def _rename(controller: SchemaController, name: str) -> None:
    controller.store.apply(RenameTable(_work(controller).key, name))


def _work(controller: SchemaController) -> Table:
    """The table that is called ``work`` in CURRENT, whatever its name is now."""
    page = controller.store.page
    assert page is not None
    assert page.editing.current is not None
    return page.document.by_key[named(page.editing.current, "work").key]


def _drafts(bench: Bench) -> list[Path]:
    return sorted(Path(bench.settings.fileName()).parent.joinpath("schema").glob("*.journal"))


async def test_unsaved_work_is_offered_at_the_next_opening(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """Restore brings it back as one step."""
    await _left_behind(bench, reference_server, "opus")
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_offer
        await until(offer.isVisible)
        assert offer.text.startswith("Work on HEAD from")
        assert offer.text.endswith(" (local time) was not saved. Go on with it?")
        offer.buttons[0].click()
        assert _work(controller).name == "opus"
        assert next_bench.view.header.note == "not saved"
        next_bench.actions["schema_undo"].trigger()
        assert next_bench.view.header.note != "not saved"


async def test_an_offer_that_is_ignored_is_not_overwritten(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """Neither by editing, nor by closing it, nor by reading the schema again."""
    await _left_behind(bench, reference_server, "opus")
    (first,) = _drafts(bench)
    before = first.read_bytes()
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_offer
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


async def test_work_before_a_restore_becomes_a_draft_of_its_own(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """It is offered next; both are there until somebody decides."""
    await _left_behind(bench, reference_server, "opus")
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_offer
        await until(offer.isVisible)
        _rename(controller, "other")
        offer.buttons[0].click()
        assert _work(controller).name == "opus"
        await until(offer.isVisible)
        assert len(_drafts(next_bench)) == 2
        offer.buttons[0].click()
        assert _work(controller).name == "other"


async def test_discarding_is_undone(bench: Bench, next_bench: Bench, reference_server: str) -> None:
    """Only Discard takes a draft away, and not for good at once."""
    await _left_behind(bench, reference_server, "opus")
    async with next_bench.signed_in(reference_server, "modeller"):
        offer = next_bench.view.draft_offer
        await until(offer.isVisible)
        offer.buttons[1].click()
        assert _drafts(next_bench) == []
        assert offer.text == "The unsaved work was discarded."
        offer.buttons[0].click()
        await until(lambda: offer.text.startswith("Work on HEAD from"))
        assert len(_drafts(next_bench)) == 1


async def test_several_drafts_are_offered_one_after_the_other(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """The newest first, and the text says how many follow."""
    for number, name in enumerate(("opus", "piece", "labour")):
        await _left_behind(bench, reference_server, name)
        newest = max(_drafts(bench), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (number + 1, number + 1))
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        offer = next_bench.view.draft_offer
        await until(offer.isVisible)
        assert offer.text.endswith("2 older drafts follow.")
        offer.buttons[0].click()
        assert _work(controller).name == "labour"
        await until(offer.isVisible)
        assert offer.text.endswith("1 older draft follows.")


async def test_saving_and_undoing_everything_leave_no_draft(bench: Bench, reference_server: str) -> None:
    """There is nothing to come back to."""
    async with bench.signed_in(reference_server, "modeller") as controller:
        _rename(controller, "opus")
        assert len(_drafts(bench)) == 1
        bench.actions["schema_undo"].trigger()
        assert _drafts(bench) == []


async def test_a_folder_that_cannot_be_written_is_reported(bench: Bench, reference_server: str) -> None:
    """Editing goes on, and the user knows that nothing is kept."""
    folder = Path(bench.settings.fileName()).parent / "schema"
    async with bench.signed_in(reference_server, "modeller") as controller:
        for file in folder.glob("*") if folder.exists() else ():
            file.unlink()
        if folder.exists():
            folder.rmdir()
        folder.write_text("not a folder", "utf-8")
        _rename(controller, "opus")
        assert bench.view.draft_offer.text.startswith("Unsaved work cannot be kept on this machine: ")
        assert _work(controller).name == "opus"


async def test_unsaved_work_is_dated_in_the_chosen_zone(bench: Bench, tmp_path: Path) -> None:
    """The zone is named, because the line stands for itself."""
    before = chosen_zone()
    async with bench.with_museum() as controller:
        store = DraftStore(tmp_path, "museum")
        journal = store.journal()
        journal.record(None, opened())
        moment = datetime(2026, 11, 20, 23, 30, 5, tzinfo=timezone(timedelta(hours=-3))).timestamp()
        os.utime(journal.path, (moment, moment))
        journal.close()
        choose_zone("utc")
        try:
            async with Tasks(_raise, bench.view) as tasks:
                drafts = Drafts(controller.store, bench.view.draft_offer, tasks, store, Aside())
                drafts.look()
                await until(bench.view.draft_offer.isVisible)
        finally:
            choose_zone(before)
        assert bench.view.draft_offer.text.startswith("Work on HEAD from 2026-11-21 02:30:05 (UTC) was")


async def test_boxes_stand_where_they_stood(bench: Bench, next_bench: Bench, reference_server: str) -> None:
    """Positions are kept by id, for each service."""
    async with bench.signed_in(reference_server, "viewer") as controller:
        assert controller.store.page is not None
        key = named(controller.store.page.document, "tour").key
        bench.view.diagram.moved.emit(key, 1234.0, 567.0)
        bench.view.diagram.settled.emit()
        await asyncio.sleep(0)
    async with next_bench.signed_in(reference_server, "viewer"):
        assert next_bench.view.diagram.drawing.tables[key].pos().x() == 1234.0
        assert next_bench.view.diagram.line_rect(TableRef(key)) is not None


def _raise(error: Exception) -> None:
    raise error
