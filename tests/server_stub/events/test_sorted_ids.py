"""Pages of lists sorted by several fields: the same as by sorting everything, and found in indexes."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select, text

from server_stub.database import Database, Reader, open_database
from server_stub.database.tables import event
from server_stub.events import Actor, EventDraft, EventFilter, EventLog, EventQuery, SortField
from server_stub.events import query as querying
from server_stub.events.query import SORT_FIELDS, page_ids
from tests.postgresql import Cluster

_EVENTS = 400


@pytest.fixture(params=["sqlite", "postgresql"])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database with events of few values, and many without one."""
    if request.param == "sqlite":
        database = open_database(str(tmp_path / "sorted.sqlite"))
        _fill(database)
        yield database
        database.close()
        return
    cluster: Cluster = request.getfixturevalue("cluster")
    name = cluster.create_database()
    database = open_database(cluster.url(name), partition_events=150)
    _fill(database)
    yield database
    database.close()
    cluster.drop_database(name)


def _fill(database: Database) -> None:
    random = Random(1)
    drafts = [
        EventDraft(
            random.choice(["SEARCH", "SEARCH", "OBJECT_UPDATE", "USER_LOGIN"]),
            1000 + random.randrange(40),
            random.choice([None, Actor(1, "easydb", "Ada"), Actor(2, "easydb", "Bob")]),
            base_type=random.choice([None, None, None, "user"]),
            schema=random.choice([None, "USER", "BASE"]),
            pollable=random.random() < 0.5,
            object_id=random.choice([None, None, 1, 2, 3, 17]),
            object_version=random.choice([None, 1, 1, 2]),
        )
        for _ in range(_EVENTS)
    ]
    with database.write() as connection:
        EventLog(database, "instance").append(connection, drafts)


# The last two are of few events, and of a field that is in no index.
_FILTERS = (
    EventFilter(),
    EventFilter(date_to=1020),
    EventFilter(type=("SEARCH", "OBJECT_UPDATE"), pollable=True),
    EventFilter(user_type=("easydb",), user_id=(2,), date_from=1003),
    EventFilter(object_id=(1, 2, 3), ids=((20, 200), (210, 399))),
    EventFilter(base_type=("user",), date_from=1010, date_to=1012),
    EventFilter(objecttype=("work",)),
)


@pytest.mark.parametrize("few", [0, 60])
def test_pages_are_those_of_sorting_everything(
    filled: Database, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Any fields, directions, filters, offsets and limits; where few rows are sorted and where none are."""
    monkeypatch.setattr(querying, "_FEW", few)
    random = Random(few)
    for _ in range(80):
        names = random.sample(sorted(SORT_FIELDS), random.choice([2, 2, 2, 3, 4]))
        sort = tuple(SortField(name, descending=random.random() < 0.5) for name in names)
        query = EventQuery(
            random.choice(_FILTERS),
            sort,
            random.choice([1, 7, 100, 1000]),
            random.choice([0, 3, 150, 399]),
        )
        with filled.reader() as reader:
            everything = reader.all(query.applied(select(event.c.id)), query.values)
            found = page_ids(reader, query)
        assert found is None or found == [id_ for (id_,) in everything], query


def test_behind_the_end(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """An offset behind the last row, or one of 18 digits, gives an empty page."""
    monkeypatch.setattr(querying, "_FEW", 0)
    sort = (SortField("schema"), SortField("timestamp"))
    with filled.reader() as reader:
        for offset in (_EVENTS, 10**18 - 1):
            assert page_ids(reader, EventQuery(EventFilter(), sort, 10, offset)) == []


def test_sqlite_sorts_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are many rows, SQLite reads only indexes, in their order."""
    _fill(database)
    monkeypatch.setattr(querying, "_FEW", 0)
    for sort in (
        (SortField("schema"), SortField("object_id", descending=True)),
        (SortField("base_type", descending=True), SortField("timestamp")),
        (SortField("type"), SortField("user_generated_displayname")),
        (SortField("object_version"), SortField("_id", descending=True)),
    ):
        for many in (
            EventFilter(date_to=2000),
            EventFilter(date_to=2000, pollable=True),
            EventFilter(type=("SEARCH", "OBJECT_UPDATE"), user_id=(1, 2)),
        ):
            plans = _plans(database, EventQuery(many, sort, 10, 100))
            assert len(plans) > 2
            assert all("COVERING INDEX" in plan and "TEMP" not in plan for plan in plans), (sort, plans)


@pytest.mark.parametrize("filled", ["postgresql"], indirect=True)
def test_postgresql_counts_nothing(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether few rows match is what PostgreSQL expects: to count them takes longer than a page of few."""
    monkeypatch.setattr(querying, "_FEW", 0)
    with filled.write() as connection:
        connection.execute(text("ANALYZE _event"))
    sort = (SortField("timestamp", descending=True), SortField("type"))
    few = EventFilter(type=("SEARCH",), date_from=1010, date_to=1012)
    with filled.reader() as reader:
        assert page_ids(reader, EventQuery(EventFilter(type=("SEARCH",)), sort))
        monkeypatch.delattr(Reader, "all")
        assert page_ids(reader, EventQuery(few, sort)) is None


def _plans(database: Database, query: EventQuery) -> list[str]:
    """The plans of the statements on events by which the page is found."""
    with database.read() as connection:
        driver: Any = connection.connection.dbapi_connection
        statements: list[str] = []
        driver.set_trace_callback(statements.append)
        page_ids(Reader.inside(connection), query)
        driver.set_trace_callback(None)
        of_events = [each for each in statements if "_event" in each]
        plans = [driver.execute(f"EXPLAIN QUERY PLAN {each}").fetchall() for each in of_events]
    return ["; ".join(row[3] for row in plan) for plan in plans]
