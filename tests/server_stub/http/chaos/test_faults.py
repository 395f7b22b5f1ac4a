"""Every fault as a client sees it, against a real server over sockets."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from server_stub.http.chaos import FAULTS
from tests.server import serving

DISCONNECTS = {
    "reset-connection": httpx.ReadError,
    "truncated-answer": httpx.RemoteProtocolError,
    "no-answer": httpx.RemoteProtocolError,
    "lost-answer": httpx.RemoteProtocolError,
}


# Faults of calls that only generation 6 has.
NEWER_OPTIONS = ("--generation", "6", "--chaos", "off")
NEWER = ("starting", "refresh-token-used", "commit-asks", "stream-dropped")


class Chaotic:
    """A signed-in client of a server whose faults it sets."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.token = ""
        self.sign_in()

    def sign_in(self) -> None:
        self.token = ""
        self.token = self("GET", "session").json()["token"]
        self("POST", "session/authenticate", {"login": "root", "password": "admin"})

    def __call__(
        self, method: str, path: str, query: dict[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        params = dict(query or {}) | ({"token": self.token} if self.token else {})
        return self.client.request(method, f"/api/v1/{path}", params=params, **more)

    def inject(self, fault: str, **rule: Any) -> None:
        """Injects a fault once, or as the rule says."""
        answer = self("PUT", "chaos", json={"rules": [{"fault": fault, "times": 1, **rule}]})
        assert answer.status_code == 200, answer.text

    def injected(self) -> int:
        return int(self("GET", "chaos").json()["injected"])

    def read(self, query: dict[str, str] | None = None) -> httpx.Response:
        return self("GET", "event/list", {"limit": "5"} | (query or {}))

    def insert(self) -> httpx.Response:
        return self("POST", "event", json={"type": "DETAIL_VIEW", "info": {"message": "chaos"}})

    def count(self) -> int:
        return int(self.read({"type": "DETAIL_VIEW"}).json()["count"])

    def head(self) -> dict[str, Any]:
        answer = self("GET", "schema/user/HEAD", {"format": "json"})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chaotic]:
    file = tmp_path_factory.mktemp("chaos") / "demo.sqlite"
    with (
        serving(file, "--demo", "--demo-events", "2000", "--chaos", "off") as url,
        httpx.Client(base_url=url, trust_env=False) as client,
    ):
        yield Chaotic(client)


@pytest.fixture
def chaos(server: Chaotic) -> Iterator[Chaotic]:
    """The client with a new session; no fault is left after the test."""
    server.sign_in()
    yield server
    server.sign_in()
    assert server("PUT", "chaos", json={}).json()["active"] is False


def _marked(answer: httpx.Response) -> str:
    return str(answer.headers.get("x-cdb-chaos", ""))


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("server-error", 500, "error.server.generic"),
        ("database-error", 500, "error.server.database"),
        ("unknown-error", 400, "error.user.not_in_the_catalogue"),
        ("session-invalid", 400, "error.user.session_invalid"),
        ("session-not-found", 400, "error.user.session_not_found"),
        ("not-authenticated", 400, "error.user.not_authenticated"),
        ("right-refused", 400, "error.user.no_system_right"),
    ],
)
def test_error_objects(chaos: Chaotic, fault: str, status: int, code: str) -> None:
    """The call is answered by an error object; that of a server error has details under its uuid."""
    chaos.inject(fault)
    answer = chaos.read()
    error = answer.json()
    assert (answer.status_code, error["code"], _marked(answer)) == (status, code, fault)
    if status == 500:
        details = chaos("GET", "server/error", {"uuid": error["uuid"]}).json()
        assert details["code"] == code
    assert chaos.read().status_code == 200


@pytest.mark.parametrize(
    ("fault", "status", "kind", "retry_after"),
    [
        ("unavailable", 503, "text/plain", None),
        ("unavailable-retry-after", 503, "text/plain", "7"),
        ("too-many-requests", 429, "text/plain", "7"),
        ("bad-gateway", 502, "text/html", None),
        ("gateway-timeout", 504, "text/html", None),
        ("web-page", 200, "text/html", None),
    ],
)
def test_answers_of_others(
    chaos: Chaotic, fault: str, status: int, kind: str, retry_after: str | None
) -> None:
    """The answer is that of a proxy or an overloaded service."""
    chaos.inject(fault, parameters={"seconds": 7} if retry_after else {})
    answer = chaos.read()
    assert (answer.status_code, _marked(answer)) == (status, fault)
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers.get("retry-after") == retry_after


@pytest.mark.parametrize(("fault", "error"), DISCONNECTS.items())
def test_lost_connections(chaos: Chaotic, fault: str, error: type[Exception]) -> None:
    """The connection ends without a whole answer, and the next call succeeds."""
    chaos.inject(fault, parameters={"seconds": 0} if fault == "no-answer" else {})
    with pytest.raises(error):
        chaos.read()
    assert chaos.read().status_code == 200
    assert chaos.injected() == 1


def test_a_session_is_ended(chaos: Chaotic) -> None:
    """Later calls of the session are refused too."""
    chaos.inject("session-ended")
    for _ in range(2):
        assert chaos.read().json()["code"] == "error.user.not_authenticated"


def test_rights_are_removed(chaos: Chaotic) -> None:
    """The session lists no rights."""
    chaos.inject("rights-removed")
    answer = chaos("GET", "session")
    assert (answer.json()["system_rights"], _marked(answer)) == ({}, "rights-removed")
    assert chaos("GET", "session").json()["system_rights"]


@pytest.mark.parametrize("fault", ["slow-database", "database-locked", "slow-answer"])
def test_slow_answers(chaos: Chaotic, fault: str) -> None:
    """The answer is whole, and late."""
    chaos.inject(fault, parameters={"seconds": 0.5})
    began = time.perf_counter()
    answer = chaos.read()
    assert time.perf_counter() - began >= 0.4
    assert (answer.status_code, _marked(answer), len(answer.json()["objects"])) == (200, fault, 5)


def test_an_oversized_answer(chaos: Chaotic) -> None:
    """The JSON remains readable, if a client reads that much."""
    chaos.inject("oversized-answer", parameters={"megabytes": 3})
    answer = chaos.read()
    assert len(answer.content) > 3 << 20
    assert len(answer.json()["objects"]) == 5


@pytest.mark.parametrize("fault", ["lost-insert-answer", "lost-answer"])
def test_an_inserted_event_without_an_answer(chaos: Chaotic, fault: str) -> None:
    """The event is stored although the answer is lost."""
    before = chaos.count()
    chaos.inject(fault, call="POST /event")
    with pytest.raises(httpx.RemoteProtocolError):
        chaos.insert()
    assert chaos.count() == before + 1


def test_a_deletion_without_an_answer(chaos: Chaotic) -> None:
    """The event is deleted although the answer is lost."""
    inserted = chaos.insert().json()["event"]["_id"]
    before = chaos.count()
    chaos.inject("lost-delete-answer")
    with pytest.raises(httpx.RemoteProtocolError):
        chaos("DELETE", "event", json=[inserted])
    assert chaos.count() == before - 1


def test_a_saved_head_and_a_commit_without_an_answer(chaos: Chaotic) -> None:
    """HEAD is saved and committed although the answers are lost."""
    head = chaos.head()
    comment = f"saved {time.time_ns()}"
    changed = head | {"tables": [head["tables"][0] | {"comment": comment}, *head["tables"][1:]]}
    changed.pop("based_on_version", None)
    chaos.inject("lost-save-answer")
    with pytest.raises(httpx.RemoteProtocolError):
        chaos("POST", "schema/user/HEAD", json=changed)
    assert chaos.head()["tables"][0]["comment"] == comment
    chaos.inject("lost-commit-answer")
    with pytest.raises(httpx.RemoteProtocolError):
        chaos("POST", "schema/commit")
    current = chaos("GET", "schema/user/CURRENT", {"format": "json"}).json()
    assert (current["version"], current["tables"][0]["comment"]) == (head["version"], comment)


def test_head_is_moved_after_it_was_read(chaos: Chaotic) -> None:
    """HEAD differs from what was read, as if somebody else had saved it; only reads of HEAD count."""
    chaos.inject("head-moved")
    current = chaos("GET", "schema/user/CURRENT", {"format": "json"})
    assert _marked(current) == ""
    first, second = chaos.head(), chaos.head()
    assert second["version"] == first["version"]
    assert second["tables"][0]["comment"].startswith("Changed by somebody else at ")
    assert second["tables"][0]["comment"] != first["tables"][0].get("comment")


def test_head_is_committed_before_it_is_saved(chaos: Chaotic) -> None:
    """The document that is saved has a version that is no longer the expected one."""
    head = chaos.head()
    chaos.inject("head-committed")
    document = {name: value for name, value in head.items() if name != "based_on_version"}
    error = chaos("POST", "schema/user/HEAD", json=document).json()
    assert error["code"] == "error.user.version_mismatch"
    assert error["parameters"] == {"provided": str(head["version"]), "expected": str(head["version"] + 1)}


def test_damaged_json(chaos: Chaotic) -> None:
    """The content type is wrong, or the JSON is broken; the length is right."""
    chaos.inject("wrong-content-type")
    answer = chaos.read()
    assert answer.headers["content-type"].startswith("text/plain")
    assert len(answer.json()["objects"]) == 5
    chaos.inject("invalid-json")
    answer = chaos.read()
    assert answer.headers["content-type"].startswith("application/json")
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        answer.json()


def test_a_clock_that_is_wrong(chaos: Chaotic) -> None:
    """All times of an answer are shifted by the same span; Date occurs once."""
    plain = chaos.read().json()["objects"][0]["event"]["timestamp"]
    chaos.inject("clock-skew", parameters={"seconds": 366 * 86_400})
    answer = chaos.read()
    shifted = answer.json()["objects"][0]["event"]["timestamp"]
    assert int(shifted[:4]) == int(plain[:4]) + 1
    assert shifted[10:] == plain[10:]
    assert len(answer.headers.get_list("date")) == 1
    before = chaos.read().headers["date"]
    assert int(answer.headers["date"].split()[3]) == int(before.split()[3]) + 1


def _poll(chaos: Chaotic, cursor: int) -> list[int]:
    answer = chaos("GET", f"event/poll/{cursor}")
    assert answer.status_code == 200, answer.text
    return [record["event"]["_id"] for record in answer.json()]


def _pollable(chaos: Chaotic) -> int:
    """Causes a pollable event, a sign-in of another session, and returns its id."""
    own, chaos.token = chaos.token, ""
    chaos.sign_in()
    newest = int(chaos("GET", "session").json()["current_max_event_id"])
    chaos.token = own
    return newest


def test_duplicate_and_reversed_polls(chaos: Chaotic) -> None:
    """Events are repeated or in the wrong order; a poll with nothing new is left alone."""
    cursor = int(chaos("GET", "session").json()["current_max_event_id"])
    chaos.inject("poll-duplicates")
    assert _poll(chaos, cursor) == []
    assert chaos.injected() == 0
    first = _pollable(chaos)
    assert _poll(chaos, cursor) == [first, first]
    second = _pollable(chaos)
    chaos.inject("poll-reversed")
    assert _poll(chaos, cursor) == [second, first]


def test_a_gap_of_polls_is_filled_later(chaos: Chaotic) -> None:
    """An event comes after a later one, when the cursor has passed it; other sessions see no gap."""
    cursor = int(chaos("GET", "session").json()["current_max_event_id"])
    chaos.inject("poll-gap")
    first = _pollable(chaos)
    assert _poll(chaos, cursor) == []
    assert _poll(chaos, cursor) == []
    second = _pollable(chaos)
    assert _poll(chaos, cursor) == [second]
    assert _poll(chaos, second) == [first]
    assert _poll(chaos, second) == []
    assert chaos.injected() == 1


def test_pages(chaos: Chaotic) -> None:
    """A page is in the opposite order, or empty, while the count stays."""
    plain = chaos.read().json()
    chaos.inject("list-reversed")
    assert chaos.read().json()["objects"] == plain["objects"][::-1]
    chaos.inject("list-empty")
    empty = chaos.read().json()
    assert empty["objects"] == []
    assert empty["count"] == plain["count"]


def test_version_headers(chaos: Chaotic) -> None:
    """The versions in the headers are others, or missing."""
    name, interface = "x-easydb-user-schema-version", "x-easydb-api-version"
    version = int(chaos.read().headers[name])
    chaos.inject("other-schema-version")
    assert int(chaos.read().headers[name]) == version + 1
    chaos.inject("other-api-version")
    assert chaos.read().headers[interface] == "2"
    chaos.inject("no-version-headers")
    assert not {name, interface} & chaos.read().headers.keys()


def test_faults_of_generation_6(tmp_path: Path) -> None:
    """A state in the header, a refresh token that is used up, a question, a stream that ends."""
    with (
        serving(tmp_path / "demo.sqlite", "--demo", "--demo-events", "10", *NEWER_OPTIONS) as url,
        httpx.Client(base_url=url, trust_env=False) as client,
    ):
        form = {"client_id": "web-client", "username": "root", "password": "admin", "scope": "offline"}

        def tokens(grant: str, **more: str) -> httpx.Response:
            return client.post("/api/oauth2/token", data=form | more | {"grant_type": grant})

        given = tokens("password").json()
        client.headers["authorization"] = f"Bearer {given['access_token']}"
        rules = [{"fault": name, "times": 1} for name in NEWER if name != "starting"]
        rules.append({"fault": "starting", "call": "GET /settings", "times": 1})
        assert client.put("/api/v1/chaos", json={"rules": rules}).status_code == 200
        starting = client.get("/api/v1/settings")
        assert (starting.status_code, starting.headers["x-fylr-status"]) == (503, "startup")
        for status in (400, 200):
            assert tokens("refresh_token", refresh_token=given["refresh_token"]).status_code == status
        asked = client.post("/api/v1/schema/commit")
        assert (asked.status_code, len(asked.json()["tasks"])) == (202, 1)
        address = f"ws{url.removeprefix('http')}/api/v1/event/stream"
        signed_in = {"authorization": client.headers["authorization"]}
        with connect(address, additional_headers=signed_in, proxy=None) as stream:
            shown = {"event": {"type": "SEARCH", "pollable": True}}
            for _ in range(2):
                assert client.post("/api/v1/event", json=shown).status_code == 200
            assert "SEARCH" in str(stream.recv(timeout=30))
            with pytest.raises(ConnectionClosed):
                stream.recv(timeout=30)
        state = client.get("/api/v1/chaos").json()
        assert state["injected"] == 4
        offered = {each["name"] for each in state["faults"]}
        assert {"unknown-error", "rights-removed", *NEWER} <= offered
        assert not {"other-schema-version", "other-api-version", "no-version-headers"} & offered
        rules = [{"fault": "unknown-error", "call": "GET /settings"}, {"fault": "rights-removed"}]
        assert client.put("/api/v1/chaos", json={"rules": rules}).status_code == 200
        assert client.get("/api/v1/settings").json()["code"] == "NotInTheCatalogue"
        bare = client.get("/api/v1/user/session").json()
        assert bare["system_rights"] == bare["user"]["_system_rights"] == {}


# The calls /chaos


def test_the_state_lists_faults_rules_and_counts(chaos: Chaotic) -> None:
    """GET returns the catalogue, the rules in force and the counts; its own calls never get a fault."""
    rule = {"fault": "unavailable", "call": "GET /event/list", "every": 2}
    chaos("PUT", "chaos", json={"rules": [rule], "seed": 3})
    assert [chaos.read().status_code for _ in range(4)] == [503, 200, 503, 200]
    found = chaos("GET", "chaos").json()
    assert [each["name"] for each in found["faults"]] == [name for name in FAULTS if name not in NEWER]
    assert found["configuration"]["rules"][0].items() >= rule.items()
    assert (found["active"], found["requests"], found["injected"]) == (True, 4, 2)
    assert found["injected_by_rule"] == [2]
    one = next(each for each in found["faults"] if each["name"] == "unavailable")
    assert (one["injected"], "GET /event/list" in one["calls"]) == (2, True)


def test_wrong_rules_are_refused(chaos: Chaotic) -> None:
    """The error names the field, and the rules in force stay."""
    chaos.inject("unavailable")
    answer = chaos("PUT", "chaos", json={"rules": [{"fault": "unavailble"}]})
    error = answer.json()
    assert (answer.status_code, error["code"]) == (400, "error.api.invalid_value")
    assert error["description"] == "rules[0].fault: there is no fault 'unavailble'. Is unavailable meant?"
    assert chaos.read().status_code == 503


def test_only_root_may_change_faults(chaos: Chaotic) -> None:
    """Other users are refused, by the right of the system administrator."""
    chaos.token = ""
    chaos.token = chaos("GET", "session").json()["token"]
    chaos("POST", "session/authenticate", {"login": "support", "password": "support"})
    for method in ("GET", "PUT"):
        error = chaos(method, "chaos", **({"json": {}} if method == "PUT" else {})).json()
        assert (error["code"], error["parameters"]) == (
            "error.user.no_system_right",
            {"right": "system.root"},
        )


def test_the_description_has_the_calls(chaos: Chaotic) -> None:
    """openapi.json describes /chaos as an addition of this server."""
    described = chaos("GET", "openapi.json").json()["paths"]
    assert described["/chaos"].keys() == {"get", "put"}
    assert described["/chaos"]["put"]["x-origin"] == "addition of this server"
    assert "/event/list" in described


def test_every_fault_is_tested(chaos: Chaotic) -> None:
    """This module names every fault of the catalogue."""
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in FAULTS if f'"{name}"' not in text] == []
