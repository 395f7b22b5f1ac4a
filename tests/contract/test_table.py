"""The table of the contract, as `cdb-server conform` tries it, in process; `--long` tries both databases."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from datetime import datetime, timedelta
from urllib.parse import parse_qsl

import httpx
import pytest
from msgspec.structs import replace

from server_stub.conformance.client import Reply, Request, ServiceClient, catalogue, post
from server_stub.conformance.context import Context
from server_stub.conformance.event_checks import POLL
from server_stub.conformance.run import GROUPS, check_service
from server_stub.conformance.schema_checks import READ
from server_stub.conformance.table import Group, Result, ServiceCheck, Verdict, line_of
from server_stub.database import open_database
from server_stub.http.application import create_app
from server_stub.http.routes.generation5 import ENDPOINTS
from server_stub.http.services import Services
from server_stub.process.composition import compose
from tests.contract.builders import event
from tests.contract.documents import column, museum, named
from tests.contract.events.seeds import random_drafts
from tests.contract.events.test_poll_rules import drafts
from tests.postgresql import Cluster, is_installed


class RecordingClient(ServiceClient):
    """A client that remembers what was called."""

    answered: list[Reply]
    services: Services

    def call(self, request: Request, token: str | None = None) -> Reply:
        """Makes a call."""
        reply = super().call(request, token)
        self.answered.append(reply)
        return reply


@pytest.fixture(
    scope="module",
    params=[
        # The demo agrees on SQLite, too: `tests/server_stub/conformance/test_run.py`.
        pytest.param("sqlite", marks=pytest.mark.long if is_installed() else ()),
        "postgresql",
    ],
)
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RecordingClient]:
    """Calls a server with a long log, new events after each sign-in and two versions of the schema."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            cluster: Cluster = request.getfixturevalue("cluster")
            name = cluster.create_database(request.getfixturevalue("postgresql_template"))
            stack.callback(cluster.drop_database, name)
            url = cluster.url(name)
        else:
            file = tmp_path_factory.mktemp("table") / "table.sqlite"
            url = str(shutil.copy(request.getfixturevalue("template"), file))
        database = open_database(url)
        stack.callback(database.close)
        services = compose(database, demo=True)
        _fill(services)
        app = create_app(services)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        made = stack.enter_context(RecordingClient("http://127.0.0.1", transport=transport))
        life = AsyncExitStack()
        made.runner.run(life.enter_async_context(app.lifespan_context(app)))
        stack.callback(lambda: made.runner.run(life.aclose()))
        made.answered = []
        made.services = services
        yield made


def _fill(services: Services) -> None:
    """Stores more events than a page has, the newest of all kinds, and commits two versions of a schema."""
    with services.database.write() as connection:
        for login, kind in (("mail", "email"), ("directory", "ldap")):
            services.users.add(connection, login, login, displayname=login.title(), kind=kind)
        services.users.add_group(connection, "editors", "Editors", range(1, 4))
        services.log.append(connection, [event("SEARCH")] * 1004)
        services.log.append(connection, list(random_drafts()))


def _step(run: Callable[[Context], None]) -> Group:
    """Something that happens between groups of checks."""
    return Group("", checks=[ServiceCheck("§6", "step", run)])


def _save(context: Context) -> None:
    assert context.call(post("schema/user/HEAD", museum())).status == 200


def _commit(context: Context) -> None:
    assert context.call(post("schema/commit")).status == 200
    head = context.schema("HEAD")
    named(head, "place")["columns"].append(column("code"))
    assert context.call(post("schema/user/HEAD", head)).status == 200
    assert context.call(post("schema/commit")).status == 200


def _results(client: RecordingClient, login: str, *groups: Group) -> Iterator[Result]:
    report = check_service(client, login, login, writes=True, show=lambda _: None, groups=groups)
    assert [line_of(each) for each in report.results if each.verdict is Verdict.DIFFERS] == []
    yield from report.results


@pytest.mark.timeout(300)  # some thousand calls
def test_everything_agrees(client: RecordingClient) -> None:
    """Every check agrees and is tried: as root, or as a user without rights."""

    def store(context: Context) -> None:
        """New events of all kinds, more than a poll answers."""
        own = context.call(post("event", {"type": "SEARCH"})).object()["_session"]["token"]
        now = datetime.fromisoformat(context.until) + timedelta(seconds=1)
        new = [*drafts(context.user_id, own), *[event("USER_LOGIN", pollable=True)] * 1010]
        with client.services.database.write() as connection:
            connection.exec_driver_sql("INSERT INTO work (_id, _version, title) VALUES (1, 1, 'Kiss')")
            moment = int(now.timestamp())
            client.services.log.append(connection, [replace(each, timestamp=moment) for each in new])

    access, errors, poll = GROUPS[2], GROUPS[3], GROUPS.index(POLL)
    results = [
        *_results(client, "root", READ, _step(_save), READ),
        *_results(client, "root", _step(_commit), *GROUPS[:poll], _step(store), *GROUPS[poll:]),
        *_results(client, "viewer", access, errors, POLL),
        *_results(client, "modeller", access),
    ]
    tried = {each.title for each in results if each.verdict is Verdict.AGREES}
    assert [line_of(each) for each in results if each.title not in tried] == []
    _expect_every_parameter(client.answered)
    for error in (reply.object() for reply in client.answered if reply.status >= 400 and reply.content):
        assert error.get("parameters", {}).keys() == set(catalogue()[error["code"]]["parameters"])
        assert ("description" in error) == (error["realm"] != "user")
        assert ("uuid" in error) == (error["realm"] == "server")


def _expect_every_parameter(answered: Sequence[Reply]) -> None:
    """Each parameter that the server describes was accepted and refused, each call answered and refused."""
    seen = set()
    for reply in answered:
        request = reply.request
        names = dict([*request.params, *parse_qsl(request.query, keep_blank_values=True)])
        fitting = (each for each in PATHS if each[0] == request.method and each[1].fullmatch(request.path))
        call = next((f"{method} {path}" for method, _, path in fitting), request.path)
        seen |= {(call, name, reply.status < 400) for name in ("", *names)}
    expected = {
        (f"{endpoint.method} {endpoint.path}", name, is_accepted)
        for endpoint in ENDPOINTS
        for name in ("", *(parameter.name for parameter in endpoint.parameters))
        for is_accepted in (True, False)
    }
    missing = expected - seen
    assert {each for each in missing if each[0] not in ELSEWHERE and each not in NEVER} == set()


# Calls that other services do not have or that change the schema, and what is refused or sent to nobody.
ELSEWHERE = {
    "GET /openapi.json",
    "GET /ready",
    "GET /schema/user/{version}/plan",
    "POST /l10n/user/{version}",
}
NEVER = {
    ("GET /settings", "", False),
    ("GET /plugin", "", False),
    ("POST /plugin/base/server/error/{uuid}", "", True),
    ("POST /schema/commit", "reindex_generate_events", True),
    # Addresses are logged, so these are sent in forms.
    ("POST /session/authenticate", "login", True),
    ("POST /session/authenticate", "password", True),
}
# Paths without parts to fill in come first.
PATHS = [
    (endpoint.method, re.compile(re.sub(r"{\w+}", "[^/]+", endpoint.path.lstrip("/"))), endpoint.path)
    for endpoint in sorted(ENDPOINTS, key=lambda endpoint: "{" in endpoint.path)
]
