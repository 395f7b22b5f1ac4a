"""Schema documents for tests: a small museum with every kind of element, large ones, and the real exports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import Column, NestedLink, ReverseLink
from cdb_desktop.schema.places import ColumnPlace
from cdb_desktop.schema.reading import read

Json = dict[str, Any]

_DATA = Path(__file__).parents[4] / "shared" / "data"
REAL_FILES = sorted(_DATA.glob("datamodel-*.json"))
# A case must exist to be skipped.
REAL_CASES = REAL_FILES or [Path("missing.json")]

PERSON, PLACE, WORK, NOTE, MARK, PICTURE = range(1, 7)
PERSON_NAME, PERSON_BORN, PLACE_NAME, TITLE, YEAR, ARTIST, ORIGIN = range(1, 8)
NOTE_TEXT, NOTE_SOURCE, MARK_SIGN, PICTURE_FILE, PICTURE_WORK = range(8, 13)


def column(number: int, name: str, type_: str = "text_oneline", **more: Any) -> Json:
    """A column that holds values."""
    return {"kind": "column", "name": name, "type": type_, "not_null": False, "column_id": number, **more}


def link(table: str, number: int, name: str, target: int, target_name: str, **more: Any) -> Json:
    """The foreign key of a link column."""
    return {
        "name": f"{table}__{name}__{target_name}_fkey",
        "on_delete": "restrict",
        "on_update": "cascade",
        "columns": [{"column_id": number, "column_name_hint": name}],
        "referenced_table": {
            "table_id": target,
            "name_hint": target_name,
            "columns": [{"auto_column_primary_key": True}],
        },
        **more,
    }


def unique(table: str, **columns: int) -> Json:
    """A unique key over columns, given as name=id."""
    references = [{"column_id": number, "column_name_hint": name} for name, number in columns.items()]
    return {"name": f"{table}__{'__'.join(columns)}_unique", "columns": references}


def table(number: int, name: str, *columns: Json, **more: Any) -> Json:
    """A table with lists for its keys."""
    return {
        "table_id": number,
        "name": name,
        "columns": list(columns),
        "unique_keys": [],
        "foreign_keys": [],
        **more,
    }


def other(number: int, name: str) -> Json:
    """What an entry or ``owned_by`` says of another table."""
    return {"other_table_id": number, "other_table_name_hint": name}


def museum() -> Json:
    """Links, tables nested two deep, a hierarchy, unique keys, a reverse link, attributes nobody knows."""
    work = table(
        WORK,
        "work",
        column(TITLE, "title", not_null=True, remark={"kept": [1, None]}),
        column(YEAR, "year", "number"),
        column(ARTIST, "artist", "link"),
        {"kind": "link", **other(NOTE, "work__note")},
        column(ORIGIN, "origin", "link"),
        {
            "kind": "reverse_link",
            **other(PICTURE, "picture"),
            "other_column_id": PICTURE_WORK,
            "other_column_name_hint": "work",
        },
        pool_link=True,
        comment="What is shown",
        unique_keys=[unique("work", title=TITLE, year=YEAR)],
        foreign_keys=[
            link("work", ARTIST, "artist", PERSON, "person"),
            link("work", ORIGIN, "origin", PLACE, "place"),
        ],
    )
    return {
        "type": "user",
        "version": 8,
        "based_on_version": 7,
        "max_table_id": 9,
        "max_column_id": 20,
        "l10n_languages": ["de-DE"],
        "house": "kept",
        "tables": [_person(), _place(), work, _note(), _mark(), _picture()],
    }


def _person() -> Json:
    name = column(PERSON_NAME, "name", check="regexp", check_regexp="^[A-Z]")
    born = column(PERSON_BORN, "born", "date")
    return table(PERSON, "person", name, born, unique_keys=[unique("person", name=PERSON_NAME)])


def _place() -> Json:
    return table(PLACE, "place", column(PLACE_NAME, "name", "text_l10n"), is_hierarchical=True)


def _note() -> Json:
    columns = (
        column(NOTE_TEXT, "text", "text"),
        column(NOTE_SOURCE, "source", "link"),
        {"kind": "link", **other(MARK, "work__note__mark")},
    )
    keys = [link("work__note", NOTE_SOURCE, "source", PERSON, "person")]
    return table(NOTE, "work__note", *columns, owned_by=other(WORK, "work"), foreign_keys=keys)


def _mark() -> Json:
    sign = column(MARK_SIGN, "sign")
    return table(MARK, "work__note__mark", sign, owned_by=other(NOTE, "work__note"))


def _picture() -> Json:
    columns = (
        column(PICTURE_FILE, "file", "eas"),
        column(PICTURE_WORK, "work", "link", reverse_edit=True),
    )
    key = link("picture", PICTURE_WORK, "work", WORK, "work", on_delete="cascade")
    return table(PICTURE, "picture", *columns, foreign_keys=[key])


def opened(raw: Mapping[str, Any] | None = None) -> Document:
    """A document read; the museum without another one."""
    return read(museum() if raw is None else raw)


def changed(document: Json, number: int, **more: Any) -> Json:
    """A copy of a document with other attributes for one table."""
    copy = deepcopy(document)
    found = next(one for one in copy["tables"] if one["table_id"] == number)
    found.update(more)
    return copy


def real(path: Path) -> Json:
    """The schema in a real export."""
    schema: Json = json.loads(path.read_text(encoding="utf-8"))["schema"]
    return dict(schema.get("HEAD", schema))


def named(document: Document, name: str) -> Table:
    """A table by its name."""
    return next(table for table in document.tables if table.name == name)


def column_named(document: Document, table_name: str, name: str) -> ColumnPlace:
    """Where a column is, by names."""
    found = named(document, table_name)
    return ColumnPlace(found.key, next(column.key for column in found.columns if column.name == name))


def crooked_references(document: Document) -> list[str]:
    """References whose id or hint is not that of the element that they name."""
    return [
        f"{table.name}: {dict(raw)}"
        for table in document.tables
        for raw, element, names in _references(document, table)
        if not _is_straight(raw, element, names)
    ]


_Named = tuple[Mapping[str, object], Table | Column | None, tuple[str, str]]


def _references(document: Document, table: Table) -> list[_Named]:
    tables, columns = document.by_key, {key: c for one in document.tables for key, c in one.by_key.items()}
    found: list[_Named] = []
    for entry in table.entries:
        if isinstance(entry, NestedLink | ReverseLink):
            names = ("other_table_id", "other_table_name_hint")
            found.append((entry.raw, tables.get(entry.table or 0), names))
        if isinstance(entry, ReverseLink):
            names = ("other_column_id", "other_column_name_hint")
            found.append((entry.raw, columns.get(entry.column or 0), names))
    target_names = ("table_id", "name_hint")
    found += [(key.target_raw, tables.get(key.target or 0), target_names) for key in table.foreign_keys]
    own = [key.columns for key in table.foreign_keys] + [key.columns for key in table.unique_keys]
    column_names = ("column_id", "column_name_hint")
    found += [(one.raw, columns.get(one.key or 0), column_names) for references in own for one in references]
    owned_by = table.raw.get("owned_by")
    if isinstance(owned_by, Mapping):
        owner = tables.get(table.owner or 0)
        found.append((owned_by, owner, ("other_table_id", "other_table_name_hint")))
    return found


def _is_straight(raw: Mapping[str, object], element: Table | Column | None, names: tuple[str, str]) -> bool:
    id_name, hint_name = names
    if element is None:
        return False
    return raw.get(id_name) == element.id and raw.get(hint_name) == element.name
