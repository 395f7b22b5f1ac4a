"""The schema service as the HTTP layer uses it: pointers, locks, reindexing, names (§4.6 to §4.8)."""

import pytest

from server_stub.foundation.errors import UserError
from tests.server_stub.schema.documents import column, document, museum, table
from tests.server_stub.schema.harness import ROOT, Harness


def test_only_one_of_two_writers_saves(harness: Harness) -> None:
    """HEAD can be overwritten, but not with a document that is based on an older commit."""
    harness.save_and_commit(museum())
    mine, other = harness.change(), harness.change()
    harness.save_and_commit(other)
    with pytest.raises(UserError) as caught:
        harness.schemas.save_head(mine)
    assert caught.value.parameters == {"provided": "2", "expected": "3"}


def test_a_committed_version_stays(harness: Harness) -> None:
    """Version 1 is read as it was after a second commit."""
    first = harness.save_and_commit(museum())
    harness.save_and_commit(harness.change() | {"tables": []})
    assert harness.schemas.read("1") == first
    assert harness.schemas.read("CURRENT")["tables"] == []


def test_a_refused_document_changes_nothing(harness: Harness) -> None:
    """HEAD is unchanged."""
    saved = harness.schemas.save_head(museum())
    with pytest.raises(UserError):
        harness.schemas.save_head(document(table("Work")))
    assert harness.schemas.read("HEAD") == saved


def test_reindexing_logs_every_object(harness: Harness) -> None:
    """Each object gets a pollable OBJECT_INDEX event (wire §3)."""
    harness.save_and_commit(document(table("work", column("title")), table("place")))
    harness.insert("work", *({"_id": number, "_version": 3} for number in range(1, 2101)))
    assert harness.schemas.reindex(["work", "place", "gone"], generate_events=True) == 2100
    found = harness.sql(
        "SELECT count(*), min(object_id), max(object_id), min(object_version), min(schema), min(pollable) "
        "FROM _event WHERE type = 'OBJECT_INDEX' AND objecttype = 'work' AND user_id IS NULL"
    )
    assert found == [(2100, 1, 2100, 3, "USER", 1)]


def test_reindexing_without_events(harness: Harness) -> None:
    """Nothing is logged without the option."""
    harness.save_and_commit(document(table("work", column("title"))))
    harness.sql("INSERT INTO work(_id) VALUES (1)")
    assert harness.schemas.reindex(["work"], generate_events=False) == 0
    assert harness.sql("SELECT count(*) FROM _event WHERE type = 'OBJECT_INDEX'") == [(0,)]


def test_reserved_names_are_changed_in_the_database(harness: Harness) -> None:
    """Reserved names of databases get a prefix or suffix in the physical schema."""
    harness.schemas.save_head(document(table("sqlite_x", column("xmin")), table("pg_x", column("rowid"))))
    harness.schemas.commit(ROOT)
    harness.sql("INSERT INTO _sqlite_x(xmin_) VALUES ('a')")
    harness.sql("INSERT INTO _pg_x(rowid) VALUES ('b')")
    assert harness.schemas.reindex(["sqlite_x", "pg_x"], generate_events=True) == 2
