"""A killed commit has no effect (§3: HEAD becomes CURRENT, or it does not)."""

import signal
import subprocess
import sys

import pytest

from tests.server_stub.schema.documents import column, document, foreign_key, table, unique_key
from tests.server_stub.schema.harness import Harness

# Kills the process before the n-th step, in a handler of the log.
_COMMIT_AND_DIE = """
import logging, os, signal, sys
from server_stub.database import open_database
from server_stub.events import Actor, EventLog
from server_stub.schema import Schemas

class Death(logging.Handler):
    steps = int(sys.argv[2])
    def emit(self, record):
        Death.steps -= 1
        if Death.steps == 0:
            os.kill(os.getpid(), signal.SIGKILL)

log = logging.getLogger("server_stub.schema.commit.transaction")
log.setLevel(logging.DEBUG)
log.addHandler(Death())
database = open_database(sys.argv[1])
Schemas(database, EventLog(database, "museum"), lambda: 0).commit(Actor(1, "system", "Root"))
"""


def _prepare(harness: Harness) -> None:
    work = table("work", column("title"), column("year", "decimal.2"), column("place", "link"))
    work["foreign_keys"] = [foreign_key("place", "place")]
    harness.save_and_commit(document(work, table("place", column("name")), table("old", column("x"))))
    harness.sql("INSERT INTO place(_id, name) VALUES (1, 'Ulm')")
    harness.insert("work", *({"title": f"w{n}", "year": n, "place": 1} for n in range(1, 3001)))
    head = harness.change()
    first, place, _ = head["tables"]
    first["name"], place["name"] = "piece", "town"
    first["columns"][1]["type"] = "text"
    first["columns"][0]["not_null"] = True
    first["unique_keys"] = [unique_key("title")]
    head["tables"] = [first, place, table("other", column("x"))]
    harness.schemas.save_head(head)


def _state(harness: Harness) -> tuple[object, ...]:
    return harness.tables(), harness.sql("SELECT count(*) FROM work"), harness.sql("SELECT * FROM _event")


@pytest.mark.parametrize(
    "step", [2, 6, 9, *(pytest.param(step, marks=pytest.mark.long) for step in (1, 3, 4, 5, 7, 8, 10))]
)
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a signal of POSIX")
def test_killed_in_the_middle(harness: Harness, step: int) -> None:
    """After the kill the old state is complete, and a repeated commit succeeds."""
    _prepare(harness)
    before = _state(harness)
    command = [sys.executable, "-c", _COMMIT_AND_DIE, str(harness.path), str(step)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert _state(harness) == before
    assert harness.sql("PRAGMA integrity_check") == [("ok",)]
    assert harness.commit().version == 2
    assert harness.sql("SELECT count(*), min(year) FROM piece") == [(3000, "1.00")]
