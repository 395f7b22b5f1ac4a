"""Localized names of tables and columns (wire §5 `keys`, §6 `l10n`), and edits of them.

The service and files keep them beside the document, by the names of tables and columns. A document holds only
what has been edited since they were read (``Document.local_names``), by references, so that undo, drafts and
merges treat it like everything else and renames need no care.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import Document, LocalNames, NamedRef, Table

OWN_NAMES = "name_localized"  # the attribute of columns


def name_keys(document: Document, ref: NamedRef) -> tuple[str, ...]:
    """The keys of an element's names, ``schema.<table>.name`` or ``schema.<table>.column.<column>``.

    A nested table is also a field of its owner. Empty if the element does not exist.
    """
    if not document.contains(ref):
        return ()
    table = document.by_key[ref.table]
    if isinstance(ref, ColumnRef):
        return (f"schema.{table.name}.column.{table.by_key[ref.column].name}",)
    owner = None if table.owner is None else document.by_key.get(table.owner)
    of_owner = () if owner is None else (f"schema.{owner.name}.column.{table.name}",)
    return (f"schema.{table.name}.name", *of_owner)


def read_names(texts: Json, document: Document, ref: NamedRef) -> Mapping[str, object]:
    """The names of an element by language, as they are in ``texts``."""
    found = (texts.get(key) for key in name_keys(document, ref))
    return next((one for one in found if isinstance(one, Mapping)), None) or _own_names(document, ref)


def _own_names(document: Document, ref: NamedRef) -> Json:
    """The names that a column has in the document itself; others have theirs beside it only."""
    if not isinstance(ref, ColumnRef) or not document.contains(ref):
        return {}
    found = document.by_key[ref.table].by_key[ref.column].raw.get(OWN_NAMES)
    return found if isinstance(found, Mapping) else {}


def with_own_names(document: Document) -> Document:
    """The document with the edited names also in those columns that have their names themselves."""
    changed: dict[int, Table] = {}
    for ref, texts in document.local_names.items():
        if isinstance(ref, ColumnRef) and (own := _own_names(document, ref)):
            table = changed.get(ref.table, document.by_key[ref.table])
            column = table.by_key[ref.column]
            named = replace(column, raw={**column.raw, OWN_NAMES: {**own, **texts}})
            entries = tuple(named if entry is column else entry for entry in table.entries)
            changed[ref.table] = replace(table, entries=entries)
    return document.with_tables(*changed.values())


def shown_names(names: Mapping[str, object]) -> dict[str, str]:
    """The names by language without empty ones and without what is no language."""
    return {
        language: text.strip()
        for language, text in names.items()
        if isinstance(text, str) and text.strip() and not language.startswith("_")
    }


def with_names_of_new(document: Document, source: Document, texts: Json, new: Iterable[NamedRef]) -> Document:
    """The document with the names that new elements have in the document they come from."""
    names = {ref: found for ref in new if (found := shown_names(read_names(texts, source, ref)))}
    return replace(document, local_names={**document.local_names, **names}) if names else document


def with_edited_names(texts: Json, document: Document) -> Json:
    """The names by their keys with what was edited in the document; the keys are its present ones."""
    if not document.local_names:
        return texts
    found = dict(texts)
    for ref, edited in document.local_names.items():
        for key in name_keys(document, ref):
            before = found.get(key)
            found[key] = {**(before if isinstance(before, Mapping) else {}), **edited}
    return found


def with_local_name(document: Document, ref: NamedRef, language: str, text: str | None) -> Document:
    """The document with an edited name, empty for none; with None as it was read."""
    texts = {name: value for name, value in document.local_names.get(ref, {}).items() if name != language}
    if text is not None:
        texts[language] = text
    names = {one: value for one, value in document.local_names.items() if one != ref}
    return replace(document, local_names={**names, ref: texts} if texts else names)


def merged_local_names(base: LocalNames, theirs: LocalNames, mine: LocalNames) -> LocalNames:
    """The edits of both sides; what both have edited is taken from mine."""
    merged = {ref: dict(texts) for ref, texts in theirs.items()}
    for ref, texts in mine.items():
        was = base.get(ref, {})
        changed = {language: text for language, text in texts.items() if was.get(language) != text}
        merged[ref] = {**texts, **merged.get(ref, {}), **changed}
    return merged


def differing_names(old: Document, new: Document) -> Iterator[tuple[NamedRef, str, str | None, str | None]]:
    """Each name that was edited in one document only or differently: element, language, old and new text."""
    for ref in dict.fromkeys((*new.local_names, *old.local_names)):
        was, now = old.local_names.get(ref, {}), new.local_names.get(ref, {})
        for language in dict.fromkeys((*now, *was)):
            if was.get(language) != now.get(language) and new.contains(ref):
                yield ref, language, was.get(language), now.get(language)


def with_refs(names: LocalNames, tables: Mapping[int, int], columns: Mapping[int, int]) -> LocalNames:
    """The names with other keys of tables and columns."""

    def moved(ref: NamedRef) -> NamedRef:
        table = tables.get(ref.table, ref.table)
        if isinstance(ref, TableRef):
            return TableRef(table)
        return ColumnRef(table, columns.get(ref.column, ref.column))

    return {moved(ref): texts for ref, texts in names.items()}
