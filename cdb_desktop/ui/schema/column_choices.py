"""Which types a column may take, what they are called, and which tables a link may point to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from cdb_desktop.schema.document.column_types import SPELLINGS, TypeFamily, is_change_allowed, type_family
from cdb_desktop.schema.document.model import Column, Document, Table

_ALL_SPELLINGS = (TypeFamily.TEXT, TypeFamily.LOCALIZED)


def types_for(document: Document, current: Document | None, table: Table, column: Column) -> list[str]:
    """The types that the service lets the column take (wire §5), its own first met in place."""
    committed = _committed(current, table, column)
    found = [
        type_ for type_ in all_types(document) if committed is None or is_change_allowed(committed, type_)
    ]
    return found if column.type in found else [column.type, *found]


def all_types(document: Document) -> list[str]:
    """One spelling of each type, the one that the document uses most; of texts all of them."""
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
    """The types as they are offered, ``Decimal, 2 places (decimal.2)``, with their spellings."""
    return [(f"{name} ({type_})" if (name := type_name(type_)) != type_ else type_, type_) for type_ in types]


def type_name(type_: str) -> str:
    """A type in plain words; one that nobody knows as it is spelt."""
    translate = QCoreApplication.translate
    texts = {
        "text": translate("TypeNames", "Text, several lines"),
        "text_oneline": translate("TypeNames", "Text, one line"),
        "string": translate("TypeNames", "Plain text"),
        "text_l10n": translate("TypeNames", "Localized, several lines"),
        "text_l10n_oneline": translate("TypeNames", "Localized, one line"),
    }
    families = {
        TypeFamily.INTEGER: translate("TypeNames", "Whole number"),
        TypeFamily.DECIMAL: translate("TypeNames", "Decimal, 2 places"),
        TypeFamily.SERIAL: translate("TypeNames", "Serial number"),
        TypeFamily.BOOLEAN: translate("TypeNames", "Yes or no"),
        TypeFamily.DATE: translate("TypeNames", "Date"),
        TypeFamily.DATE_TIME: translate("TypeNames", "Date and time"),
        TypeFamily.DATE_RANGE: translate("TypeNames", "Date range"),
        TypeFamily.FILE: translate("TypeNames", "File"),
        TypeFamily.LINK: translate("TypeNames", "Link to a table"),
        TypeFamily.CUSTOM: translate("TypeNames", "From a plugin"),
    }
    found = type_family(type_)
    return texts.get(type_) or (families.get(found, type_) if found is not None else type_)


def targets_of(document: Document) -> list[tuple[str, object]]:
    """The tables that a link may point to, by name, with their keys: objecttypes only (wire §5)."""
    return sorted((table.name, table.key) for table in _objecttypes(document))


def _objecttypes(document: Document) -> Iterator[Table]:
    return (table for table in document.tables if not table.is_nested)


def _committed(current: Document | None, table: Table, column: Column) -> str | None:
    found = None if current is None else current.by_key.get(table.key)
    before = None if found is None else found.by_key.get(column.key)
    return None if before is None else before.type
