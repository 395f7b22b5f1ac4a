"""Tests of reading new events from the list of a real server, and of alarms for them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cdb_desktop.client import Client, ClientError, Event, Sort
from cdb_desktop.live.alarm_rules import AlarmRule, AlarmState, ViewAlarm
from cdb_desktop.live.alarm_watch import AlarmBatch, AlarmWatch, EventTail, ids_of
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.pattern import Condition
from tests.desktop.patience import until
from tests.server import serving


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose log the tests change."""
    file: Path = tmp_path_factory.mktemp("tail") / "log.sqlite"
    with serving(file, "--demo", "--demo-events", "4000", "--chaos", "off") as url:
        yield url


@pytest.fixture
async def client(address: str) -> AsyncIterator[Client]:
    """A client that may do everything."""
    async with Client(address) as client:
        await client.authenticate("root", "admin")
        yield client


EVERYTHING = Query()


async def _all(client: Client, query: Query = EVERYTHING) -> list[Event]:
    chosen = query.at(datetime.now(UTC)).filter
    found: list[Event] = []
    while True:
        page = await client.list_events(chosen, sort=[Sort("_id")], offset=len(found))
        found += page.events
        if len(page.events) < 1000:
            return found


async def _read_all(tail: EventTail) -> list[Event]:
    found: list[Event] = []
    while True:
        batch = await tail.read()
        found += batch.events
        if batch.is_complete:
            return found


async def test_reads_everything_after_an_event_once(client: Client) -> None:
    """From far behind, from the end, and what is new then."""
    expected = [event.id for event in await _all(client)]
    tail = EventTail(client, expected[1200])
    assert [event.id for event in await _read_all(tail)] == expected[1201:]
    assert await _read_all(tail) == []
    new = await client.insert_event("SEARCH")
    assert [event.id for event in await _read_all(tail)] == [new.id]


async def test_begins_with_the_next_event(client: Client) -> None:
    """Without a position nothing of the past is read."""
    tail = EventTail(client)
    assert await _read_all(tail) == []
    new = await client.insert_event("SEARCH")
    assert [event.id for event in await _read_all(tail)] == [new.id]


async def test_deletions_while_reading_hide_nothing(client: Client) -> None:
    """Events before the position are deleted, also the one at it, which moves all others."""
    expected = [event.id for event in await _all(client)]
    tail = EventTail(client, expected[200])
    first = await tail.read()
    assert first.events
    second = await tail.read()
    read = [event.id for event in (*first.events, *second.events)]
    await client.delete_events(expected[:150])
    await client.delete_events(read[-3:])
    rest = await _read_all(tail)
    assert read + [event.id for event in rest] == expected[201:]


async def test_whole_records_have_info(client: Client) -> None:
    """Conditions on info need them."""
    tail = EventTail(client, 0)
    assert {event.info for event in (await tail.read()).events} == {None}
    tail = EventTail(client, 0)
    tail.whole = True
    assert any(event.info is not None for event in (await tail.read()).events)


async def test_groups_are_looked_up(client: Client) -> None:
    """Only the service knows the users of a group."""
    query = Query(groups=(1,), user_types=("easydb",))
    events = await _all(client)
    expected = {event.id for event in await _all(client, query)}
    assert 0 < len(expected) < len(events)
    part = events[500:1400]
    found = await ids_of(client, query, part)
    assert {event.id for event in part} & found == {event.id for event in part} & expected


async def test_the_watch_raises_an_alarm_for_each_match(client: Client) -> None:
    """Groups, types and conditions of a view together."""
    query = Query(types=("SEARCH",), user_types=("easydb",), conditions=(Condition("a"),))
    watch_alarms: list[AlarmBatch] = []

    class EndError(Exception):
        pass

    def deliver(batch: AlarmBatch) -> None:
        watch_alarms.append(batch)
        if batch.is_complete:
            raise EndError

    errors: list[ClientError | None] = []
    watch = AlarmWatch(client, EventTail(client, 0), deliver, errors.append)
    watch.alarms = (ViewAlarm(AlarmRule("Searches"), query, AlarmState(0.0)),)
    with pytest.raises(EndError):
        await watch.run()
    listed = await _all(client, Query(types=query.types, user_types=query.user_types))
    found = [alarm.event.id for batch in watch_alarms for alarm in batch.alarms if alarm.event]
    assert found
    assert set(found) <= {event.id for event in listed}
    assert len(set(found)) == len(found)
    assert errors == []


async def test_an_event_of_the_feed_is_an_alarm_before_the_next_reading(client: Client) -> None:
    """The list is read when something has happened, not only when it is due."""
    batches: list[AlarmBatch] = []
    watch = AlarmWatch(client, EventTail(client), batches.append, lambda _error: None, interval=1_000.0)
    watch.alarms = (ViewAlarm(AlarmRule("All"), EVERYTHING, AlarmState(0.0)),)
    running = asyncio.create_task(watch.run())
    try:
        await until(lambda: batches)
        new = await client.insert_event("SEARCH")
        watch.wake()
        await until(lambda: batches[-1].alarms)
    finally:
        running.cancel()
        await asyncio.wait({running})
    assert [alarm.event and alarm.event.id for alarm in batches[-1].alarms] == [new.id]
