"""Every allowed change of type converts the stored values (wire §5)."""

import pytest

from server_stub.foundation.errors import ApiError, UserError
from tests.server_stub.schema.documents import column, document, owned_by, place_of, table, unique_key
from tests.server_stub.schema.harness import ROOT, Harness

pytestmark = pytest.mark.usefixtures("both_ways")

DAY, MOMENT = "2020-02-29", "2020-02-29T10:30:00"


@pytest.mark.parametrize(
    ("before", "value", "after", "expected"),
    [
        ("text", "Dawn", "text_oneline", "Dawn"),
        ("text", "Dämmerung", "text_l10n", '{"de-DE":"Dämmerung"}'),
        ("text_l10n", '{"de-DE":"","en-US":"Dawn"}', "string", "Dawn"),
        ("text_l10n", "no JSON", "string", "no JSON"),
        ("number", 42, "text", "42"),
        ("number", 42, "text_l10n_oneline", '{"de-DE":"42"}'),
        ("number", 42, "decimal.2", 42),
        ("decimal.2", 1.5, "text", "1.50"),
        ("integer.2", 7, "number", 7),
        ("date", DAY, "text", DAY),
        ("date", DAY, "datetime", f"{DAY}T00:00:00"),
        ("date", DAY, "daterange", f'{{"from":"{DAY}","to":"{DAY}"}}'),
        ("date_time", MOMENT, "date", DAY),
        ("date_time", MOMENT, "date_range", f'{{"from":"{MOMENT}","to":"{MOMENT}"}}'),
        ("date_range", '{"from":"2019","to":"2020"}', "text", "2019/2020"),
        ("daterange", '{"from":"2019","to":null}', "text", "2019/.."),
    ],
)
def test_values_are_converted(
    harness: Harness, before: str, value: object, after: str, expected: object
) -> None:
    """The converted value is in the new column of the same name; missing values remain missing."""
    harness.save_and_commit(document(table("work", column("x", before)), l10n_languages=["de-DE"]))
    harness.sql("INSERT INTO work(_id, x) VALUES (1, ?), (2, NULL)", value)
    head = harness.change()
    head["tables"][0]["columns"][0]["type"] = after
    harness.save_and_commit(head)
    assert harness.sql("SELECT _id, x FROM work") == [(1, expected), (2, None)]


# Type changes that need another kind of column in the database, by way of a new one or not.
_OTHER_KINDS = (
    ("number", "text"),
    ("number", "text_l10n"),
    ("decimal.2", "text"),
    ("decimal.2", "text_l10n"),
)


@pytest.mark.parametrize(("before", "after"), _OTHER_KINDS)
def test_a_default_is_for_new_rows(harness: Harness, before: str, after: str) -> None:
    """A conversion does not fill missing values with the default."""
    harness.save_and_commit(document(table("work", column("x", before)), l10n_languages=["de-DE"]))
    harness.sql("INSERT INTO work(_id, x) VALUES (1, 42), (2, NULL)")
    head = harness.change()
    head["tables"][0]["columns"][0] |= {"type": after, "default": "none"}
    harness.save_and_commit(head)
    harness.sql("INSERT INTO work(_id) VALUES (3)")
    first, second, third = (x for (x,) in harness.sql("SELECT x FROM work ORDER BY _id"))
    assert "42" in first
    assert second is None
    assert "none" in third


@pytest.mark.parametrize(("before", "after"), _OTHER_KINDS)
def test_a_default_does_not_fill_what_was_missing(harness: Harness, before: str, after: str) -> None:
    """A conversion to a required column is refused if values are missing."""
    harness.save_and_commit(document(table("work", column("x", before)), l10n_languages=["de-DE"]))
    harness.sql("INSERT INTO work(_id, x) VALUES (1, NULL)")
    head = harness.change()
    head["tables"][0]["columns"][0] |= {"type": after, "default": "none", "not_null": True}
    harness.schemas.save_head(head)
    with pytest.raises(UserError, match="not_null"):
        harness.schemas.commit(ROOT)
    assert harness.sql("SELECT x FROM work") == [(None,)]


def test_conversion_beside_other_changes(harness: Harness) -> None:
    """Type, name, default and unique key can change in one commit, even if the name was taken."""
    work = table("work", column("aa", "number", not_null=True), column("bb"), unique_keys=[unique_key("aa")])
    harness.save_and_commit(document(work))
    harness.sql("INSERT INTO work(_id, aa, bb) VALUES (1, 42, 'kept')")
    head = harness.change()
    first, second = head["tables"][0]["columns"]
    first |= {"type": "text", "name": "bb", "default": "none"}
    second["name"] = "aa"
    harness.save_and_commit(head)
    harness.sql("INSERT INTO work(_id) VALUES (2)")
    assert harness.sql("SELECT aa, bb FROM work") == [("kept", "42"), (None, "none")]


@pytest.mark.parametrize(
    ("before", "after"),
    [("text", "number"), ("boolean", "text"), ("date_range", "date"), ("eas", "text"), ("serial", "number")],
)
def test_other_changes_are_refused_when_saved(harness: Harness, before: str, after: str) -> None:
    """The refusal names table, column and both types."""
    harness.save_and_commit(document(table("work", column("x", before))))
    head = harness.change()
    head["tables"][0]["columns"][0]["type"] = after
    with pytest.raises(ApiError) as caught:
        harness.schemas.save_head(head)
    assert caught.value.code == "error.api.invalid_value"
    for word in ("work", '"x"', before, after):
        assert word in str(caught.value.description)


def test_a_column_not_committed_may_take_any_type(harness: Harness) -> None:
    """Changes are compared with CURRENT, not with HEAD."""
    harness.save_and_commit(document(table("work", column("x", "text"))))
    head = harness.change()
    head["tables"][0]["columns"].append(column("y", "text"))
    saved = harness.schemas.save_head(head)
    tables = saved["tables"]
    assert isinstance(tables, list)
    tables[0]["columns"][1]["type"] = "number"
    harness.save_and_commit(saved)
    assert harness.tables()["work"]["columns"]["y"] == ("BIGINT", False)


def test_a_committed_table_keeps_its_owner(harness: Harness) -> None:
    """The owner of a committed nested table cannot change."""
    nested = table("work__notes", column("note"), **owned_by("work"))
    harness.save_and_commit(document(table("work", place_of("work__notes")), table("place"), nested))
    head = harness.change()
    work, place, notes = head["tables"]
    work["columns"], place["columns"] = [], work["columns"]
    notes |= {"name": "place__notes", **owned_by("place")}
    with pytest.raises(ApiError, match="keeps its owner"):
        harness.schemas.save_head(head)


@pytest.mark.parametrize(
    ("type_", "default", "stored"),
    [
        ("boolean", True, 1),
        ("number", -3, -3),
        ("decimal.2", 1.5, 1.5),
        ("text", "it's", "it's"),
        ("text_l10n", "Dawn", '{"de-DE":"Dawn"}'),
        ("text_l10n", {"en-US": "Dawn"}, '{"en-US":"Dawn"}'),
        ("date", "2020-02-29", "2020-02-29"),
        ("date_range", {"from": "2020", "to": None}, '{"from":"2020","to":null}'),
    ],
)
def test_defaults(harness: Harness, type_: str, default: object, stored: object) -> None:
    """New rows without a value get the default of the document."""
    work = table("work", column("x", type_, default=default, not_null=True))
    harness.save_and_commit(document(work, l10n_languages=["de-DE"]))
    harness.sql("INSERT INTO work(_id) VALUES (1)")
    assert harness.sql("SELECT x FROM work") == [(stored,)]
