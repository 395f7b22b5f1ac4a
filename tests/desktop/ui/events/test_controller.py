"""Tests of the event browser, with the reference server."""

from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def test_rows_are_loaded_newest_first(browse: Browse) -> None:
    """The pages that are scrolled to come then."""
    async with browse() as (view, _controller):
        model = view.model
        view.table.scrollToBottom()
        last = model.rowCount() - 1
        await until(lambda: model.index(last, 0).data())
        newest, oldest = (model.event_at(row) for row in (0, last))
        assert newest is not None
        assert oldest is not None
        assert newest.id > oldest.id == 1


async def test_a_refresh_keeps_the_same_events_visible(browse: Browse) -> None:
    """Scroll position and selection belong to events, not to row numbers."""
    async with browse() as (view, controller):
        model, table = view.model, view.table
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


async def test_a_missing_right_is_named(browse: Browse) -> None:
    """Actions that need the right are disabled (§5.2)."""
    async with browse("viewer", "viewer") as (view, _controller):
        picture = view.empty_page.state
        await until(picture.isVisible)
        assert "system.api.event.get" in picture.text
        assert picture.step == ""
