"""Tests of restoring queries at the next start."""

from cdb_desktop.client import Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse

QUERY = Query(types=("SEARCH", "USER_LOGIN"), span=TimeSpan(TimePreset.MONTH), sort=(Sort("type"),))


def first_rows(view: EventsView) -> dict[str, int]:
    """The loaded types and the first row of each."""
    events = (view.model.event_at(row) for row in range(view.model.rowCount()))
    found: dict[str, int] = {}
    for row, event in enumerate(events):
        if event is not None:
            found.setdefault(event.type, row)
    return found


async def test_the_last_query_is_restored(browse: Browse, actions: Actions) -> None:
    """Filters, order and a relative period, for each user; chips and rows match it."""
    async with browse() as (view, controller):
        assert controller.query == Query()
        controller.show_query(QUERY)
    async with browse("support", "support") as (_view, controller):
        assert controller.query == Query()
    async with browse() as (view, controller):
        assert controller.query == QUERY
        assert len(view.filter_bar.summaries) == 2
        await until(lambda: view.has_rows)
        assert list(first_rows(view)) == ["SEARCH", "USER_LOGIN"]
        assert view.model.result is not None
        assert view.model.result.resolved_query.sort == QUERY.sort
        actions["clear_filters"].trigger()
    async with browse() as (_view, controller):
        assert controller.query == Query(sort=QUERY.sort)


async def test_the_history_is_restored(browse: Browse, actions: Actions) -> None:
    """Alt+Left continues into the history before the start; undone queries can be redone."""
    async with browse() as (_view, controller):
        for types in (("SEARCH",), ("USER_LOGIN",), ("OBJECT_DELETE",)):
            controller.show_query(Query(types=types))
        actions["query_back"].trigger()
    async with browse() as (view, controller):
        seen = [controller.query.types]
        for name in ("query_forward", "query_back", "query_back", "query_back"):
            assert actions[name].isEnabled()
            actions[name].trigger()
            seen.append(controller.query.types)
        assert seen == [("USER_LOGIN",), ("OBJECT_DELETE",), ("USER_LOGIN",), ("SEARCH",), ()]
        assert not actions["query_back"].isEnabled()
        await until(lambda: view.has_rows)
