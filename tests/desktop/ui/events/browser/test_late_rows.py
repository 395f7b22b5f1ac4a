"""Tests of rows that get in above a result in the second with which it ends."""

from __future__ import annotations

from itertools import pairwise

from cdb_desktop.client import Client
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse

_TRIES = 50


async def test_pages_go_on_where_the_one_before_ends(browse: Browse, sign_in: SignIn) -> None:
    """No event stands twice at the seam of two pages, whatever was written in the second of the first one."""
    async with sign_in() as other, browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await _written_late(view, controller, other)
        view.table.go_to(1100)
        await until(lambda: view.model.event_at(1100) is not None)
        shown = [view.model.event_at(row) for row in range(view.model.rowCount()) if row < 1500]
        ids = [event.id for event in shown if event is not None]
        assert len(ids) == 1500
        assert all(after < before for before, after in pairwise(ids))


async def _written_late(view: EventsView, controller: EventsController, other: Client) -> None:
    """Rows of which the newest happened in the same second as others that came after they were asked for."""
    for _ in range(_TRIES):
        first = await other.insert_event("SEARCH")
        before = view.model.result
        controller.load()
        await until(lambda: view.model.result is not before and view.model.result is not None)  # noqa: B023
        late = [await other.insert_event("SEARCH") for _ in range(3)]
        if {one.timestamp for one in late} == {first.timestamp}:
            return
    raise AssertionError("never within one second")
