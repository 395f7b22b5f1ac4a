"""Filling with the demo: deterministic, and repeated after an interruption."""

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Row, func, inspect, select, table, text

from server_stub.database.bulk import missing_indexes
from server_stub.database.tables import configuration, event, user
from server_stub.demo import DemoServices, fill
from server_stub.events import EventDraft, EventLog

_OWN_CHANCE = frozenset({"_user"})


def _everything(services: DemoServices) -> dict[str, Sequence[Row[*tuple[object, ...]]]]:
    """All rows of all tables; users without their salted passwords."""
    with services.database.read() as connection:
        names = set(inspect(connection).get_table_names()) - _OWN_CHANCE
        rows = {name: connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in names}  # noqa: S608
        people = select(user.c.id, user.c.login, user.c.type, user.c.displayname, user.c.rights)
        return {**rows, "_user": connection.execute(people).all()}


def test_same_seed_same_data(new_services: Callable[[str], DemoServices]) -> None:
    """Two databases with the same seed and time hold the same rows in all tables; another seed differs."""
    rows = []
    for name, seed in (("one", 7), ("same", 7), ("other", 8)):
        services = new_services(name)
        fill(services, events=40, seed=seed)
        rows.append(_everything(services))
    assert rows[0] == rows[1]
    assert rows[0]["_event"] != rows[2]["_event"]
    assert [len(each["_event"]) for each in rows] == [40] * 3


class _Interrupted(EventLog):
    """A log that fails at its fifth transaction, like a killed process."""

    _transactions = 0

    def append(self, connection: Connection, drafts: Sequence[EventDraft]) -> range:
        self._transactions += 1
        if self._transactions == 5:
            raise RuntimeError("killed")
        return super().append(connection, drafts)


def test_an_interrupted_filling_is_repeated(new_services: Callable[[str], DemoServices]) -> None:
    """An interrupted filling has no users, and the next one gives the same data as an uninterrupted one."""
    services, whole = new_services("interrupted"), new_services("whole")
    with pytest.raises(RuntimeError, match="killed"):
        fill(replace(services, log=_Interrupted(services.database, "instance-uuid")), events=1_500)
    with services.database.read() as connection:
        assert services.users.is_empty(connection)
        assert connection.execute(select(func.count()).select_from(table("work"))).scalar_one() == 0
    fill(services, events=1_500)
    fill(whole, events=1_500)
    assert _everything(services) == _everything(whole)
    with services.database.read() as connection:
        assert connection.execute(select(configuration)).all() == []
        assert missing_indexes(connection, event) == []


def test_a_log_of_three_events(new_services: Callable[[str], DemoServices]) -> None:
    """The shortest log has the commits only."""
    services = new_services("short")
    fill(services, events=3)
    with services.database.read() as connection:
        assert connection.execute(select(event.c.type)).scalars().all() == ["SCHEMA_COMMIT"] * 3
