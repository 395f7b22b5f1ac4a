"""A fresh database for every case, with the server called in process (ASGI) and over a real socket (TCP)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server_stub.accounts import ROOT
from server_stub.database import open_database
from server_stub.events import EventDraft
from server_stub.http.application import create_app
from server_stub.http.calls import Services
from server_stub.process.composition import compose
from tests.contract.caller import Caller, Clock
from tests.contract.transports import Stage, in_process

# Logins are their own passwords; the rights are the five of §5.2 and root.
USERS = {
    "root": (ROOT,),
    "support": ("system.api.event.get",),
    "steward": ("system.api.event.get", "system.api.event.delete"),
    "modeller": ("system.datamodel.development",),
    "releaser": ("system.datamodel.commit",),
    "viewer": (),
}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the six users, ids 1 to 6 in the order of USERS, which every case copies."""
    file = tmp_path_factory.mktemp("contract") / "template.sqlite"
    database = open_database(str(file))
    users = compose(database, demo=True, now=Clock()).users
    with database.write() as connection:
        for login, rights in USERS.items():
            users.add(connection, login, login, displayname=login.title(), rights=rights)
    database.close()
    return file


@pytest.fixture
def clock() -> Clock:
    """The server's clock, set by the test."""
    return Clock()


@pytest.fixture
def services(template: Path, tmp_path: Path, clock: Clock) -> Iterator[Services]:
    """The server's services on a copy of the template."""
    database = open_database(str(shutil.copy(template, tmp_path / "contract.sqlite")))
    yield compose(database, demo=True, now=clock)
    database.close()


@pytest.fixture
def store(services: Services) -> Callable[..., list[int]]:
    """Stores the given drafts as events and returns their ids."""

    def stored(*drafts: EventDraft) -> list[int]:
        with services.database.write() as connection:
            return list(services.log.append(connection, drafts))

    return stored


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The HTTP server shared by the TCP runs of all cases."""
    with Stage().opened() as opened:
        yield opened


@pytest.fixture(params=["asgi", "tcp"])
def caller(request: pytest.FixtureRequest, services: Services, stage: Stage) -> Iterator[Caller]:
    """Calls the server without a session; `caller.signed_in("support")` returns a caller with one."""
    app = create_app(services)
    with in_process(app) if request.param == "asgi" else stage.showing(app) as client:
        yield Caller(client)
