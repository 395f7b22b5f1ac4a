"""Every allowed change of type converts the stored values (wire §5)."""

import pytest

from server_stub.foundation.errors import ApiError, UserError
from tests.server_stub.schema.documents import (
    Json,
    column,
    column_of,
    document,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import ROOT, Harness

pytestmark = pytest.mark.usefixtures("both_ways")

DAY, MOMENT = "2020-02-29", "2020-02-29T10:30:00"

# Type and value before, type and value after the change.
CONVERSIONS: tuple[tuple[str, object, str, object], ...] = (
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
)


def test_values_are_converted(harness: Harness) -> None:
    """The converted value is in the new column of the same name; missing values remain missing."""
    names = [f"x{number}" for number in range(len(CONVERSIONS))]
    columns = (column(name, before) for name, (before, *_) in zip(names, CONVERSIONS, strict=True))
    harness.save_and_commit(document(table("work", *columns), l10n_languages=["de-DE"]))
    values = {name: value for name, (_, value, *_) in zip(names, CONVERSIONS, strict=True)}
    harness.insert("work", {"_id": 1} | values)
    harness.insert("work", {"_id": 2})
    head = harness.change()
    for changed, (_, _, after, _) in zip(head["tables"][0]["columns"], CONVERSIONS, strict=True):
        changed["type"] = after
    harness.save_and_commit(head)
    for name, (before, _, after, expected) in zip(names, CONVERSIONS, strict=True):
        found = harness.sql(f"SELECT {name} FROM work ORDER BY _id")  # noqa: S608 - names of this test
        assert found == [(expected,), (None,)], f"{before} to {after}"


# Type changes that need another kind of column in the database, by way of a new one or not.
_OTHER_KINDS = {
    "a": ("number", "text"),
    "b": ("number", "text_l10n"),
    "c": ("decimal.2", "text"),
    "d": ("decimal.2", "text_l10n"),
}


def _of_other_kinds(harness: Harness, value: int | None) -> Json:
    """A committed table with a row, and HEAD with the changes of type and a default for new rows."""
    columns = (column(name, before) for name, (before, _) in _OTHER_KINDS.items())
    harness.save_and_commit(document(table("work", *columns), l10n_languages=["de-DE"]))
    harness.insert("work", {"_id": 1} | dict.fromkeys(_OTHER_KINDS, value))
    harness.insert("work", {"_id": 2})
    head = harness.change()
    for changed in head["tables"][0]["columns"]:
        changed |= {"type": _OTHER_KINDS[changed["name"]][1], "default": "none"}
    return head


def test_a_default_is_for_new_rows(harness: Harness) -> None:
    """A conversion does not fill missing values with the default."""
    harness.save_and_commit(_of_other_kinds(harness, 42))
    harness.sql("INSERT INTO work(_id) VALUES (3)")
    for name in _OTHER_KINDS:
        ((first,), second, (third,)) = harness.rows("work", name)
        assert "42" in first, name
        assert second == (None,), name
        assert "none" in third, name


@pytest.mark.parametrize("name", _OTHER_KINDS)
def test_a_default_does_not_fill_what_was_missing(harness: Harness, name: str) -> None:
    """A conversion to a required column is refused if values are missing."""
    head = _of_other_kinds(harness, None)
    column_of(head["tables"][0], name)["not_null"] = True
    harness.schemas.save_head(head)
    with pytest.raises(UserError, match="not_null") as caught:
        harness.schemas.commit(ROOT)
    assert caught.value.parameters == {"column": f"work.{name}"}
    assert harness.rows("work", *_OTHER_KINDS) == [(None,) * 4] * 2


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


# Type of a column, its default in the document, and what the database stores.
DEFAULTS: tuple[tuple[str, object, object], ...] = (
    ("boolean", True, 1),
    ("number", -3, -3),
    ("decimal.2", 1.5, 1.5),
    ("text", "it's", "it's"),
    ("text_l10n", "Dawn", '{"de-DE":"Dawn"}'),
    ("text_l10n", {"en-US": "Dawn"}, '{"en-US":"Dawn"}'),
    ("date", "2020-02-29", "2020-02-29"),
    ("date_range", {"from": "2020", "to": None}, '{"from":"2020","to":null}'),
)


def test_defaults(harness: Harness) -> None:
    """New rows without a value get the default of the document."""
    columns = (
        column(f"x{number}", type_, default=default, not_null=True)
        for number, (type_, default, _) in enumerate(DEFAULTS)
    )
    harness.save_and_commit(document(table("work", *columns), l10n_languages=["de-DE"]))
    harness.sql("INSERT INTO work(_id) VALUES (1)")
    for number, (_, _, stored) in enumerate(DEFAULTS):
        assert harness.rows("work", f"x{number}") == [(stored,)], DEFAULTS[number]
