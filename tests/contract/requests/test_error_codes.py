"""§7: every code that these endpoints can return has a case; the codes are read from the server's sources.

The other codes belong to users, pools, collections, exports and objects (§7.9, last line). They are in the
catalogue, whose completeness tests/architecture checks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from server_stub.conformance.expectations import catalogue
from server_stub.foundation.resources import resource
from server_stub.http.calls import Services
from tests.contract.caller import Caller, Clock, assert_error
from tests.contract.documents import Json, column, field, foreign_key, named, schema, table

HEAD, COMMIT = "schema/user/HEAD", "schema/commit"
SOURCE = Path(__file__).parents[3] / "server_stub"
RAISERS = {"ApiError": "api", "UserError": "user", "ServerError": "server", "_server_error": "server"}


class Scene:
    """The arguments of a case: the server without a session, root, the services and the clock."""

    def __init__(self, caller: Caller, services: Services, clock: Clock, patch: pytest.MonkeyPatch) -> None:
        self.caller = caller
        self.root = caller.signed_in("root")
        self.services = services
        self.clock = clock
        self.patch = patch

    def sql(self, statement: str) -> None:
        """Changes the database behind the server's back."""
        with self.services.database.write() as connection:
            connection.exec_driver_sql(statement)

    def committed(self, *tables: Json) -> Json:
        """HEAD after a commit of some tables."""
        assert self.root.post(HEAD, schema(*tables)).status_code == 200
        assert self.root.post(COMMIT).status_code == 200
        head: Json = self.root.get(HEAD, format="json").json()
        return head

    def refused(self, head: Json) -> httpx.Response:
        """Returns the refusal of a commit."""
        assert self.root.post(HEAD, head).status_code == 200
        return self.root.post(COMMIT)

    def sign_in(self, **given: str) -> httpx.Response:
        """Returns the response to a sign-in with a new session."""
        return self.caller.with_session().post("session/authenticate", **given)


def _not_null(scene: Scene) -> httpx.Response:
    head = scene.committed(table("work", column("title")))
    scene.sql("INSERT INTO work (title) VALUES (NULL)")
    field(head, "work", "title")["not_null"] = True
    return scene.refused(head)


def _check(scene: Scene) -> httpx.Response:
    head = scene.committed(table("work", column("title")))
    scene.sql("INSERT INTO work (title) VALUES ('no address')")
    field(head, "work", "title")["check"] = "email"
    return scene.refused(head)


def _unique(scene: Scene) -> httpx.Response:
    head = scene.committed(table("work", column("title")))
    scene.sql("INSERT INTO work (title) VALUES ('Kiss'), ('Kiss')")
    named(head, "work")["unique_keys"] = [{"columns": [{"column_name_hint": "title"}]}]
    return scene.refused(head)


def _link_to_nothing(scene: Scene) -> httpx.Response:
    work = table("work", column("place", "link"), foreign_keys=[foreign_key("place", "place")])
    head = scene.committed(work, table("place", column("name")), table("town", column("name")))
    scene.sql("INSERT INTO place (_id, name) VALUES (1, 'Ulm')")
    scene.sql("INSERT INTO work (place) VALUES (1)")
    named(head, "work")["foreign_keys"] = [foreign_key("place", "town")]
    return scene.refused(head)


def _inconvertible(scene: Scene) -> httpx.Response:
    head = scene.committed(table("work", column("price", "decimal.2")))
    scene.sql("INSERT INTO work (price) VALUES (1.5)")
    field(head, "work", "price")["type"] = "number"
    return scene.refused(head)


def _blocked(scene: Scene) -> httpx.Response:
    for _ in range(20):
        scene.sign_in(login="support", password="wrong")
    return scene.sign_in(login="support", password="support")


def _expired(scene: Scene) -> httpx.Response:
    scene.clock.second += 10_000_000
    return scene.root.get("event/list")


def _disabled(scene: Scene) -> httpx.Response:
    with scene.services.database.write() as connection:
        scene.services.configuration.change(connection, {"system.log.search": False})
    return scene.root.post("event", {"type": "SEARCH"})


def _broken_database(scene: Scene) -> httpx.Response:
    scene.sql("DROP TABLE _event")
    return scene.root.get("event/list")


def _get(path: str, **params: str) -> Callable[[Scene], httpx.Response]:
    return lambda scene: scene.root.get(path, **params)


def _object(path: str, **params: str) -> Callable[[Scene], httpx.Response]:
    def ask(scene: Scene) -> httpx.Response:
        scene.committed(table("artist", column("name")))
        scene.sql("INSERT INTO artist (_id, _version, name) VALUES (1, 2, 'Klimt')")
        return scene.root.get(path, **params)

    return ask


TABLED = set(
    re.findall(r"\b((?:api|user|server)\.[a-z_]+)", resource("contract.txt").read_text(encoding="utf-8"))
)
# Codes that need more than calls, without their prefix → what causes them, and the status.
SCENES: dict[str, tuple[Callable[[Scene], httpx.Response], int]] = {
    "server.database": (_broken_database, 500),
    "user.integrity_constraint_violation": (_unique, 400),
    "user.foreign_key_constraint_violation": (_link_to_nothing, 400),
    "user.check_constraint_violation": (_check, 400),
    "user.not_null_violation": (_not_null, 400),
    "user.session_invalid": (_expired, 400),
    "user.login_disabled_to": (_blocked, 400),
    "user.objecttype_not_found": (_object("db/image/_all_fields/1"), 400),
    "user.object_not_found": (_object("db/artist/_all_fields/2"), 400),
    "user.old_schema_missing": (_object("db/artist/_all_fields/1", version="1"), 400),
    "user.event_type_disabled": (_disabled, 400),
    "user.invalid_value": (_inconvertible, 400),
}


@pytest.mark.parametrize("name", SCENES)
def test_code(
    caller: Caller, services: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The response has the code with its realm, status and parameters, description or uuid."""
    meet, status = SCENES[name]
    answer = meet(Scene(caller, services, clock, monkeypatch))
    assert_error(answer, f"error.{name}", status)
    found, entry = answer.json(), catalogue()[f"error.{name}"]
    assert found.get("parameters", {}).keys() == set(entry["parameters"])
    assert ("description" in found) == (found["realm"] != "user")
    assert ("uuid" in found) == (found["realm"] == "server")


def _raised(tree: ast.AST) -> Iterator[str]:
    """The codes that the server raises; each must be a literal."""
    definitions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in RAISERS
    )
    inside = {part for definition in definitions for part in ast.walk(definition)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISERS:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield f"{RAISERS[node.func.id]}.{first.value}"
            else:
                assert node in inside, f"{ast.unparse(node)} hides which code it raises"


def test_every_code_of_the_server_has_a_case() -> None:
    """The table and the scenes have every code that the server raises, apart from simulated faults."""
    files = (file for file in SOURCE.rglob("*.py") if "chaos" not in file.parts)
    raised = {code for file in files for code in _raised(ast.parse(file.read_text(encoding="utf-8")))}
    assert raised <= TABLED | set(SCENES)
