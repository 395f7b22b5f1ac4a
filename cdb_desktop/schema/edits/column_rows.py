"""Columns as rows of text, as spreadsheets copy them: name, type, required, link target, comment."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.column_types import SPELLINGS, type_family
from cdb_desktop.schema.document.json_values import ReasonError, text_attribute
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.document.names import LONGEST, ascii_letters, table_name
from cdb_desktop.schema.edits.edit import NEW_COLUMN_TYPE

MOST_COLUMNS = 1000  # of one paste; PostgreSQL allows 1,600 columns in a table
MOST_CHARACTERS = 1_000_000
_LONGEST_CELL = 100_000  # characters

_FIELDS = ("name", "type", "required", "link", "comment")
_TITLES: Mapping[str, frozenset[str]] = {
    "name": frozenset({"name", "column", "column name", "field", "spalte", "spaltenname", "feld"}),
    "type": frozenset({"type", "data type", "datatype", "typ", "datentyp"}),
    "required": frozenset({"required", "not null", "not_null", "mandatory", "pflicht", "pflichtfeld"}),
    "link": frozenset(
        {"link", "link target", "target", "references", "links to", "ziel", "verknüpft mit", "verweist auf"}
    ),
    "comment": frozenset({"comment", "description", "note", "remark", "kommentar", "beschreibung"}),
}
_YES = frozenset({"yes", "y", "true", "1", "x", "required", "not null", "ja", "j", "wahr", "pflicht"})
_NO = frozenset({"", "no", "n", "false", "0", "-", "optional", "null", "nein", "falsch"})
# Types of databases and spreadsheets; sizes in parentheses are removed first.
_ALIASES = {
    "bigint": "number",
    "bool": "boolean",
    "char": "text_oneline",
    "character varying": "text_oneline",
    "clob": "text",
    "decimal": "integer.2",
    "double": "integer.2",
    "double precision": "integer.2",
    "file": "eas",
    "float": "integer.2",
    "int": "number",
    "longtext": "text",
    "money": "integer.2",
    "nvarchar": "text_oneline",
    "numeric": "integer.2",
    "real": "integer.2",
    "reference": "link",
    "smallint": "number",
    "timestamp": "datetime",
    "varchar": "text_oneline",
    "yes/no": "boolean",
}
_ARROW = re.compile(r"(?:→|->|=>)\s*(.+)")
_EXCERPT = 40


class PasteError(ReasonError):
    """Text that contains no columns; ``message`` is the reason, with the line."""


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """One row. ``name`` is a valid name, made from ``written``; ``type`` and ``target`` are as written."""

    line: int
    written: str
    name: str
    type: str
    required: bool = False
    target: str = ""
    comment: str = ""


def read_rows(text: str) -> tuple[ColumnRow, ...]:
    """The rows of tab-, comma- or semicolon-separated text; a header names the fields in any order.

    Raises PasteError with the line if one is not a column, and for more than `MOST_COLUMNS`.
    """
    if len(text) > MOST_CHARACTERS:
        raise PasteError(message("The text is too long to be a list of columns."))
    records = _records(text)
    if not records:
        raise PasteError(message("The clipboard contains no columns."))
    fields = _header(records[0][1])
    if fields:
        records = records[1:]
    if len(records) > MOST_COLUMNS:
        raise PasteError(
            message(
                "The text has {count} rows; at most {most} columns can be pasted at once.",
                count=len(records),
                most=MOST_COLUMNS,
            )
        )
    return tuple(_row(line, record, fields or _FIELDS) for line, record in records)


def write_rows(document: Document, table: Table, columns: Iterable[Column]) -> str:
    """The columns as tab-separated text with a header, which `read_rows` reads."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(_FIELDS)
    for column in columns:
        targets = (table_name(document, key.target) for key in table.links.get(column.key, ()))
        required = "yes" if column.flag("not_null") else ""
        comment = text_attribute(column.raw, "comment")
        writer.writerow((column.name, column.type, required, ", ".join(targets), comment))
    return out.getvalue()


def known_type(text: str, names: Mapping[str, str]) -> str | None:
    """The type that a text names, None for an unknown one.

    ``names`` are further names of types, in lower case.
    """
    wanted = re.sub(r"\s*\([\d\s,]*\)$", "", text.strip().lower())
    if not wanted:
        return NEW_COLUMN_TYPE
    for spelling in (text.strip(), wanted):
        if type_family(spelling) is not None:
            return spelling
    alias = names.get(text.strip().lower()) or _ALIASES.get(wanted)
    return _usual(alias, names) if alias else None


def _usual(spelling: str, names: Mapping[str, str]) -> str:
    """The spelling of the same type that the document uses: the one among the values of ``names``."""
    used = frozenset(names.values())
    family = type_family(spelling)
    if spelling in used or family is None:
        return spelling
    return next((other for other in SPELLINGS.get(family, ()) if other in used), spelling)


def valid_name(text: str) -> str:
    """A valid column name made from any text, such as ``first_name`` from ``First name``; empty if none."""
    ascii_only = ascii_letters(text.strip())
    is_plain = re.fullmatch(r"[a-z0-9_]*", ascii_only)
    name = ascii_only if is_plain else re.sub(r"[^a-z0-9]+", "_", ascii_only)
    name = re.sub(r"^[^a-z]+", "", name).rstrip("_")
    return name[:LONGEST].rstrip("_")


def _records(text: str) -> list[tuple[int, list[str]]]:
    """The rows that are not empty, with the numbers of their lines."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max("\t;,", key=lambda each: (first.count(each), each == ","))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        records = [(reader.line_num, [cell.strip() for cell in record]) for record in reader]
        long = next((line for line, record in records if max(map(len, record), default=0) > _LONGEST_CELL), 0)
        if long:
            raise _error(long, message("a value is too long."))
    except csv.Error as error:
        line, reason = str(reader.line_num), str(error)
        raise PasteError(message("Line {line}: {reason}", line=line, reason=reason)) from error
    return [(line, record) for line, record in records if any(record)]


def _header(record: Sequence[str]) -> tuple[str, ...]:
    """The fields that a header names, empty if the record is none.

    A list of names alone has no header: ``name`` is a column there.
    """
    found = tuple(
        next((field for field, titles in _TITLES.items() if cell.casefold() in titles), "") for cell in record
    )
    known = [field for field in found if field]
    is_header = "name" in known and len(known) > 1 and len(set(known)) == len(known)
    return found if is_header else ()


def _row(line: int, record: Sequence[str], fields: Sequence[str]) -> ColumnRow:
    if len(record) > len(fields) and any(record[len(fields) :]):
        raise _error(line, message("{count} values are too many.", count=len(record)))
    values = {field: value for field, value in zip(fields, record, strict=False) if field}
    for value in values.values():
        if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co") for letter in value):
            raise _error(line, message("it contains characters that cannot be seen."))
    written = values.get("name", "")
    name = valid_name(written)
    if not name:
        text = _excerpt(written)
        raise _error(line, message("“{text}” has no letter from a to z for a name.", text=text))
    required = values.get("required", "").casefold()
    if required not in _YES | _NO:
        text = _excerpt(required)
        raise _error(line, message("“{text}” says neither yes nor no for required.", text=text))
    type_, target = values.get("type", ""), values.get("link", "")
    arrow = _ARROW.fullmatch(type_)
    if arrow is not None:
        type_, target = "link", target or arrow[1]
    elif target and not type_:
        type_ = "link"
    return ColumnRow(line, written, name, type_, required in _YES, target, values.get("comment", ""))


def _error(line: int, reason: Message) -> PasteError:
    return PasteError(message("Line {line}: {reason}", line=str(line), reason=reason))


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
