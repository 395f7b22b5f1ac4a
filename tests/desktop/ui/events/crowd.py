"""A log with many users: one who was active for a short time long ago, one with a single event, and none."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from server_stub.database import open_database
from server_stub.events import Actor, EventDraft
from server_stub.process.composition import compose
from tests.demo_files import create_demo
from tests.server import serving

EVENTS, USERS = 12_000, 60
BUSY, BUSY_EVENTS = Actor(2001, "easydb", "Nora Quint", "a-session"), 2_500
RARE = Actor(2002, "easydb", "Rare Bird", "a-session")
RARE_PLACE = 7_000  # from the oldest; the sample reads around it
RARE_TYPE = "SELDOM_SEEN"
NOBODYS = 240


def served(file: Path) -> Iterator[str]:
    """Serves that log; returns the address. The login is root/admin."""
    create_demo(file, 10)
    with closing(open_database(str(file))) as database:
        log = compose(database, demo=True).log
        with database.write() as connection:
            connection.exec_driver_sql("DELETE FROM _event")
            log.append(connection, _drafts(int(time.time()) - EVENTS * 60))
    with serving(file, "--chaos", "off") as url:
        yield url


def _drafts(first: int) -> list[EventDraft]:
    return [_draft(place, first + place * 60) for place in range(EVENTS)]


def _draft(place: int, moment: int) -> EventDraft:
    if place == RARE_PLACE:
        return EventDraft(RARE_TYPE, moment, RARE)
    if place % (EVENTS // NOBODYS) == 1:
        return EventDraft("SERVER_START", moment)
    user = place % USERS
    is_busy = BUSY_EVENTS <= place < 2 * BUSY_EVENTS
    actor = BUSY if is_busy else Actor(1000 + user, "easydb", f"User {user:02d}", "a-session")
    return EventDraft("SEARCH", moment, actor)
