"""wire §5: rules of a document that are checked when HEAD is saved: type changes, checks, links, nesting."""

from __future__ import annotations

from copy import deepcopy

import pytest

from tests.contract.caller import Caller
from tests.contract.documents import (
    Json,
    column,
    field,
    foreign_key,
    holder_of,
    nested_in,
    schema,
    table,
)

HEAD = "schema/user/HEAD"
TEXTS = ("text", "text_oneline", "text_l10n", "text_l10n_oneline", "string")
DATES = ("date", "date_range", "date_time")
OTHERS = ("boolean", "eas", "custom:base.custom-data-type-location.location")
ALL = (*TEXTS, *DATES, "number", "decimal.2", *OTHERS)

# Every allowed change of an existing column's type.
ALLOWED = (
    {(one, other) for one in TEXTS for other in TEXTS}
    | {(one, other) for one in (*DATES, "number", "decimal.2") for other in TEXTS}
    | {("date", "date_time"), ("date_time", "date"), ("date", "date_range"), ("date_time", "date_range")}
    | {("number", "decimal.2"), ("decimal.2", "number")}
    | {(one, one) for one in ALL}
)


def test_type_changes(caller: Caller) -> None:
    """Allowed changes of the type in CURRENT are saved, others are refused."""
    root = caller.signed_in("root")
    columns = [column(f"c{number}", kind) for number, kind in enumerate(ALL)]
    root.post(HEAD, schema(table("work", *columns)))
    assert root.post("schema/commit").status_code == 200
    head = root.get(HEAD, format="json").json()
    saved = set()
    for number, before in enumerate(ALL):
        for after in ALL:
            changed = deepcopy(head)
            field(changed, "work", f"c{number}")["type"] = after
            answer = root.post(HEAD, changed)
            assert answer.status_code in {200, 400}, answer.text
            if answer.status_code == 200:
                saved.add((before, after))
    assert saved == ALLOWED


ARTIST = table("artist", column("name"))
EDIT = foreign_key("artist", "artist", on_delete="cascade")
REVERSE = {"kind": "reverse_link", "other_table_name_hint": "work", "other_column_name_hint": "artist"}
NESTED = table("work__part", column("label"), **nested_in("work"))

GOOD: dict[str, tuple[Json, ...]] = {
    "link": (table("work", column("artist", "link"), foreign_keys=[foreign_key("artist", "artist")]), ARTIST),
    "link to itself": (
        table("work", column("part_of", "link"), foreign_keys=[foreign_key("part_of", "work")]),
    ),
    "reverse edit": (
        table("work", column("artist", "link", reverse_edit=True), foreign_keys=[EDIT]),
        table("artist", column("name"), REVERSE),
    ),
    "nested": (table("work", column("title"), holder_of("work__part")), NESTED),
    "nested twice": (
        table("work", holder_of("work__part")),
        table("work__part", column("label"), holder_of("work__part__note"), **nested_in("work")),
        table("work__part__note", column("note"), **nested_in("work__part")),
    ),
    "unique": (table("work", column("a"), unique_keys=[{"columns": [{"column_name_hint": "a"}]}]),),
}
BAD: dict[str, tuple[Json, ...]] = {
    "link to a nested table": (
        table("work", holder_of("work__part")),
        NESTED,
        table("note", column("about", "link"), foreign_keys=[foreign_key("about", "work__part")]),
    ),
    "link without a nested table": (table("work", holder_of("work__part")),),
    "nested name too long": (
        table("w" * 60, holder_of(f"{'w' * 60}__part")),
        table(f"{'w' * 60}__part", column("label"), **nested_in("w" * 60)),
    ),
}


@pytest.mark.parametrize("tables", GOOD.values(), ids=GOOD)
def test_accepts(caller: Caller, tables: tuple[Json, ...]) -> None:
    """Valid documents are saved, committed, and read back with the same tables."""
    root = caller.signed_in("root")
    answer = root.post(HEAD, schema(*tables))
    assert answer.status_code == 200, answer.text
    assert root.post("schema/commit").status_code == 200
    current = root.get("schema/user/CURRENT", format="json").json()
    assert [found["name"] for found in current["tables"]] == [found["name"] for found in tables]


def test_refuses(caller: Caller) -> None:
    """Invalid documents are refused with an API or user error, and nothing is saved."""
    root = caller.signed_in("root")
    for what, tables in BAD.items():
        answer = root.post(HEAD, schema(*tables))
        assert (answer.status_code, what) == (400, what)
        assert answer.json()["realm"] in {"api", "user"}
    assert root.get(HEAD).status_code == 404
