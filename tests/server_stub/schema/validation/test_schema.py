"""Every rule of wire §5 refuses documents with its code and names table and column."""

from typing import Any

import pytest

from server_stub.foundation.errors import ContractError
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import (
    Json,
    column,
    document,
    foreign_key,
    museum,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)

BAD_DOCUMENTS: list[tuple[object, str, str]] = [
    (None, "api.type_mismatch", "JSON object"),
    ([], "api.type_mismatch", "JSON object"),
    ({"version": 1}, "api.attribute_expected", "tables"),
    ({"tables": []}, "api.attribute_expected", "version"),
    ({"version": True, "tables": []}, "api.type_mismatch", "version"),
    ({"version": "1", "tables": []}, "api.type_mismatch", "version"),
    ({"version": 1, "tables": {}}, "api.type_mismatch", "tables"),
    ({"version": 1, "tables": [1]}, "api.type_mismatch", "tables"),
    ({"version": 1, "tables": [], "type": "base"}, "api.invalid_value", "type"),
    ({"version": 1, "tables": [], "l10n_languages": ["a b"]}, "api.type_mismatch", "l10n_languages"),
    (document({"columns": []}), "api.attribute_expected", "Table 1"),
    (document({"name": 5}), "api.type_mismatch", "name"),
    (document(table("Work")), "user.invalid_table_name", "Work"),
    (document(table("pool")), "user.invalid_table_name", "pool"),
    (document(table("work"), table("work")), "api.invalid_value", "work"),
    (document(table("work", comment="\ud800")), "api.invalid_value", "Unicode"),
    (document(table("work", is_hierarchical="yes")), "api.type_mismatch", "is_hierarchical"),
    (document(l10n_languages=["de", "en", "de"]), "api.invalid_value", "de"),
    (document(table("work", *(column(f"c{n}") for n in range(751)))), "api.invalid_value", "work"),
    (document(table("work", table_id=0)), "api.invalid_value", "work"),
    (document(table("work", column("a", column_id=2**31))), "api.invalid_value", '"a"'),
    (document(max_table_id=2**70), "api.invalid_value", "max_table_id"),
    (document(table("work"), max_table_id=2**31 - 1), "api.invalid_value", "table_id"),
    (document(table("work", column("x"), column("x"))), "api.invalid_value", '"x"'),
    # Tables cannot own one another.
    (
        document(
            table("aa__b", place_of("bb__c"), **owned_by("bb__c")),
            table("bb__c", place_of("aa__b"), **owned_by("aa__b")),
        ),
        "api.invalid_value",
        "aa__b",
    ),
    (
        document(table("work", place_of("other__n")), table("other__n", **owned_by("work"))),
        "user.invalid_table_name",
        "other__n",
    ),
    # An owner has exactly one column for each nested table.
    (document(table("work"), table("work__n", **owned_by("work"))), "api.invalid_value", "work__n"),
    (
        document(
            table("work", place_of("work__n"), place_of("work__n")), table("work__n", **owned_by("work"))
        ),
        "api.invalid_value",
        "work__n",
    ),
    # `not_empty` is the only check of a nested table.
    (
        document(table("work", place_of("work__n", check="email")), table("work__n", **owned_by("work"))),
        "api.invalid_value",
        "work__n",
    ),
    # `set null` with `not_null` would prevent every deletion.
    (
        document(
            table(
                "aa",
                column("x", "link", not_null=True),
                foreign_keys=[foreign_key("x", "aa", on_delete="set null")],
            )
        ),
        "api.invalid_value",
        '"x"',
    ),
    # A key has at most as many columns as an index of every database.
    (
        document(
            table(
                "aa",
                *(column(f"c{number}") for number in range(33)),
                unique_keys=[unique_key(*(f"c{number}" for number in range(33)))],
            )
        ),
        "api.invalid_value",
        '"aa"',
    ),
]
BAD_COLUMNS: list[tuple[Json, str]] = [
    ({"name": "x", "type": "text"}, "api.attribute_expected"),
    ({"kind": "row", "name": "x", "type": "text"}, "api.invalid_value"),
    ({"kind": "column", "name": "x"}, "api.attribute_expected"),
    ({"kind": "column", "name": "X", "type": "text"}, "user.invalid_column_name"),
    (column("x", "varchar"), "api.invalid_value"),
    (column("x", "custom:plugin"), "api.invalid_value"),
    (column("x", not_null=1), "api.type_mismatch"),
    (column("x", column_id="7"), "api.type_mismatch"),
    (column("x", "number", default="7"), "api.type_mismatch"),
    (column("x", "number", default=True), "api.type_mismatch"),
    (column("x", "number", default=2**63), "api.invalid_value"),
    (column("x", "eas", default="a"), "api.attribute_not_accepted"),
    (column("x", default="a\0b"), "api.invalid_value"),
    (column("x", "decimal.2", default=1.005), "api.invalid_value"),
    (column("x", "date", default="tomorrow"), "api.invalid_value"),
    (column("x", "date", default="2026-02-29"), "api.invalid_value"),
    (column("x", "date_time", default="2026-04-31T10:00"), "api.invalid_value"),
    (column("x", "date", check="range", check_range_upper="1900-02-29"), "api.invalid_value"),
    (column("x", "date_time", default="2020-01-01T25:00"), "api.invalid_value"),
    (column("x", "daterange", default={}), "api.invalid_value"),
    (column("x", "daterange", default={"from": "2020", "to": "2020-13"}), "api.invalid_value"),
    (column("x", "date", check="range", check_range_lower="soon"), "api.invalid_value"),
    (column("x", check="regexp", check_regexp="(?=a)b"), "api.invalid_value"),
    (column("x", check="regexp", check_regexp="((a{1000}){1000}){1000}"), "api.invalid_value"),
    (column("x", check="none"), "api.invalid_value"),
    (column("x", "number", check="email"), "api.invalid_value"),
    (column("x", check="regexp"), "api.attribute_expected"),
    (column("x", check="regexp", check_regexp="("), "api.invalid_value"),
    (column("x", check="regexp", check_regexp="a", check_regexp_flags="g"), "api.invalid_value"),
    (column("x", check="range", check_range_lower="a"), "api.invalid_value"),
    (column("x", "number", check="range"), "api.attribute_expected"),
    (column("x", "number", check="range", check_range_lower="1"), "api.type_mismatch"),
    (column("x", "date", check="range", check_range_lower=1), "api.type_mismatch"),
    (column("x", "number", check="range", check_range_lower=2, check_range_upper=1), "api.invalid_value"),
    (column("x", "number", length_max=1), "api.attribute_not_accepted"),
    (column("x", length_min=-1), "api.invalid_value"),
    (column("x", length_min=3, length_max=2), "api.invalid_value"),
    (column("x", "link"), "api.invalid_value"),
    (column("x", reverse_edit=True), "api.invalid_value"),
]


def refused(posted: object) -> tuple[str, str]:
    """The code without `error.` and the text that refuses a document."""
    with pytest.raises(ContractError) as caught:
        new_head(posted, None, None)
    error = caught.value
    return error.code.removeprefix("error."), error.description or str(error.parameters)


@pytest.mark.parametrize(("posted", "code", "word"), BAD_DOCUMENTS)
def test_documents(posted: object, code: str, word: str) -> None:
    """Shape and names of the whole and of tables."""
    found, text = refused(posted)
    assert found == code
    assert word in text


@pytest.mark.parametrize(("bad", "code"), BAD_COLUMNS)
def test_columns(bad: Json, code: str) -> None:
    """The error names the table and the invalid column."""
    found, text = refused(document(table("work", bad)))
    assert found == code
    assert "work" in text
    assert str(bad.get("name", "")) in text


NUMBERS = ("number", "integer", "serial", "integer.2", "decimal.2", "boolean")
TEXTS = ("text", "text_oneline", "text_l10n", "text_l10n_oneline", "string")
DATES = ("date", "date_range", "daterange", "date_time", "datetime")
OTHERS = ("eas", "assetsvc", "custom:base.custom-data-type-gnd.gnd")


@pytest.mark.parametrize("type_", [*NUMBERS, *TEXTS, *DATES, *OTHERS])
def test_every_type_is_accepted_as_spelled(type_: str) -> None:
    """The spellings of the documentation and of real files are accepted."""
    head = new_head(document(table("work", column("x", type_))), None, None)
    assert head["tables"][0]["columns"][0]["type"] == type_


REVERSE = {
    "kind": "reverse_link",
    "other_table_name_hint": "work__artists",
    "other_column_name_hint": "artist",
}
TO_A_NAME = foreign_key("place", "place")
TO_A_NAME["referenced_table"]["columns"] = [{"column_name_hint": "name"}]

BROKEN_MUSEUMS: dict[str, tuple[str, Json, str, tuple[str, ...]]] = {
    "link to nothing": (
        "work",
        {"foreign_keys": [foreign_key("place", "nowhere")]},
        "api.invalid_value",
        ("nowhere",),
    ),
    "link from nothing": (
        "work",
        {"foreign_keys": [foreign_key("gone", "place")]},
        "api.invalid_value",
        ("gone",),
    ),
    "link twice": (
        "work",
        {"foreign_keys": [foreign_key("place", "place"), foreign_key("place", "artist")]},
        "api.invalid_value",
        ('"place"',),
    ),
    "key on a text": (
        "place",
        {"foreign_keys": [foreign_key("name", "artist")]},
        "api.invalid_value",
        ("name", "link"),
    ),
    "unknown action": (
        "work",
        {"foreign_keys": [foreign_key("place", "place", on_delete="explode")]},
        "api.invalid_value",
        ("explode",),
    ),
    "reference to a plain column": (
        "work",
        {"foreign_keys": [TO_A_NAME]},
        "api.invalid_value",
        ("auto_column_primary_key",),
    ),
    "no owner": ("work__artists", {"owned_by": None}, "api.invalid_value", ("work__artists",)),
    "unknown owner": ("work__artists", owned_by("nowhere"), "api.invalid_value", ("nowhere",)),
    "another owner": ("work__artists", owned_by("image"), "api.invalid_value", ("work__artists",)),
    "another name": ("work__artists__roles", {"name": "artist__roles"}, "api.invalid_value", ("roles",)),
    "a nested hierarchy": (
        "work__artists",
        {"is_hierarchical": True},
        "api.attribute_not_accepted",
        ("is_hierarchical",),
    ),
    "no reverse link": ("work", {"columns": "without last"}, "api.invalid_value", ("image", '"work"')),
    "no reverse edit": ("image", {"columns": "without reverse"}, "api.invalid_value", ("work", "image")),
    "another reverse link": ("place", {"columns": [REVERSE]}, "api.invalid_value", ("work__artists.artist",)),
    "reverse link twice": ("work", {"columns": "last twice"}, "api.invalid_value", ("work",)),
    "unique over nothing": ("place", {"unique_keys": [unique_key("gone")]}, "api.invalid_value", ("gone",)),
    "unique without columns": (
        "place",
        {"unique_keys": [unique_key()]},
        "api.attribute_expected",
        ("place",),
    ),
    "unique twice": ("place", {"unique_keys": [unique_key("name", "name")]}, "api.invalid_value", ("place",)),
}


@pytest.mark.parametrize("case", BROKEN_MUSEUMS)
def test_references(case: str) -> None:
    """Links, nesting, reverse links and keys must be consistent."""
    name, change, code, words = BROKEN_MUSEUMS[case]
    posted = museum()
    broken = named(posted, name)
    if change.get("columns") == "without last":
        broken["columns"].pop()
    elif change.get("columns") == "last twice":
        broken["columns"].append(broken["columns"][-1])
    elif change.get("columns") == "without reverse":
        broken["columns"][1]["reverse_edit"] = False
    else:
        broken |= change
    found, text = refused(posted)
    assert found == code
    for word in words:
        assert word in text


def automatic(auto: str, **more: Any) -> Json:
    """A unique key over an automatic column and the name."""
    return {"columns": [{auto: True}, {"column_name_hint": "name", **more}]}


@pytest.mark.parametrize(
    ("key", "good"),
    [
        (automatic("auto_column_parent"), True),
        (automatic("auto_column_uplink"), False),
        (automatic("auto_column_parent", unique_true=True), False),
        (automatic("auto_column_parent", auto_column_parent=True), False),
    ],
)
def test_automatic_columns_in_keys(key: Json, good: bool) -> None:
    """A key may only contain automatic columns of its table, one column for each reference."""
    posted = document(table("place", column("name"), is_hierarchical=True, unique_keys=[key]))
    if good:
        assert (
            new_head(posted, None, None)["tables"][0]["unique_keys"][0]["name"]
            == "place__parent__name_unique"
        )
    else:
        assert refused(posted)[0] == "api.invalid_value"


def test_unique_names_are_unique_in_the_database() -> None:
    """The name of a unique key must differ from those of other keys and tables by more than capitals."""
    one = table("aa", column("x"), unique_keys=[unique_key("x", name="same")])
    two = table("bb", column("x"), unique_keys=[unique_key("x", name="Same")])
    assert refused(document(one, two))[0] == "api.invalid_value"
    assert refused(document(one, table("same")))[0] == "api.invalid_value"


@pytest.mark.parametrize("name", ["", "_x", "a\0b", "a\nb", "AA"])
def test_names_of_keys(name: str) -> None:
    """Names of keys must not begin with `_`, contain line ends or differ in case only."""
    posted = document(table("aa", column("x"), unique_keys=[unique_key("x", name=name)]))
    assert refused(posted)[0] == "api.invalid_value"


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("date", "2020"),
        ("date", "-0043-03-15"),
        ("date_time", "2020-02-29T10:30:00+01:00"),
        ("daterange", {"from": "2020-01", "to": None}),
        ("decimal.2", -1.25),
        ("decimal.2", 100),
    ],
)
def test_defaults_that_fit(type_: str, default: object) -> None:
    """Dates may have any ISO 8601 precision, ranges one end, and numbers two places."""
    made = new_head(document(table("aa", column("x", type_, default=default))), None, None)
    assert made["tables"][0]["columns"][0]["default"] == default
