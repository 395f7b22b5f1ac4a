"""Localized names of tables and columns: their texts, and the keys under which they are stored (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document

Element = TableRef | ColumnRef
Texts = Mapping[str, str]  # by language


def names_of(
    names: Mapping[str, object], document: Document, elements: Iterable[Element]
) -> dict[Element, Texts]:
    """The texts of those elements of a document that have any in ``names`` (wire §5)."""
    found: dict[Element, Texts] = {}
    for element in elements:
        for key in keys_of(document, element):
            texts = names.get(key)
            if element not in found and isinstance(texts, Mapping):
                kept = {
                    language: text.strip()
                    for language, text in texts.items()
                    if isinstance(text, str) and text.strip() and not language.startswith("_")
                }
                if kept:
                    found[element] = kept
    return found


def with_names(
    names: Mapping[str, object], document: Document, added: Mapping[Element, Texts]
) -> dict[str, object]:
    """``names`` with the texts of elements of the document, as far as a language has no text yet."""
    found = dict(names)
    for element, texts in added.items():
        for key in keys_of(document, element):
            known = found.get(key)
            kept = dict(known) if isinstance(known, Mapping) else {}
            kept.update({language: text for language, text in texts.items() if not kept.get(language)})
            found[key] = kept
    return found


def keys_of(document: Document, element: Element) -> tuple[str, ...]:
    """The keys of an element's names: a nested table is also a field of its owner. Empty if it is missing."""
    table = document.by_key.get(element.table)
    if table is None:
        return ()
    if isinstance(element, ColumnRef):
        column = table.by_key.get(element.column)
        return () if column is None else (f"schema.{table.name}.column.{column.name}",)
    owner = None if table.owner is None else document.by_key.get(table.owner)
    of_owner = () if owner is None else (f"schema.{owner.name}.column.{table.name}",)
    return (f"schema.{table.name}.name", *of_owner)
