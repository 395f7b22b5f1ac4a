"""A fresh database for every case, SQLite or PostgreSQL, with the server called in process or over TCP."""

import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from server_stub.accounts import ROOT
from server_stub.database import open_database
from server_stub.events import EventDraft
from server_stub.http.application import create_app
from server_stub.http.services import Services
from server_stub.process.composition import compose
from tests.contract.caller import Caller, Clock
from tests.contract.transports import Stage, in_process
from tests.postgresql import Cluster, is_installed

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
def checks() -> ModuleType:
    """What needs schemathesis: loading it takes a second, which only the worker of these tests shall need."""
    return import_module("tests.contract.openapi.checks")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the six users, ids 1 to 6 in the order of USERS, which every case copies."""
    file = tmp_path_factory.mktemp("contract") / "template.sqlite"
    _add_users(str(file))
    return file


@pytest.fixture(scope="session")
def postgresql_template(cluster: Cluster) -> str:
    """The name of a PostgreSQL database with the six users, which every case copies."""
    name = cluster.create_database()
    _add_users(cluster.url(name))
    return name


def _add_users(url: str) -> None:
    database = open_database(url)
    users = compose(database, demo=True, now=Clock()).users
    with database.write() as connection:
        for login, rights in USERS.items():
            users.add(connection, login, login, displayname=login.title(), rights=rights)
    database.close()


@pytest.fixture
def clock() -> Clock:
    """The server's clock, set by the test."""
    return Clock()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Sets `transport`: how the server is called, in process or over TCP, and on which database.

    What a request may be is tested over TCP, events are found and stored by both databases and shown in the
    same way, and what schemas do to SQLite is tested next to the server's modules, and here where PostgreSQL
    is missing; `--long` tests all.
    """
    if "transport" not in metafunc.fixturenames:
        return
    match metafunc.definition.path.parent.name:
        case "requests":
            transports = ["tcp"]
        case "openapi" | "session":
            transports = ["asgi"]
        case "generation6" if metafunc.definition.path.stem != "test_events":
            transports = ["asgi"]
        case "events" if metafunc.definition.path.stem.startswith("test_list_"):
            transports = ["asgi"]
        case "schema" | "objects":
            transports = ["postgresql" if is_installed() else "asgi"]
        case _:
            transports = ["asgi", "postgresql"]
    if metafunc.config.getoption("--long"):
        transports = ["asgi", "tcp", "postgresql"]
    metafunc.parametrize("transport", transports)


@pytest.fixture
def services(
    transport: str, request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> Iterator[Services]:
    """The server's services on a copy of the template."""
    if transport != "postgresql":
        template = request.getfixturevalue("template")
        database = open_database(str(shutil.copy(template, tmp_path / "contract.sqlite")))
        yield compose(database, demo=True, now=clock)
        database.close()
        return
    cluster: Cluster = request.getfixturevalue("cluster")
    name = cluster.create_database(request.getfixturevalue("postgresql_template"))
    database = open_database(cluster.url(name))
    yield compose(database, demo=True, now=clock)
    database.close()
    cluster.drop_database(name)


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


@pytest.fixture
def caller(transport: str, services: Services, stage: Stage) -> Iterator[Caller]:
    """Calls the server without a session; `caller.signed_in("support")` returns a caller with one."""
    app = create_app(services)
    with stage.showing(app) if transport == "tcp" else in_process(app) as client:
        yield Caller(client)
