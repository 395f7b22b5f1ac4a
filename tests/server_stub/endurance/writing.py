"""`python -m tests.server_stub.endurance.writing URL EVENTS SEED`: one of several processes that fill a log.

What clients may insert is never pollable, so the writers use the server's own services, as its workers do.
"""

import sys
from random import Random

from server_stub.database import open_database
from server_stub.events import Actor, EventDraft, EventLog

_STRANGER = Actor(999, "easydb", "Stranger", "another session")
# Events that every poll returns, and events hidden from other sessions (§4.2 rules 1 and 3).
SEEN = EventDraft("OBJECT_DELETE", 1_750_000_000, _STRANGER, pollable=True)
HIDDEN = (
    EventDraft("OBJECT_INSERT", 1_750_000_000, _STRANGER, pollable=True),
    EventDraft("OBJECT_DELETE", 1_750_000_000, _STRANGER),
)
_MAX_TOGETHER = 20


def write(url: str, events: int, seed: int) -> None:
    """Stores this many visible events, and some invisible ones between them, in short transactions."""
    database, rng = open_database(url), Random(seed)
    log = EventLog(database, "endurance")
    while events > 0:
        together = min(events, rng.randint(1, _MAX_TOGETHER))
        drafts = [SEEN] * together + list(HIDDEN) * rng.randint(0, 1)
        rng.shuffle(drafts)
        with database.write() as connection:
            log.append(connection, drafts)
        events -= together
    database.close()


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
