"""What the HTTP layer asks of the room: pointers, locks, reindexing, names (§4.6 to §4.8)."""

from __future__ import annotations

import pytest

from server_stub.errors import ApiError, UserError
from tests.server_stub.schema.documents import column, document, museum, named, table
from tests.server_stub.schema.house import ROOT, House


@pytest.mark.parametrize("pointer", ["HEAD", "CURRENT", "1", "99999999999999999999"])
def test_an_empty_server_has_no_version(house: House, pointer: str) -> None:
    """404 for any version before the first update (§3)."""
    with pytest.raises(UserError) as caught:
        house.schemas.read(pointer)
    error = caught.value
    assert (error.code, error.status) == ("error.user.instance_not_found", 404)
    assert error.parameters == {"id": pointer}
    assert house.schemas.current_version() is None


@pytest.mark.parametrize("pointer", ["abc", "0", "-1", "head", "1.0", "", "１"])
def test_what_is_no_pointer(house: House, pointer: str) -> None:
    """Nonsense is an API error."""
    with pytest.raises(ApiError) as caught:
        house.schemas.read(pointer)
    assert caught.value.code == "error.api.invalid_value"


def test_head_becomes_version_one(house: House) -> None:
    """The first update makes HEAD, which is not CURRENT yet."""
    saved = house.schemas.save_head(museum())
    assert house.schemas.read("HEAD") == house.schemas.read("1") == saved
    assert house.schemas.current_version() is None
    with pytest.raises(UserError):
        house.schemas.read("CURRENT")


def test_head_after_a_commit(house: House) -> None:
    """HEAD has CURRENT's content under the next number, until something is saved."""
    house.save_and_commit(museum())
    current, head = house.schemas.read("CURRENT"), house.schemas.read("HEAD")
    assert head == current | {"version": 2, "based_on_version": 1}
    assert house.schemas.current_version() == current["version"] == 1
    with pytest.raises(UserError):
        house.schemas.read("2")
    house.schemas.save_head(head)
    assert house.schemas.read("2") == head


def test_committed_versions_stay(house: House) -> None:
    """Every number is readable for ever, as it was."""
    first = house.save_and_commit(museum())
    head = house.change()
    named(head, "place")["name"] = "town"
    second = house.save_and_commit(head)
    assert [house.schemas.read(str(number)) for number in (1, 2)] == [first, second]


def test_only_one_of_two_writers_saves(house: House) -> None:
    """Both may overwrite HEAD, but nobody writes over a commit that he has not seen."""
    house.save_and_commit(museum())
    mine, other = house.change(), house.change()
    house.save_and_commit(other)
    with pytest.raises(UserError) as caught:
        house.schemas.save_head(mine)
    assert caught.value.parameters == {"provided": "2", "expected": "3"}


def test_a_refused_document_changes_nothing(house: House) -> None:
    """HEAD stays what it was."""
    saved = house.schemas.save_head(museum())
    with pytest.raises(UserError):
        house.schemas.save_head(document(table("Work")))
    assert house.schemas.read("HEAD") == saved


def test_reindexing_tells_every_object(house: House) -> None:
    """One pollable OBJECT_INDEX event for each object, none for an empty table (wire §3)."""
    house.save_and_commit(document(table("work", column("title")), table("place")))
    house.insert("work", *({"_id": number, "_version": 3} for number in range(1, 2101)))
    assert house.schemas.reindex(["work", "place", "gone"], generate_events=True) == 2100
    found = house.sql(
        "SELECT count(*), min(object_id), max(object_id), min(object_version), min(schema), min(pollable) "
        "FROM _event WHERE type = 'OBJECT_INDEX' AND objecttype = 'work' AND user_id IS NULL"
    )
    assert found == [(2100, 1, 2100, 3, "USER", 1)]


def test_reindexing_without_events(house: House) -> None:
    """Nothing is logged where nobody asked for it."""
    house.save_and_commit(document(table("work", column("title"))))
    house.sql("INSERT INTO work(_id) VALUES (1)")
    assert house.schemas.reindex(["work"], generate_events=False) == 0
    assert house.sql("SELECT count(*) FROM _event WHERE type = 'OBJECT_INDEX'") == [(0,)]


def test_localised_names_go_with_versions(house: House) -> None:
    """A version without names of its own has those of the one before it (wire §6)."""
    names = {"schema.work.name": {"de-DE": "Werk"}}
    house.schemas.save_head(document(table("work")))
    assert house.schemas.names("HEAD") == {}
    assert house.schemas.save_names("HEAD", names) == names
    house.commit()
    assert house.schemas.names("CURRENT") == house.schemas.names("HEAD") == names


def test_reserved_names_are_stored_beside(house: House) -> None:
    """Databases keep some names for themselves: physical names end or begin with the given ones."""
    house.schemas.save_head(document(table("sqlite_x", column("xmin")), table("pg_x", column("rowid"))))
    house.schemas.commit(ROOT)
    house.sql("INSERT INTO _sqlite_x(xmin_) VALUES ('a')")
    house.sql("INSERT INTO _pg_x(rowid) VALUES ('b')")
    assert house.schemas.reindex(["sqlite_x", "pg_x"], generate_events=True) == 2
