"""Fills an empty database with the demo house: its schema, its log, its objects, at last its people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from random import Random

from server_stub.database.bulk import insert_rows
from server_stub.database.tables import session
from server_stub.demo.beginning import begin, build_indexes, end
from server_stub.demo.history import Release
from server_stub.demo.house import House
from server_stub.demo.narrative import Commission, Events, Part, Sessions, narrative
from server_stub.demo.narrator import narrated_apart
from server_stub.demo.objects import add_objects
from server_stub.demo.people import add_people, everybody
from server_stub.demo.releasing import draft_head, release
from server_stub.foundation.memory import uncollected

# From so many events on it pays to have them told by a process of its own.
_MANY = 100_000


def fill(house: House, *, events: int = 20_000, seed: int = 1, apart: bool | None = None) -> None:
    """Makes the demo house in a database without users; the same seed and `now()` make the same rows.

    `events` are written for the thirty days up to `house.now()`, three at least. The users come in the last
    transaction, so a filling that was interrupted is found and done anew at the next start (see `beginning`);
    a new file is found in its place only when it is whole. `apart` says whether a second process tells what
    this one writes; unless told, many events decide so. Raises NarratorLostError.
    """
    commission = Commission(house.now(), events, seed)
    with uncollected(), _told(commission, apart=events >= _MANY if apart is None else apart) as parts:
        begin(house.database)
        versions = _write(house, parts)
    draft_head(house)
    build_indexes(house.database)
    with house.database.write() as connection:
        add_objects(connection, versions, Random(f"{seed} objects"))
        add_people(connection, house.users, everybody())
        end(connection)


@contextmanager
def _told(commission: Commission, *, apart: bool) -> Iterator[Iterable[Part]]:
    if not apart:
        yield narrative(commission)
        return
    with narrated_apart(commission) as parts:
        yield parts


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
