"""Addition of this server, GET schema/user/HEAD/plan: the changes of a commit and the affected rows."""

from typing import Any

import pytest
from sqlalchemy import Connection

from server_stub.events import Actor
from server_stub.http.services import Services
from server_stub.schema.commit.impact import preview_commit
from server_stub.schema.versions import Versions
from tests.contract.caller import Caller, assert_error
from tests.contract.documents import Json, column, field, museum, named, schema, table

HEAD, PLAN = "schema/user/HEAD", "schema/user/HEAD/plan"


def _started(caller: Caller, services: Services) -> tuple[Caller, Json]:
    """`work` with three rows under a committed schema, and the following HEAD."""
    releaser = caller.signed_in("releaser")
    work = table("work", column("title"), column("year", "number"), column("made", "date_time"))
    releaser.post(HEAD, schema(work, table("old", column("x"))))
    assert releaser.post("schema/commit").status_code == 200
    with services.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO work (title, year, made) VALUES ('Kiss', 1908, '2020-01-01T10:00:00'), "
            "('Kiss', NULL, '2020-01-02T00:00:00'), (NULL, 1900, 'lately')"
        )
        connection.exec_driver_sql("INSERT INTO old (x) VALUES ('a'), (NULL)")
    head: Json = releaser.get(HEAD, format="json").json()
    return releaser, head


def test_before_the_first_schema(caller: Caller) -> None:
    """Without a version the response is 404 (§4.6)."""
    answer = caller.signed_in("modeller").get(PLAN)
    assert_error(answer, "error.user.instance_not_found", 404, id="HEAD")


def test_needs_the_right_to_develop(caller: Caller) -> None:
    """The plan requires the right to change HEAD; the right to read is not enough (§5.2)."""
    right = "system.datamodel.development"
    assert_error(caller.signed_in("viewer").get(PLAN), "error.user.no_system_right", 403, right=right)
    assert_error(caller.with_session().get(PLAN), "error.user.not_authenticated", 403)


@pytest.mark.parametrize("version", ["CURRENT", "1", "head"])
def test_only_head_has_one(caller: Caller, version: str) -> None:
    """Committed versions have no plan."""
    answer = caller.signed_in("modeller").get(f"schema/user/{version}/plan")
    assert_error(answer, "error.api.invalid_value")


def test_the_first_commit(caller: Caller) -> None:
    """The first plan only creates elements, affects no rows, and has no CURRENT."""
    modeller = caller.signed_in("modeller")
    modeller.post(HEAD, museum())
    plan = modeller.get(PLAN).json()
    assert (plan["current_version"], plan["head_version"]) == (None, 1)
    made = {step["table"] for step in plan["steps"] if step["action"] == "create_table"}
    assert made == {"work", "work__part", "work__part__note", "artist", "place"}
    assert all("stake" not in step for step in plan["steps"])


def test_impacts_and_refusals(caller: Caller, services: Services) -> None:
    """The plan counts affected rows and values, and the commit fails as it predicts."""
    releaser, head = _started(caller, services)
    work = named(head, "work")
    work["name"] = "piece"
    field(head, "piece", "title")["not_null"] = True
    field(head, "piece", "made")["type"] = "date"
    work["columns"].remove(field(head, "piece", "year"))
    head["tables"] = [work]
    assert releaser.post(HEAD, head).status_code == 200
    plan = releaser.get(PLAN).json()
    stakes = {step["action"]: step["stake"] for step in plan["steps"] if "stake" in step}
    assert stakes == {
        "convert_column": {"rows": 3, "values": 3, "blocking": 1, "lossy": 1},
        "require_not_null": {"rows": 3, "values": 2, "blocking": 1},
        "drop_column": {"rows": 3, "values": 2},
        "drop_table": {"rows": 2, "values": 1},
    }
    first = next(step["refusal"] for step in plan["steps"] if "refusal" in step)
    answer = releaser.post("schema/commit")
    assert (answer.status_code, answer.json()) == (400, first)


def test_digest_of_the_plan(caller: Caller, services: Services) -> None:
    """The plan is stable, and its digest changes with the content of HEAD."""
    releaser, head = _started(caller, services)
    before = releaser.get(PLAN).json()
    assert (before["current_version"], before["head_version"], before["steps"]) == (1, 2, [])
    assert releaser.get(PLAN).json() == before
    named(head, "work")["comment"] = "said"
    assert releaser.post(HEAD, head).status_code == 200
    after = releaser.get(PLAN).json()
    assert after["steps"] == []
    assert after["head_digest"] != before["head_digest"]
    assert releaser.get(HEAD, format="json").json()["version"] == after["head_version"]


def test_a_commit_while_the_plan_counts(
    caller: Caller, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan that has seen the version before is made again: its tables have other names now."""
    releaser, head = _started(caller, services)
    named(head, "work")["name"] = "piece"
    named(head, "piece")["columns"].remove(field(head, "piece", "year"))
    assert releaser.post(HEAD, head).status_code == 200
    commits = iter([lambda: services.schemas.commit(Actor(1, "system", "Root"))])

    def preview(connection: Connection) -> dict[str, Any]:
        assert Versions(connection).current_number()
        next(commits, lambda: None)()
        return preview_commit(connection)

    monkeypatch.setattr("server_stub.schema.service.preview_commit", preview)
    plan = services.schemas.plan()
    assert (plan["current_version"], plan["steps"]) == (2, [])
