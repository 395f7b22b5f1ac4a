"""Fills an empty database with the demo house: its schema, its log, its objects, at last its people."""

from __future__ import annotations

from operator import itemgetter
from random import Random

from sqlalchemy import insert

from server_stub.database.prepared import run_prepared
from server_stub.database.tables import session
from server_stub.demo.beginning import begin, build_indexes, end
from server_stub.demo.history import Calendar, Chapter, chronicle, tell
from server_stub.demo.house import House
from server_stub.demo.objects import PURGED_IMAGES, add_objects, opening_stock
from server_stub.demo.people import add_people, everybody
from server_stub.demo.releasing import draft_head, release

# Events in a transaction.
_BATCH = 5_000
_SESSIONS = insert(session)


def fill(house: House, *, events: int = 20_000, seed: int = 1) -> None:
    """Makes the demo house in a database without users; the same seed and `now()` make the same rows.

    `events` are written for the thirty days up to `house.now()`, three at least. The users come in the last
    transaction, so a filling that was interrupted is found and done anew at the next start (see `beginning`);
    a new file is found in its place only when it is whole.
    """
    calendar = Calendar(house.now())
    stories = tell(calendar, Random(f"{seed} stories"), PURGED_IMAGES, events)
    stock = opening_stock()
    sessions: list[dict[str, object]] = []
    begin(house.database)
    for chapter in chronicle(calendar, stories, stock, Random(f"{seed} days"), events):
        _write(house, chapter)
        sessions += chapter.sessions
    draft_head(house)
    _keep(house, sessions)
    build_indexes(house.database)
    with house.database.write() as connection:
        add_objects(connection, stock.versions, Random(f"{seed} objects"))
        add_people(connection, house.users, everybody())
        end(connection)


def _write(house: House, chapter: Chapter) -> None:
    for first in range(0, len(chapter.drafts), _BATCH):
        with house.database.write() as connection:
            house.log.append(connection, chapter.drafts[first : first + _BATCH])
    if chapter.release is not None:
        release(house, chapter.release)


def _keep(house: House, sessions: list[dict[str, object]]) -> None:
    # In the order in which they lie: day by day each would change a page of its own.
    sessions.sort(key=itemgetter("reference"))
    for first in range(0, len(sessions), _BATCH):
        with house.database.write() as connection:
            run_prepared(connection, _SESSIONS, sessions[first : first + _BATCH])
