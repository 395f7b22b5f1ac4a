"""Filling: the same seed makes the same house, and an interrupted one is made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Row, func, inspect, select, table, text

from server_stub.database.bulk import missing_indexes
from server_stub.database.tables import configuration, event, user
from server_stub.demo import House, fill
from server_stub.events import EventLog

_OWN_CHANCE = frozenset({"_user"})


def _everything(house: House) -> dict[str, Sequence[Row[*tuple[object, ...]]]]:
    """All rows of all tables; passwords are salted, so users are compared without."""
    with house.database.read() as connection:
        names = set(inspect(connection).get_table_names()) - _OWN_CHANCE
        rows = {name: connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in names}  # noqa: S608
        people = select(user.c.id, user.c.login, user.c.type, user.c.displayname, user.c.rights)
        return {**rows, "_user": connection.execute(people).all()}


def test_same_seed_same_data(new_house: Callable[[str], House]) -> None:
    """Two houses with the same seed and clock hold the same rows in all tables; another seed differs."""
    one, same, other = new_house("one"), new_house("same"), new_house("other")
    for house, seed in ((one, 7), (same, 7), (other, 8)):
        fill(house, events=2_000, seed=seed)
    assert _everything(one) == _everything(same)
    assert _everything(one)["_event"] != _everything(other)["_event"]
    assert _everything(one)["work"] != _everything(other)["work"]


class _Interrupted(EventLog):
    """A log that fails at its fifth transaction, like a process that is killed there."""

    _transactions = 0

    def append_rows(self, connection: Connection, rows: Sequence[tuple[object, ...]]) -> range:
        self._transactions += 1
        if self._transactions == 5:
            raise RuntimeError("killed")
        return super().append_rows(connection, rows)


def test_an_interrupted_filling_is_done_anew(new_house: Callable[[str], House]) -> None:
    """What was half filled has no users, and the next filling ends like one that nothing interrupted."""
    house, whole = new_house("house"), new_house("whole")
    with pytest.raises(RuntimeError, match="killed"):
        fill(replace(house, log=_Interrupted(house.database, "instance-uuid")), events=1_500)
    with house.database.read() as connection:
        assert house.users.is_empty(connection)
        assert connection.execute(select(func.count()).select_from(table("work"))).scalar_one() == 0
    fill(house, events=1_500)
    fill(whole, events=1_500)
    assert _everything(house) == _everything(whole)
    with house.database.read() as connection:
        assert connection.execute(select(configuration)).all() == []
        assert missing_indexes(connection, event) == []


@pytest.mark.parametrize("events", [3, 40, 700])
def test_any_number_of_events(new_house: Callable[[str], House], events: int) -> None:
    """A short log has exactly as many events as wanted, the three commits among them."""
    house = new_house("short")
    fill(house, events=events)
    with house.database.read() as connection:
        types = connection.execute(select(event.c.type)).scalars().all()
    assert len(types) == events
    assert types.count("SCHEMA_COMMIT") == 3
