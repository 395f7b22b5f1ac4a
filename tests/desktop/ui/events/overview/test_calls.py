"""Tests of the number of requests until the browser shows rows, overview and facets, through a proxy."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.client import Sort
from cdb_desktop.events.facets import FacetValue, toggled_exclusion
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.overview import controller as controller_module
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.patience import until
from tests.desktop.ui.conftest import sign_in_at
from tests.desktop.ui.events import crowd
from tests.desktop.ui.events.conftest import OpenBrowser
from tests.faults import faults
from tests.faults.proxy import Fault, FaultProxy, Forward, ReceivedRequest, fault_proxy

MOST, MOST_AT_ONCE = 40, 4
EVERYTHING = Query()
LIST = "/event/list"
DAYS = TimeSpan(
    first=datetime.now(UTC) - timedelta(days=3),
    last=datetime.now(UTC) - timedelta(hours=1),
)
Open = Callable[..., AbstractAsyncContextManager[tuple[EventsView, EventsController, FaultProxy]]]


@pytest.fixture(scope="module")
def reference_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with 12,000 events of many users."""
    yield from crowd.served(tmp_path_factory.mktemp("crowd") / "crowd.sqlite")


@pytest.fixture
def opened(reference_server: str, open_browser: OpenBrowser, actions: Actions) -> Open:
    """A context manager with a browser that loads a query with overview and facets through a proxy."""

    @asynccontextmanager
    async def made(
        query: Query = EVERYTHING, fault: Fault | None = None
    ) -> AsyncIterator[tuple[EventsView, EventsController, FaultProxy]]:
        with fault_proxy(reference_server) as proxy:
            signed_in = sign_in_at(proxy.url)()
            async with signed_in as client, open_browser(client) as (view, controller):
                actions["facets"].setChecked(True)
                view.window().resize(1920, 1000)
                if fault is not None:
                    proxy.break_with(fault, path=LIST)
                proxy.forget()
                controller._loader.set_query(QueryHistory(query))
                yield view, controller, proxy

    return made


def is_complete(view: EventsView, controller: EventsController) -> bool:
    """Whether rows, overview and facets are shown and nothing is being requested any more."""
    result, facets = view.model.result, view.panels.facets
    return (
        result is not None
        and result.total is not None
        and view.panels.histogram.overview.is_counted
        and facets.tree.topLevelItemCount() > 1
        and not facets._note.isVisible()
        and not controller._tasks.running
    )


QUERIES = {
    "everything": EVERYTHING,
    "last month": Query(span=TimeSpan(preset=TimePreset.MONTH), users=tuple(range(1000, 1050))),
    "all at once, sorted": Query(
        types=("SEARCH", "SERVER_START"), users=(1001, 2001), span=DAYS, sort=(Sort("type"),)
    ),
}


@pytest.mark.parametrize(
    ("query", "is_long", "delay"),
    [
        (EVERYTHING, True, 0),
        (EVERYTHING, False, 0),
        (QUERIES["last month"], True, 0),
        (QUERIES["all at once, sorted"], True, 0.1),
    ],
    ids=["long", "short", "last month", "all at once, far away"],
)
async def test_few_requests_show_everything(
    opened: Open, monkeypatch: pytest.MonkeyPatch, query: Query, is_long: bool, delay: float
) -> None:
    """With few at the same time; their number does not depend on that of the events of a long log."""
    if is_long:
        monkeypatch.setattr(controller_module, "_MOST_PAGES", 0)
    running = most = 0

    async def watched(_request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(delay)
        writer.write(await forward())
        running -= 1

    async with opened(query, watched) as (view, controller, proxy):
        await until(lambda: is_complete(view, controller))
        await asyncio.sleep(0.3)  # for requests that nothing waits for
        await until(lambda: is_complete(view, controller))
        assert proxy.count() <= MOST
        assert most <= MOST_AT_ONCE
        histogram, result = view.panels.histogram.overview, view.model.result
        assert result is not None
        assert sum(histogram.totals) == result.total
        assert (histogram.before is None) is (query.span == TimeSpan())
        assert len(histogram.buckets) >= 7


async def test_scrolling_the_facets_counts_more(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is estimated at first is counted when the user looks for it."""
    monkeypatch.setattr(controller_module, "_MOST_PAGES", 0)
    async with opened() as (view, controller, proxy):
        await until(lambda: is_complete(view, controller))
        facets = view.panels.facets
        numbers = [item.text(1) for item in facets._items()]
        assert any(text.startswith("≈") for text in numbers)
        assert not numbers[0].startswith("≈")
        before = proxy.count()
        facets.tree.scrolled.emit()
        await until(lambda: not facets.uncounted_values() and not controller._tasks.running)
        assert proxy.count() > before


@pytest.mark.parametrize("sort", [(), (Sort("type"),)], ids=["newest first", "sorted"])
async def test_first_rows_need_two_round_trips(opened: Open, sort: tuple[Sort, ...]) -> None:
    """Whatever the latency is: nothing else is requested before them."""
    async with opened(Query(sort=sort), faults.latency(0.3)) as (view, _controller, proxy):
        await until(lambda: view.has_rows)
        assert proxy.count() <= 2 + 1  # the count begins with the rows


async def test_an_exclusion_shows_progress_and_counts_its_matches(opened: Open) -> None:
    """The matches give overview and facets without further requests."""
    query = toggled_exclusion(Query(), FacetValue(QueryPart.USER, str(crowd.BUSY.user_id)))
    async with opened(query, faults.latency(0.05)) as (view, controller, proxy):
        await until(lambda: view.count.text.count("searched") == 1)
        await until(lambda: is_complete(view, controller))
        number = crowd.EVENTS // 1000 + 1
        # The newest event, the count, the pages, the end, everything, and whole records of visible rows.
        assert proxy.count() <= number + 5 + 5
        result = view.model.result
        assert result is not None
        assert sum(view.panels.histogram.overview.totals) == result.total
        assert crowd.EVENTS - crowd.BUSY_EVENTS <= result.total <= crowd.EVENTS
