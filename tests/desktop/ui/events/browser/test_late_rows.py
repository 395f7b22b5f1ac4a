"""Tests of rows that are inserted during the second in which a result ends."""

from itertools import pairwise

from cdb_desktop.client import Client
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse

_TRIES = 50


async def test_pages_are_contiguous(browse: Browse, sign_in: SignIn) -> None:
    """No event occurs in two pages, whatever was inserted in the second of the first one."""
    async with sign_in() as other, browse() as (view, controller):
        await _inserted_late(view, controller, other)
        view.table.go_to(1100)
        await until(lambda: view.model.event_at(1100) is not None)
        shown = [view.model.event_at(row) for row in range(view.model.rowCount()) if row < 1500]
        ids = [event.id for event in shown if event is not None]
        assert len(ids) == 1500
        assert all(after < before for before, after in pairwise(ids))


async def _inserted_late(view: EventsView, controller: EventsController, other: Client) -> None:
    """Inserts rows, the newest in the same second as others that came after the first page."""
    for _ in range(_TRIES):
        first = await other.insert_event("SEARCH")
        before = view.model.result
        controller.load()
        await until(lambda: view.model.result is not before and view.model.result is not None)  # noqa: B023
        late = [await other.insert_event("SEARCH") for _ in range(3)]
        if {one.timestamp for one in late} == {first.timestamp}:
            return
    raise AssertionError("never within one second")
