"""Schema documents for tests: a small museum with all kinds of elements, large ones, and exported files."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from cdb_desktop.schema.checks.validation import Problem, Severity
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Column, Document, NestedTableEntry, ReverseLink, Table
from cdb_desktop.schema.edits.edit import Edit

Json = dict[str, Any]

_DATA = Path(__file__).parents[2] / "data" / "models"
MODEL_FILES = sorted(_DATA.glob("*.json"))

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
    """A reference to another table, as in an entry or ``owned_by``."""
    return {"other_table_id": number, "other_table_name_hint": name}


def museum() -> Json:
    """Links, tables nested two deep, a hierarchy, unique keys, a reverse link and unknown attributes."""
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


def museum_export(*, old_form: bool = False) -> Json:
    """The museum as a service exports it, with masks and localized names, in the new or the old format."""
    mask = {"type": "user", "version": 3, "max_mask_id": 9, "masks": _masks()}
    parts: Json = {"schema": museum(), "mask": mask, "keys": _localized()}
    if old_form:
        return {name: {"HEAD": part} for name, part in parts.items()}
    return {**parts, "version": 2, "format_version": 1}


def exported_text(export: Json) -> str:
    """The text of an export: indented by four, unescaped characters, no newline at the end."""
    return json.dumps(export, indent=4, ensure_ascii=False)


def _masks() -> list[Json]:
    mark = {**table_mask(MARK, "work__note__mark", field(MARK_SIGN, "sign")), "is_preferred": False}
    note = table_mask(
        NOTE,
        "work__note",
        field(NOTE_TEXT, "text"),
        field(NOTE_SOURCE, "source", "link", **other(PERSON, "person"), mask_id="PREFERRED"),
        {"kind": "linked-table", **other(MARK, "work__note__mark"), "mask": mark},
    )
    picture = {
        "kind": "reverse-linked-table",
        **other(PICTURE, "picture"),
        "other_column_id": PICTURE_WORK,
        "other_column_name_hint": "work",
        "mask": table_mask(PICTURE, "picture", field(PICTURE_FILE, "file")),
    }
    work = table_mask(
        WORK,
        "work",
        field(TITLE, "title"),
        field(YEAR, "year"),
        field(ARTIST, "artist", "link", **other(PERSON, "person"), mask_id="PREFERRED"),
        {"kind": "linked-table", **other(NOTE, "work__note"), "mask": note},
        picture,
    )
    person = table_mask(PERSON, "person", field(PERSON_NAME, "name"), field(PERSON_BORN, "born"))
    return [
        {"mask_id": 1, "name": "person__all_fields", **person, "is_preferred": True},
        {"mask_id": 2, "name": "work__all_fields", **work, "is_preferred": True},
    ]


def table_mask(number: int, name: str, *fields: Json) -> Json:
    """The part of a mask that shows a table."""
    return {"table_id": number, "table_name_hint": name, "fields": list(fields)}


def field(number: int, name: str, kind: str = "field", **more: Any) -> Json:
    """A column in a mask."""
    return {"kind": kind, "column_id": number, "column_name_hint": name, **more, "edit": {"mode": "edit"}}


def _localized() -> Json:
    def texts(text: str, comment: str = "") -> Json:
        return {"de-DE": text, "en-US": "", "_comment": comment}

    mask = "mask.3.work__all_fields"
    return {
        "schema.person.name": texts("Persönlichkeit"),
        "schema.person.column.name": texts("Name"),
        "schema.person.column.born": texts("Geboren"),
        "schema.work.name": texts("Werk"),
        "schema.work.column.title": texts("Titel/Überschrift"),
        "schema.work.column.work__note": texts("Notizen"),
        "schema.work.column.reverse:picture.12": texts("Bilder"),
        "schema.work__note.name": texts("Notiz"),
        "schema.work__note.column.text": texts("Text"),
        "schema.work__note.column.work__note__mark": texts("Zeichen"),
        "schema.work__note__mark.column.sign": texts("Zeichen"),
        "schema.gone.column.name": texts("Kept: nobody knows what it is for"),
        "mask.1.person__all_fields.name": texts("Alles"),
        "mask.1.person__all_fields.1.field.1.edit_user_hint": texts("", "person.name"),
        f"{mask}.3.field.5.edit_user_hint": texts("", "work.year"),
        f"{mask}.3.link.6.edit_user_hint": texts("", "work.artist"),
        f"{mask}.3.linked-table.4.edit_user_hint": texts("", "work.work__note"),
        f"{mask}.4.mask_3.link.9.edit_user_hint": texts("", "work.work__note.source"),
        f"{mask}.5.mask_3.mask_4.field.10.edit_user_hint": texts("", "work.work__note.work__note__mark.sign"),
        f"{mask}.3.reverse-linked-table.6.edit_user_hint": texts("", "work.picture"),
        f"{mask}.6.mask_3.field.11.edit_user_hint": texts("", "work.picture.file"),
    }


def opened(raw: Mapping[str, Any] | None = None) -> Document:
    """The document of JSON, by default the museum."""
    return read_document(museum() if raw is None else raw)


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


def column_named(document: Document, table_name: str, name: str) -> ColumnRef:
    """The reference to a column, by names."""
    found = named(document, table_name)
    return ColumnRef(found.key, next(column.key for column in found.columns if column.name == name))


def inconsistent_references(document: Document) -> list[str]:
    """References whose id or hint is not that of their element."""
    return [
        f"{table.name}: {dict(raw)}"
        for table in document.tables
        for raw, element, names in _references(document, table)
        if not _is_consistent(raw, element, names)
    ]


_Named = tuple[Mapping[str, object], Table | Column | None, tuple[str, str]]


def _references(document: Document, table: Table) -> list[_Named]:
    tables, columns = document.by_key, {key: c for one in document.tables for key, c in one.by_key.items()}
    found: list[_Named] = []
    for entry in table.entries:
        if isinstance(entry, NestedTableEntry | ReverseLink):
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


def _is_consistent(raw: Mapping[str, object], element: Table | Column | None, names: tuple[str, str]) -> bool:
    id_name, hint_name = names
    if element is None:
        return False
    return raw.get(id_name) == element.id and raw.get(hint_name) == element.name


def apply(document: Document, edit: Edit) -> Document:
    """The document after an edit; raises EditError."""
    return edit.apply_to(document)


def is_acceptable(problems: tuple[Problem, ...]) -> bool:
    """Whether the service would accept the document."""
    return all(problem.severity is not Severity.ERROR for problem in problems)
