"""Tests of following the reindexing after a commit by the events that polls bring."""

import asyncio

import pytest
from PySide6.QtWidgets import QToolButton

from cdb_desktop.client import Client
from cdb_desktop.schema.commit.plan import Reindexing
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.patience import until
from tests.desktop.schema.models import named
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service


@pytest.mark.generation5("a commit can have events of indexed objects written")
async def test_indexed_objects_are_counted(bench: Bench, own: Service) -> None:
    """Where rows of a changed table are not counted, the total is unknown; after a while it has ended."""
    async with bench.signed_in(own.url, "root", "admin") as controller, Client(own.url) as client:
        last = (await client.authenticate("root", "admin")).current_max_event_id or 0
        document = controller.store.page.editing.document
        controller.store.apply(AddColumn(named(document, "tour").key, "guide", "text", 0))
        bench.actions["schema_save"].trigger()
        await until(lambda: controller.store.page.is_read and controller.store.page.editing.is_saved)
        await _commit(bench)
        notice = bench.view.progress_notice
        assert "waiting for the first" in notice.text
        indexed: set[tuple[str | None, int | None]] = set()
        for _ in range(100):
            polled = await client.poll(last)
            events = polled.events
            controller.add_events(events)
            last = max([last, *(event.id for event in events)])
            indexed |= {(one.objecttype, one.object_id) for one in events if one.type == "OBJECT_INDEX"}
            if indexed and not events:
                break
            await asyncio.sleep(0.02)
        assert f"{len(indexed):,} objects so far; how many there are is not known" in notice.text
        # Not before, since the events may come slowly.
        controller._commit.reindexing._quiet.setInterval(300)
        await until(lambda: f"{len(indexed):,} objects were indexed" in notice.text)
        assert notice._passing.isActive()
        assert not controller._commit.reindexing.is_following


@pytest.mark.generation5("a commit can have events of indexed objects written")
async def test_it_ends_when_all_objects_are_indexed_or_it_is_closed(bench: Bench, own: Service) -> None:
    """Events before the answer to the commit count; the same object counts once."""
    async with bench.signed_in(own.url, "root", "admin") as controller, Client(own.url) as client:
        await client.authenticate("root", "admin")
        await client.commit_schema(reindex_generate_events=True)
        events = await _indexed(client)
        reindexing, notice = controller._commit.reindexing, bench.view.progress_notice
        reindexing.begin(Reindexing(3))
        controller.add_events(events[:1])
        assert not notice.isVisible()
        reindexing.show()
        assert notice.text == "Reindexing: 1 of 3 objects indexed."
        controller.add_events(events[:2])
        assert notice.text == "Reindexing: 2 of 3 objects indexed."
        controller.add_events(events[:3])
        assert notice.text == "Reindexing is complete: 3 objects indexed."
        reindexing.begin(Reindexing(None))
        reindexing.show()
        close = child_of(notice, QToolButton, "notice.close")
        close.click()
        controller.add_events(events)
        assert not notice.isVisible()
        assert not reindexing.is_following
        _nothing_to_index(controller)
        assert not notice.isVisible()


def _nothing_to_index(controller: SchemaController) -> None:
    controller._commit.reindexing.begin(Reindexing(0))
    controller._commit.reindexing.show()


async def _indexed(client: Client) -> list:  # type: ignore[type-arg]
    for _ in range(200):
        events = [one for one in (await client.poll()).events if one.type == "OBJECT_INDEX"]
        if len(events) >= 3:
            return events
        await asyncio.sleep(0.02)
    raise AssertionError("no objects were indexed")


async def _commit(bench: Bench) -> None:
    bench.actions["schema_commit"].trigger()
    dialog = next(one for one in bench.view.findChildren(CommitDialog) if one.isVisible())
    await until(lambda: "lost)" in dialog.accept_button.text())
    for row in range(dialog.list.count()):
        dialog.list.item(row).setCheckState(dialog.list.item(row).checkState().Checked)
    dialog.events.setChecked(True)
    dialog.accept_button.click()
    await until(lambda: bench.view.header.badge == "vs CURRENT v4 · no changes")
