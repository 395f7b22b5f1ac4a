"""Tests of the event browser against the reference server."""

from __future__ import annotations

from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def test_rows_come_from_the_service_newest_first(browse: Browse) -> None:
    """The first page, then the count, then whatever somebody scrolls to."""
    async with browse() as (view, _controller):
        model = view.model
        assert (view.has_rows, model.rowCount()) == (False, 60)
        await until(lambda: model.rowCount() >= 2000)
        view.table.scrollToBottom()
        last = model.rowCount() - 1
        await until(lambda: model.index(last, 0).data())
        newest, oldest = (model.event_at(row) for row in (0, last))
        assert newest is not None
        assert oldest is not None
        assert newest.id > oldest.id == 1


async def test_a_refresh_brings_back_to_the_same_events(browse: Browse) -> None:
    """Scroll position and selection are those of events, not of row numbers."""
    async with browse() as (view, controller):
        model, table = view.model, view.table
        await until(lambda: model.rowCount() >= 2000)
        table.verticalScrollBar().setValue(1500)
        await until(lambda: model.index(1500, 0).data())
        table.selectRow(1505)
        before = [model.index(row, 0).data() for row in (table.visible_rows()[0], 1505)]
        with_old = model.result
        controller.load()
        await until(lambda: model.result is not with_old and table.selectionModel().hasSelection())
        assert [
            model.index(row, 0).data() for row in (table.visible_rows()[0], table.currentIndex().row())
        ] == before


async def test_without_the_right_it_says_so(browse: Browse) -> None:
    """The user is told which right is missing, and is offered nothing that could not work (§5.2)."""
    async with browse("viewer", "viewer") as (view, _controller):
        picture = view.empty_page.state
        await until(picture.isVisible)
        assert "system.api.event.get" in picture.text
        assert picture.step == ""
