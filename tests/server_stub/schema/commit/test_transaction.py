"""Commits change the tables of a database atomically and preserve rows."""

import pytest

from server_stub.foundation.errors import UserError
from server_stub.schema import CommitResult
from tests.server_stub.schema.documents import (
    Json,
    column,
    column_of,
    document,
    foreign_key,
    museum,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import ROOT, Harness

pytestmark = pytest.mark.usefixtures("both_ways")


def test_every_kind_of_table_is_laid_out(harness: Harness) -> None:
    """Links, nested tables, hierarchy, pool, tags and unique keys become columns and constraints."""
    harness.schemas.save_head(museum())
    done = harness.commit()
    assert done == CommitResult(1, ("work", "artist", "place", "image"))
    assert len(harness.tables()) == 6


def test_nothing_saved_is_nothing_to_commit(harness: Harness) -> None:
    """A repeated commit does not change CURRENT or the log."""
    harness.save_and_commit(museum())
    assert harness.commit() == CommitResult(1)
    assert harness.sql("SELECT count(*) FROM _event") == [(1,)]


def test_a_commit_needs_a_version(harness: Harness) -> None:
    """An empty server has no HEAD to commit."""
    with pytest.raises(UserError) as caught:
        harness.schemas.commit(ROOT)
    assert caught.value.code == "error.user.instance_not_found"


def test_an_old_name_can_be_used_again_at_once(harness: Harness) -> None:
    """The name of a renamed or dropped element can be reused in the same commit."""
    harness.save_and_commit(
        document(table("work", column("title"), unique_keys=[unique_key("title")]), table("old", column("x")))
    )
    harness.sql("INSERT INTO work(_id, title) VALUES (1, 'Dawn')")
    harness.sql("INSERT INTO old(_id, x) VALUES (1, 'gone')")
    head = harness.change()
    work, _ = head["tables"]
    work["name"] = "piece"
    work["columns"][0]["name"] = "heading"
    work["columns"].append(column("title", "number"))
    head["tables"] = [work, table("work", column("title"), unique_keys=[unique_key("title")]), table("old")]
    harness.save_and_commit(head)
    assert harness.sql("SELECT heading, title FROM piece") == [("Dawn", None)]
    assert harness.sql("SELECT count(*) FROM work") == [(0,)]
    assert harness.sql("SELECT count(*) FROM old") == [(0,)]


def test_a_dropped_column_s_name_goes_to_a_new_column(harness: Harness) -> None:
    """A new column with the name of a dropped one does not get its values."""
    harness.save_and_commit(document(table("work", column("title"), column("note"))))
    harness.sql("INSERT INTO work(_id, title, note) VALUES (1, 'Dawn', 'kept')")
    head = harness.change()
    head["tables"][0]["columns"][0] = column("title", "number", default=5)
    harness.save_and_commit(head)
    assert harness.sql("SELECT title, note FROM work") == [(5, "kept")]


def test_tables_that_link_in_a_circle(harness: Harness) -> None:
    """Cyclic links can be created and dropped in one commit."""
    ring = [
        table(name, column("next", "link"), foreign_keys=[foreign_key("next", target)])
        for name, target in (("aa", "bb"), ("bb", "cc"), ("cc", "aa"))
    ]
    own = table("own", column("next", "link"), foreign_keys=[foreign_key("next", "own")])
    harness.save_and_commit(document(*ring, own))
    harness.sql("INSERT INTO own(_id, next) VALUES (1, 1)")
    head = harness.change()
    head["tables"] = [named(head, "own")]
    harness.save_and_commit(head)
    assert set(harness.tables()) == {"own"}


def test_rows_go_with_their_owner(harness: Harness) -> None:
    """Nested rows are deleted with their owner, also after the table was rebuilt."""
    harness.save_and_commit(museum())
    harness.sql("INSERT INTO work(_id) VALUES (1)")
    harness.sql("INSERT INTO work__artists(_id, _uplink_id) VALUES (1, 1)")
    head = harness.change()
    column_of(named(head, "work"), "year")["not_null"] = True
    column_of(named(head, "work"), "year")["default"] = 1900
    harness.sql("UPDATE work SET year = 1907")
    harness.save_and_commit(head)
    assert harness.sql("SELECT count(*) FROM work__artists") == [(1,)]
    harness.sql("DELETE FROM work")
    assert harness.sql("SELECT count(*) FROM work__artists") == [(0,)]


def test_unique_among_the_true_ones(harness: Harness) -> None:
    """`unique_true` allows one true row for each owner."""
    key: Json = {
        "columns": [{"auto_column_uplink": True}, {"column_name_hint": "main", "unique_true": True}],
    }
    nested = table(
        "work__titles", column("text"), column("main", "boolean"), unique_keys=[key], **owned_by("work")
    )
    harness.save_and_commit(document(table("work", place_of("work__titles")), nested))
    harness.sql("INSERT INTO work(_id) VALUES (1), (2)")
    harness.sql("INSERT INTO work__titles(_uplink_id, main) VALUES (1, 1), (1, 0), (1, 0), (2, 1)")
    with pytest.raises(Exception, match="UNIQUE constraint failed"):
        harness.sql("INSERT INTO work__titles(_uplink_id, main) VALUES (2, 1)")


def test_changes_count_for_the_top_level_table(harness: Harness) -> None:
    """Changes of a nested table reindex the objects of its top-level table."""
    harness.save_and_commit(museum())
    head = harness.change()
    named(head, "work__artists__roles")["columns"].append(column("note"))
    named(head, "place")["comment"] = "where it hangs"
    harness.schemas.save_head(head)
    assert harness.commit() == CommitResult(2, ("work", "place"))


def test_a_link_to_a_renamed_table_is_no_change(harness: Harness) -> None:
    """Renaming a target does not reindex the objects of the linking table."""
    harness.save_and_commit(museum())
    head = harness.change()
    named(head, "artist")["name"] = "maker"
    harness.schemas.save_head(head)
    assert harness.commit() == CommitResult(2, ("maker",))


def test_reserved_names_of_databases(harness: Harness) -> None:
    """Tables and keys may have reserved names of SQLite."""
    one = table("sqlite_things", column("x"), column("y"), unique_keys=[unique_key("x")])
    one["unique_keys"].append(unique_key("y", name="SQLite_key"))
    harness.schemas.save_head(document(one))
    harness.schemas.commit(ROOT)
    keys = "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name='_sqlite_things' ORDER BY name"
    assert harness.sql(keys) == [("_SQLite_key",), ("_sqlite_things__x_unique",)]
    head = harness.change()
    head["tables"][0]["unique_keys"].pop()
    harness.schemas.save_head(head)
    harness.schemas.commit(ROOT)
    assert harness.sql(keys) == [("_sqlite_things__x_unique",)]
