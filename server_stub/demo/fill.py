"""Fills an empty database with the demo house: its schema, its log, its objects, at last its people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from server_stub.database.bulk import insert_rows
from server_stub.database.tables import session
from server_stub.demo.beginning import begin, build_indexes, end
from server_stub.demo.history import Release
from server_stub.demo.house import House
from server_stub.demo.narrative import Commission, Events, Part, Sessions, narrative
from server_stub.demo.objects import add_objects
from server_stub.demo.people import add_people, everybody
from server_stub.demo.releasing import draft_head, release
from server_stub.memory import uncollected


def fill(house: House, *, events: int = 20_000, seed: int = 1) -> None:
    """Makes the demo house in a database without users; the same seed and `now()` make the same rows.

    `events` are written for the thirty days up to `house.now()`, three at least. The users come in the last
    transaction, so a filling that was interrupted is found and done anew at the next start (see `beginning`);
    a new file is found in its place only when it is whole.
    """
    commission = Commission(house.now(), events, seed)
    with uncollected():
        begin(house.database)
        versions = _write(house, narrative(commission))
    draft_head(house)
    build_indexes(house.database)
    with house.database.write() as connection:
        add_objects(connection, versions, Random(f"{seed} objects"))
        add_people(connection, house.users, everybody())
        end(connection)


def _write(house: House, parts: Iterable[Part]) -> Mapping[str, Mapping[int, int]]:
    """Writes part by part, each in its transaction; answers the versions of the ending."""
    for part in parts:
        match part:
            case Events(rows):
                with house.database.write() as connection:
                    house.log.append_rows(connection, rows)
            case Sessions(rows):
                with house.database.write() as connection:
                    insert_rows(connection, session, rows)
            case Release():
                release(house, part)
            case ending:
                return ending.versions
    raise AssertionError("a narrative ends with its ending")
