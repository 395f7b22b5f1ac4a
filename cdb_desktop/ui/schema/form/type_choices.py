"""The types that a column can have with their names, and the tables that a link can point to."""

from collections import Counter
from dataclasses import dataclass

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.column_types import SPELLINGS, TypeFamily, is_change_allowed, type_family
from cdb_desktop.schema.document.model import Column, Document, Table


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The choice of a link to a table, instead of a type."""

    table: int


_ALL_SPELLINGS = (TypeFamily.TEXT, TypeFamily.LOCALIZED)


def types_for(document: Document, current: Document | None, table: Table, column: Column) -> list[str]:
    """The types that the service accepts for the column (wire §5), with its own type."""
    committed = _committed(current, table, column)
    found = [
        type_ for type_ in all_types(document) if committed is None or is_change_allowed(committed, type_)
    ]
    return found if column.type in found else [column.type, *found]


def all_types(document: Document) -> list[str]:
    """One spelling of each type, the one that the document uses most; all spellings of text types."""
    used = Counter(column.type for table in document.tables for column in table.columns)
    found: list[str] = []
    for each, spellings in SPELLINGS.items():
        if each in _ALL_SPELLINGS:
            found.extend(spellings)
        else:
            found.append(max(spellings, key=lambda spelling: used[spelling]))  # the first of equals
    custom = sorted(type_ for type_ in used if type_.startswith("custom:"))
    return [*found, *custom]


def type_choices(types: list[str]) -> list[tuple[str, object]]:
    """Texts such as ``Decimal, 2 places (decimal.2)`` with the types."""
    return [(f"{name} ({type_})" if (name := type_name(type_)) != type_ else type_, type_) for type_ in types]


def target_choices(document: Document) -> list[tuple[str, object]]:
    """Texts such as ``→ person`` with a `LinkTarget` for each table that a link can point to."""
    return [(f"→ {name}", LinkTarget(table)) for name, table in _objecttypes(document)]


def type_names(document: Document) -> dict[str, str]:
    """The types of the document by their names in the language in use, in lower case."""
    types = all_types(document)
    named = {type_name(type_).lower(): type_ for type_ in types}
    return {**named, **{text.lower(): type_ for type_ in types for text, _ in type_choices([type_])}}


def type_name(type_: str) -> str:
    """The name of a type; an unknown type unchanged."""
    texts = {
        "text": tr("Text, several lines"),
        "text_oneline": tr("Text, one line"),
        "string": tr("Plain text"),
        "text_l10n": tr("Localized, several lines"),
        "text_l10n_oneline": tr("Localized, one line"),
    }
    families = {
        TypeFamily.INTEGER: tr("Whole number"),
        TypeFamily.DECIMAL: tr("Decimal, 2 places"),
        TypeFamily.SERIAL: tr("Serial number"),
        TypeFamily.BOOLEAN: tr("Yes or no"),
        TypeFamily.DATE: tr("Date", context="type"),
        TypeFamily.DATE_TIME: tr("Date and time"),
        TypeFamily.DATE_RANGE: tr("Date range"),
        TypeFamily.FILE: tr("File"),
        TypeFamily.LINK: tr("Link to a table", context="type"),
        TypeFamily.CUSTOM: tr("From a plugin"),
    }
    found = type_family(type_)
    return texts.get(type_) or (families.get(found, type_) if found is not None else type_)


def targets_of(document: Document) -> list[tuple[str, object]]:
    """The names and keys of the tables that a link can point to."""
    return list(_objecttypes(document))


def _objecttypes(document: Document) -> list[tuple[str, int]]:
    """Links can point to objecttypes only (wire §5)."""
    return sorted((table.name, table.key) for table in document.tables if not table.is_nested)


def _committed(current: Document | None, table: Table, column: Column) -> str | None:
    found = None if current is None else current.by_key.get(table.key)
    before = None if found is None else found.by_key.get(column.key)
    return None if before is None else before.type
