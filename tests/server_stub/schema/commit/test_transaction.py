"""Commits change the tables of a real database, keep the rows, and leave nothing half done."""

from __future__ import annotations

import pytest

from server_stub.errors import UserError
from server_stub.schema import Commit
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
from tests.server_stub.schema.house import NOW, ROOT, House

pytestmark = pytest.mark.usefixtures("both_ways")


def test_every_kind_of_table_is_laid_out(house: House) -> None:
    """Links, nested tables, hierarchy, pool, tags and unique keys are columns and constraints."""
    house.schemas.save_head(museum())
    done = house.commit()
    assert done == Commit(1, ("work", "artist", "place", "image"))
    assert len(house.tables()) == 6


def test_a_commit_is_an_event(house: House) -> None:
    """SCHEMA_COMMIT is pollable and says the new version (wire §3)."""
    house.save_and_commit(museum())
    events = house.sql("SELECT type, timestamp, pollable, user_id, info FROM _event")
    assert events == [("SCHEMA_COMMIT", NOW, 1, 1, '{"schema":1}')]


def test_nothing_saved_is_nothing_to_commit(house: House) -> None:
    """A repeated commit leaves CURRENT and the log as they are."""
    house.save_and_commit(museum())
    assert house.commit() == Commit(1)
    assert house.sql("SELECT count(*) FROM _event") == [(1,)]


def test_a_commit_needs_a_version(house: House) -> None:
    """An empty server has no HEAD to commit."""
    with pytest.raises(UserError) as caught:
        house.schemas.commit(ROOT)
    assert caught.value.code == "error.user.instance_not_found"


def test_renaming_keeps_rows(house: House) -> None:
    """Tables and columns are known by id, whatever their names; links and nested tables follow."""
    head = house.save_and_commit(museum())
    house.sql("INSERT INTO artist(_id, name) VALUES (7, 'Anna')")
    house.sql("INSERT INTO work(_id, year) VALUES (1, 1907)")
    house.sql("INSERT INTO work__artists(_id, _uplink_id, artist) VALUES (3, 1, 7)")
    head = house.change()
    named(head, "work")["name"] = "piece"
    named(head, "artist")["name"] = "person"
    column_of(named(head, "piece"), "year")["name"] = "finished"
    house.save_and_commit(head)
    assert house.sql("SELECT _id, finished FROM piece") == [(1, 1907)]
    assert house.sql("SELECT _uplink_id, artist FROM piece__artists") == [(1, 7)]
    assert house.sql("SELECT name FROM person") == [("Anna",)]


def test_names_can_be_swapped(house: House) -> None:
    """Two tables and two columns exchange their names in one commit."""
    house.save_and_commit(document(table("aa", column("x"), column("y")), table("bb", column("z"))))
    house.sql("INSERT INTO aa(_id, x, y) VALUES (1, 'ex', 'why')")
    house.sql("INSERT INTO bb(_id, z) VALUES (2, 'zed')")
    head = house.change()
    first, second = head["tables"]
    first["name"], second["name"] = "bb", "aa"
    first["columns"][0]["name"], first["columns"][1]["name"] = "y", "x"
    house.save_and_commit(head)
    assert house.sql("SELECT _id, y, x FROM bb") == [(1, "ex", "why")]
    assert house.sql("SELECT _id, z FROM aa") == [(2, "zed")]


def test_an_old_name_can_be_used_again_at_once(house: House) -> None:
    """A renamed or dropped element leaves its name to a new one in the same commit."""
    house.save_and_commit(
        document(table("work", column("title"), unique_keys=[unique_key("title")]), table("old", column("x")))
    )
    house.sql("INSERT INTO work(_id, title) VALUES (1, 'Dawn')")
    house.sql("INSERT INTO old(_id, x) VALUES (1, 'gone')")
    head = house.change()
    work, _ = head["tables"]
    work["name"] = "piece"
    work["columns"][0]["name"] = "heading"
    work["columns"].append(column("title", "number"))
    head["tables"] = [work, table("work", column("title"), unique_keys=[unique_key("title")]), table("old")]
    house.save_and_commit(head)
    assert house.sql("SELECT heading, title FROM piece") == [("Dawn", None)]
    assert house.sql("SELECT count(*) FROM work") == [(0,)]
    assert house.sql("SELECT count(*) FROM old") == [(0,)]


def test_a_dropped_column_s_name_goes_to_a_new_column(house: House) -> None:
    """Dropping and adding under one name is no rename: the values go."""
    house.save_and_commit(document(table("work", column("title"), column("note"))))
    house.sql("INSERT INTO work(_id, title, note) VALUES (1, 'Dawn', 'kept')")
    head = house.change()
    head["tables"][0]["columns"][0] = column("title", "number", default=5)
    house.save_and_commit(head)
    assert house.sql("SELECT title, note FROM work") == [(5, "kept")]


def test_tables_that_link_in_a_circle(house: House) -> None:
    """Circles of links are made and dropped in one commit."""
    ring = [
        table(name, column("next", "link"), foreign_keys=[foreign_key("next", target)])
        for name, target in (("aa", "bb"), ("bb", "cc"), ("cc", "aa"))
    ]
    own = table("own", column("next", "link"), foreign_keys=[foreign_key("next", "own")])
    house.save_and_commit(document(*ring, own))
    house.sql("INSERT INTO own(_id, next) VALUES (1, 1)")
    head = house.change()
    head["tables"] = [named(head, "own")]
    house.save_and_commit(head)
    assert set(house.tables()) == {"own"}


def test_dropping_keeps_what_is_left(house: House) -> None:
    """A dropped target takes along the link to it, not the linking rows."""
    house.save_and_commit(museum())
    house.sql("INSERT INTO place(_id, name) VALUES (4, 'Ulm')")
    house.sql("INSERT INTO work(_id, year, place) VALUES (1, 1907, 4)")
    head = house.change()
    work = named(head, "work")
    work["columns"].remove(column_of(work, "place"))
    work["foreign_keys"] = []
    head["tables"].remove(named(head, "place"))
    house.save_and_commit(head)
    assert house.sql("SELECT _id, year FROM work") == [(1, 1907)]
    assert "place" not in house.tables()


def test_nested_tables_come_and_go(house: House) -> None:
    """A nested table added later hangs on its owner's rows; a dropped one leaves them alone."""
    house.save_and_commit(document(table("work", column("title"))))
    house.sql("INSERT INTO work(_id, title) VALUES (1, 'Dawn')")
    head = house.change()
    head["tables"][0]["columns"].append(place_of("work__notes"))
    head["tables"].append(table("work__notes", column("note"), **owned_by("work")))
    house.save_and_commit(head)
    house.sql("INSERT INTO work__notes(_id, _uplink_id, note) VALUES (1, 1, 'fine')")
    head = house.change()
    head["tables"] = [named(head, "work")]
    head["tables"][0]["columns"].pop()
    house.save_and_commit(head)
    assert house.sql("SELECT title FROM work") == [("Dawn",)]


def test_rows_go_with_their_owner(house: House) -> None:
    """Nested rows are deleted with the row that owns them, also after the table was rebuilt."""
    house.save_and_commit(museum())
    house.sql("INSERT INTO work(_id) VALUES (1)")
    house.sql("INSERT INTO work__artists(_id, _uplink_id) VALUES (1, 1)")
    head = house.change()
    column_of(named(head, "work"), "year")["not_null"] = True
    column_of(named(head, "work"), "year")["default"] = 1900
    house.sql("UPDATE work SET year = 1907")
    house.save_and_commit(head)
    assert house.sql("SELECT count(*) FROM work__artists") == [(1,)]
    house.sql("DELETE FROM work")
    assert house.sql("SELECT count(*) FROM work__artists") == [(0,)]


def test_hierarchy_pool_and_tags_can_be_switched(house: House) -> None:
    """Their columns come and go; the rows stay."""
    house.save_and_commit(document(table("place", column("name"))))
    house.sql("INSERT INTO place(_id, name) VALUES (1, 'Ulm')")
    for value in (True, False):
        head = house.change()
        head["tables"][0] |= {"is_hierarchical": value, "pool_link": value, "has_tags": value}
        house.save_and_commit(head)
    assert house.sql("SELECT name FROM place") == [("Ulm",)]


def test_a_new_required_column_takes_its_default(house: House) -> None:
    """Existing rows get the default; without one they refuse the commit."""
    house.save_and_commit(document(table("work", column("title"))))
    house.sql("INSERT INTO work(_id, title) VALUES (1, 'Dawn')")
    head = house.change()
    head["tables"][0]["columns"].append(column("shown", "boolean", not_null=True, default=True))
    house.save_and_commit(head)
    assert house.sql("SELECT shown FROM work") == [(1,)]


def test_unique_among_the_true_ones(house: House) -> None:
    """`unique_true` lets one row be the chosen one, in each owner."""
    key: Json = {
        "columns": [{"auto_column_uplink": True}, {"column_name_hint": "main", "unique_true": True}],
    }
    nested = table(
        "work__titles", column("text"), column("main", "boolean"), unique_keys=[key], **owned_by("work")
    )
    house.save_and_commit(document(table("work", place_of("work__titles")), nested))
    house.sql("INSERT INTO work(_id) VALUES (1), (2)")
    house.sql("INSERT INTO work__titles(_uplink_id, main) VALUES (1, 1), (1, 0), (1, 0), (2, 1)")
    with pytest.raises(Exception, match="UNIQUE constraint failed"):
        house.sql("INSERT INTO work__titles(_uplink_id, main) VALUES (2, 1)")


def test_changes_are_told_by_top_level_table(house: House) -> None:
    """What is reindexed are the objects whose table changed, in itself or in a nested one."""
    house.save_and_commit(museum())
    head = house.change()
    named(head, "work__artists__roles")["columns"].append(column("note"))
    named(head, "place")["comment"] = "where it hangs"
    house.schemas.save_head(head)
    assert house.commit() == Commit(2, ("work", "place"))


def test_a_link_to_a_renamed_table_is_no_change(house: House) -> None:
    """Its hint and its name follow, but no object of the linking table does."""
    house.save_and_commit(museum())
    head = house.change()
    named(head, "artist")["name"] = "maker"
    house.schemas.save_head(head)
    assert house.commit() == Commit(2, ("maker",))


def test_names_that_databases_keep_for_themselves(house: House) -> None:
    """Tables and keys may be called as SQLite's own are; they come and go like others."""
    one = table("sqlite_things", column("x"), column("y"), unique_keys=[unique_key("x")])
    one["unique_keys"].append(unique_key("y", name="SQLite_key"))
    house.schemas.save_head(document(one))
    house.schemas.commit(ROOT)
    keys = "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name='_sqlite_things' ORDER BY name"
    assert house.sql(keys) == [("_SQLite_key",), ("_sqlite_things__x_unique",)]
    head = house.change()
    head["tables"][0]["unique_keys"].pop()
    house.schemas.save_head(head)
    house.schemas.commit(ROOT)
    assert house.sql(keys) == [("_sqlite_things__x_unique",)]
