"""Saving adds ids, hints and names, preserves unknown attributes, and numbers versions (wire §5)."""

import pytest

from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import (
    MODELS,
    Json,
    column,
    column_of,
    document,
    model_of,
    museum,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)


def saved(posted: object, head: Json | None = None, current: Json | None = None) -> Json:
    """The new HEAD, optionally after a commit of CURRENT."""
    return new_head(posted, head, current)


def test_ids_are_given_in_order() -> None:
    """New tables and columns get consecutive ids, and the greatest ids are updated."""
    head = saved(document(table("work", column("title"), column("year", "number")), table("place")))
    assert [one["table_id"] for one in head["tables"]] == [1, 2]
    assert [one["column_id"] for one in head["tables"][0]["columns"]] == [1, 2]
    assert (head["max_table_id"], head["max_column_id"]) == (2, 2)


def test_ids_are_never_used_again() -> None:
    """Ids of dropped elements are not reused."""
    head = saved(document(table("work", column("title")), table("place", column("name"))))
    without = saved(head | {"tables": [head["tables"][0] | {"columns": []}]}, head)
    head = saved(without | {"tables": [*without["tables"], table("town", column("name"))]}, without)
    assert head["tables"][1]["table_id"] == 3
    assert head["tables"][1]["columns"][0]["column_id"] == 3


def test_an_empty_server_preserves_posted_ids() -> None:
    """An empty server preserves posted ids; new ids follow the greatest."""
    brought = table("work", column("title", column_id=70), column("year"), table_id=9)
    head = saved(document(brought, table("place"), max_table_id=20, max_column_id=3))
    assert [one["table_id"] for one in head["tables"]] == [9, 21]
    assert [one["column_id"] for one in head["tables"][0]["columns"]] == [70, 71]


@pytest.mark.parametrize("ids", [{"table_id": 5}, {"table_id": 0}, {"table_id": -1}])
def test_unknown_ids_are_refused(ids: Json) -> None:
    """Unknown and repeated ids are refused."""
    head = saved(document(table("work", column("title"))))
    column_of_another = table("town", column("name", column_id=1))
    for foreign in (table("place", **ids), table("place", table_id=1), column_of_another):
        with pytest.raises(ApiError) as caught:
            saved({**head, "tables": [*head["tables"], foreign]}, head)
        assert caught.value.code == "error.api.invalid_value"
        assert foreign["name"] in str(caught.value.description)


def test_a_column_stays_in_its_table() -> None:
    """The id of a column of another table is refused."""
    head = saved(document(table("work", column("title")), table("place", column("name"))))
    first, second = head["tables"]
    moved = head | {"tables": [first | {"columns": second["columns"]}, second | {"columns": []}]}
    with pytest.raises(ApiError, match="another table"):
        saved(moved, head)


def test_references_have_ids_and_hints() -> None:
    """References can be posted as hints and are returned with ids and hints."""
    head = saved(museum())
    work, artists = named(head, "work"), named(head, "work__artists")
    place, image = named(head, "place"), named(head, "image")
    link = work["foreign_keys"][0]
    assert link["columns"] == [{"column_name_hint": "place", "column_id": 6}]
    assert link["referenced_table"]["table_id"] == place["table_id"]
    assert artists["owned_by"] == {"other_table_name_hint": "work", "other_table_id": work["table_id"]}
    reverse = work["columns"][-1]
    assert reverse["other_table_id"] == image["table_id"]
    assert reverse["other_column_id"] == column_of(image, "work")["column_id"]


def test_both_spellings_of_the_hint_are_read() -> None:
    """`table_name_hint` is read, `name_hint` is written."""
    posted = museum()
    target = named(posted, "work")["foreign_keys"][0]["referenced_table"]
    target["table_name_hint"] = target.pop("name_hint")
    target = named(saved(posted), "work")["foreign_keys"][0]["referenced_table"]
    assert target["name_hint"] == "place"
    assert "table_name_hint" not in target


def test_an_id_has_precedence_over_its_hint() -> None:
    """The id of a reference has precedence over its hint, which is updated."""
    head = saved(museum())
    named(head, "place")["name"] = "town"
    head = saved(head, head)
    assert named(head, "work")["foreign_keys"][0]["referenced_table"]["name_hint"] == "town"


def test_generated_names_follow() -> None:
    """Generated names of keys follow renamed elements; other names are preserved."""
    posted = museum()
    named(posted, "artist")["unique_keys"][0]["name"] = "one_of_a_kind"
    head = saved(posted)
    assert named(head, "work")["foreign_keys"][0]["name"] == "work__place__place_fkey"
    changed = saved(head, head)
    named(changed, "work")["name"] = "piece"
    named(changed, "artist")["name"] = "person"
    after = saved(changed, head)
    assert named(after, "piece")["foreign_keys"][0]["name"] == "piece__place__place_fkey"
    assert named(after, "piece")["unique_keys"][0]["name"] == "piece__title__year_unique"
    assert named(after, "person")["unique_keys"][0]["name"] == "one_of_a_kind"
    assert named(after, "piece__artists__roles")["owned_by"]["other_table_name_hint"] == "piece__artists"


def test_unknown_attributes_stay() -> None:
    """Unknown attributes with any value are preserved at every level."""
    posted = museum() | {"zz": [1, None]}
    work = named(posted, "work") | {"zz": {"a": 1}}
    posted["tables"][0] = work
    work["columns"][0]["zz"] = "x"
    work["foreign_keys"][0]["zz"] = 1.5
    work["foreign_keys"][0]["referenced_table"]["zz"] = True
    work["unique_keys"][0]["columns"][0]["zz"] = None
    head = saved(posted)
    after = named(head, "work")
    assert head["zz"] == [1, None]
    assert after["zz"] == {"a": 1}
    assert after["columns"][0]["zz"] == "x"
    assert after["foreign_keys"][0]["zz"] == 1.5
    assert after["foreign_keys"][0]["referenced_table"]["zz"] is True
    assert after["unique_keys"][0]["columns"][0]["zz"] is None


def test_what_was_posted_is_not_changed() -> None:
    """The posted document object is not modified."""
    posted = museum()
    saved(posted)
    assert posted == museum()


def test_saving_again_changes_nothing() -> None:
    """Saving a saved document does not change it."""
    head = saved(museum())
    assert saved(head, head) == head


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_real_models_are_complete(path: object) -> None:
    """Documents of deployed services are returned unchanged."""
    assert hasattr(path, "read_text")
    posted = model_of(path)  # type: ignore[arg-type]
    posted.pop("based_on_version", None)
    assert saved(posted) == posted


def test_the_version_is_a_lock() -> None:
    """The posted version must be that of HEAD; an empty server is at 1."""
    with pytest.raises(UserError) as caught:
        saved(document(version=2))
    assert caught.value.parameters == {"provided": "2", "expected": "1"}
    current = saved(document(table("work")))
    head = current | {"version": 2}
    with pytest.raises(UserError) as caught:
        saved(current, head, current)
    assert caught.value.parameters == {"provided": "1", "expected": "2"}
    assert saved(head, head, current)["based_on_version"] == 1


def test_two_tables_of_one_name_after_following() -> None:
    """A nested table whose generated name is taken is refused."""
    owner = table("work", place_of("work__notes"))
    current = saved(document(owner, table("work__notes", **owned_by("work")), table("piece__notes")))
    head = saved(current, current)
    named(head, "work")["name"] = "piece"
    with pytest.raises(ApiError, match="piece__notes"):
        saved(head, current, current)


def test_equal_generated_names_are_refused() -> None:
    """Two unique keys over the same columns are refused."""
    with pytest.raises(ApiError, match="work__title_unique"):
        saved(
            document(table("work", column("title"), unique_keys=[unique_key("title"), unique_key("title")]))
        )
