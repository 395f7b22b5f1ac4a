"""Tests of what stays for another day: where boxes stand, and work that was not saved."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cdb_desktop.schema.keeping import Draft, Keeping
from cdb_desktop.schema.places import TablePlace
from cdb_desktop.schema.table_edits import RenameTable
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.drafts import Drafts
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.times import choose_zone, chosen_zone
from tests.desktop.patience import until
from tests.desktop.schema.models import named
from tests.desktop.ui.schema.conftest import Bench


async def test_unsaved_work_is_offered_at_the_next_opening(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """The end of the program writes it down; Restore brings it back as one step."""
    async with bench.signed_in(reference_server, "modeller") as controller:
        assert controller.store.page is not None
        work = named(controller.store.page.document, "work").key
        controller.store.apply(RenameTable(work, "opus"))
        await asyncio.sleep(0)
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        await until(next_bench.view.offer.isVisible)
        assert next_bench.view.offer.text.startswith("Work on HEAD from")
        assert next_bench.view.offer.text.endswith(" (local time) was not saved. Go on with it?")
        next_bench.view.offer.offers[0].click()
        assert controller.store.page is not None
        assert controller.store.page.document.by_key[work].name == "opus"
        assert next_bench.view.header.note == "not saved"
        next_bench.actions["schema_undo"].trigger()
        assert next_bench.view.header.note != "not saved"


async def test_unsaved_work_is_dated_in_the_chosen_zone(bench: Bench, tmp_path: Path) -> None:
    """And the zone is named, for it is written on a line of its own."""
    before = chosen_zone()
    async with bench.with_museum() as controller:
        assert controller.store.page is not None
        document = controller.store.page.document
        kept_at = datetime(2026, 11, 20, 23, 30, 5, tzinfo=timezone(timedelta(hours=-3)))
        choose_zone("utc")
        try:
            keeping, tasks = Keeping(tmp_path, "museum"), Tasks(_raise, bench.view)
            drafts = Drafts(controller.store, bench.view.offer, tasks, keeping, Aside())
            drafts.offer(Draft(document, document, kept_at))
        finally:
            choose_zone(before)
        assert bench.view.offer.text.startswith("Work on HEAD from 2026-11-21 02:30:05 (UTC) was")


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
        assert next_bench.view.diagram.line_rect(TablePlace(key)) is not None


def _raise(error: Exception) -> None:
    raise error
