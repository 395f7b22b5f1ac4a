"""Tests of columns as text: what spreadsheets paste, and what is refused."""

import pytest

from cdb_desktop.schema.edits.column_rows import (
    MOST_COLUMNS,
    PasteError,
    known_type,
    read_rows,
    valid_name,
    write_rows,
)
from tests.desktop.schema.models import WORK, opened


def test_rows_with_a_header_in_any_order() -> None:
    """Unknown fields are ignored; the line is that of the text."""
    rows = read_rows("Type\tName\tSize\tRequired\nint\tYear of birth\t4\tyes\n\ntext\tNotiz\t\t\n")
    assert [(row.line, row.name, row.type, row.required) for row in rows] == [
        (2, "year_of_birth", "int", True),
        (4, "notiz", "text", False),
    ]


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_rows_without_a_header(separator: str) -> None:
    """Name, type, required, link target, comment; quotes as in CSV."""
    rows = read_rows(separator.join(["artist", "link", "x", "person", '"who, ""when"""']))
    assert [(row.name, row.type, row.required, row.target, row.comment) for row in rows] == [
        ("artist", "link", True, "person", 'who, "when"')
    ]


def test_a_list_of_names_is_enough() -> None:
    """The word name alone is a column."""
    assert [row.name for row in read_rows("name\r\nborn\r\ndied")] == ["name", "born", "died"]


def test_links_are_recognized() -> None:
    """An arrow, or a target without a type."""
    rows = read_rows("a,→ person\nb,-> place\nc,,,work")
    assert [(row.type, row.target) for row in rows] == [
        ("link", "person"),
        ("link", "place"),
        ("link", "work"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "contains no columns"),
        ("  \n\t\n", "contains no columns"),
        ("a\nb\n\u202eevil", "Line 3: it contains characters that cannot be seen"),
        ("a\x00b", "cannot be seen"),
        ("a\n\u05e9\u05dd", "Line 2: “\u05e9\u05dd” has no letter from a to z"),
        ("a,text,maybe", "Line 1: “maybe” says neither yes nor no"),
        ("a,b,,,,,more", "too many"),
        ("x\n" * (MOST_COLUMNS + 1), "rows; at most"),
        ("x" * 2_000_000, "too long"),
        ('a,"' + "b" * 200_000, "Line 1"),
    ],
)
def test_other_text_is_refused(text: str, reason: str) -> None:
    """With the line and the reason."""
    with pytest.raises(PasteError, match=reason):
        read_rows(text)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("", "text_oneline"),
        ("VARCHAR(255)", "text_oneline"),
        ("decimal(10, 2)", "integer.2"),
        ("Int", "integer"),
        ("text_l10n", "text_l10n"),
        (
            "custom:base.custom-data-type-gnd.custom-data-type-gnd",
            "custom:base.custom-data-type-gnd.custom-data-type-gnd",
        ),
        ("Whole number", "integer"),
        ("blob", None),
    ],
)
def test_types_of_databases_are_known(text: str, type_: str | None) -> None:
    """In the spelling that the document uses."""
    assert known_type(text, {"whole number": "integer"}) == type_


def test_names_are_made_valid() -> None:
    """Letters without accents, underscores for anything else."""
    assert [valid_name(text) for text in ("First Name", "Größe (cm)", "2nd", "é", "_x_", "!", "a" * 80)] == [
        "first_name",
        "groesse_cm",
        "nd",
        "e",
        "x",
        "",
        "a" * 63,
    ]


def test_what_is_copied_can_be_pasted() -> None:
    """The header is that of the rows."""
    document = opened()
    table = document.by_key[WORK]
    text = write_rows(document, table, table.columns)
    assert text.splitlines()[0] == "name\ttype\trequired\tlink\tcomment"
    rows = read_rows(text)
    assert [(row.name, row.type, row.required, row.target) for row in rows] == [
        ("title", "text_oneline", True, ""),
        ("year", "number", False, ""),
        ("artist", "link", False, "person"),
        ("origin", "link", False, "place"),
    ]
