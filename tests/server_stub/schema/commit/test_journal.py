"""The journal of a commit, in the table `_journal`."""

from server_stub.schema.commit.plan import make_plan
from server_stub.schema.document.model import read_schema
from tests.server_stub.schema.documents import (
    column,
    column_of,
    document,
    foreign_key,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import NOW, Harness


def test_every_step_is_recorded(harness: Harness) -> None:
    """Every step is recorded in order with its times, including steps that only read."""
    work = table(
        "work", column("title"), column("year", "decimal.2"), column("gone"), column("place", "link")
    )
    work |= {"foreign_keys": [foreign_key("place", "place")], "unique_keys": [unique_key("title")]}
    harness.save_and_commit(document(work, table("place", column("name")), table("old", column("x"))))
    head = harness.change()
    piece, town = named(head, "work"), named(head, "place")
    piece["name"], town["name"] = "piece", "town"
    column_of(piece, "year").update(type="text", not_null=True)
    column_of(piece, "title").update(name="heading", check="not_empty")
    piece["columns"] = [one for one in piece["columns"] if one["name"] != "gone"]
    piece["columns"] += [column("note", default="x"), place_of("piece__parts")]
    piece["unique_keys"] = [unique_key("heading", "note")]
    parts = table("piece__parts", column("label"), **owned_by("piece"))
    head["tables"] = [piece, town, parts]
    after = read_schema(harness.schemas.save_head(head))
    plan = make_plan(read_schema(harness.schemas.read("CURRENT")), after, link_ahead=True)
    harness.commit()
    rows = harness.sql("SELECT step, state, action, begun, ended FROM _journal WHERE version=2 ORDER BY step")
    assert rows == [
        (number, "done", type(step).__name__, NOW, NOW) for number, step in enumerate(plan.steps, 1)
    ]
    assert len({type(step) for step in plan.steps}) >= 12
