"""Hints: what the service accepts but people rarely want. Each rule can be silenced for a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TypeGuard

from cdb_desktop.foundation.i18n import Message, mark
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.local_names import read_names, shown_names
from cdb_desktop.schema.document.model import Document, NamedRef, NestedTableEntry, ReverseLink, Table

# The localized names of a model: texts by language, by ``schema.<table>.name`` (wire §5).
Names = Mapping[str, object]

NO_COLUMNS, UNREACHABLE, SIMILAR_NAMES = "no_columns", "unreachable", "similar_names"
MISSING_TRANSLATION, NO_REVERSE = "missing_translation", "link_without_reverse"
RULES = (NO_COLUMNS, UNREACHABLE, SIMILAR_NAMES, MISSING_TRANSLATION, NO_REVERSE)

_TEXTS = {
    NO_COLUMNS: mark("{table} has no columns for values of its own."),
    UNREACHABLE: mark("{table} is not in the main search, and no link leads to or from it."),
    SIMILAR_NAMES: mark("{name} and {other} have nearly the same name."),
    MISSING_TRANSLATION: mark("{name} has no name in {languages}."),
    NO_REVERSE: mark("{column} can only be edited here, not in {target}, to which it leads."),
}


@dataclass(frozen=True, slots=True)
class LintHint:
    """A hint about the element ``ref`` by one of the `RULES`; ``path`` names the element for people."""

    ref: ElementRef
    rule: str
    path: str
    message: Message

    @property
    def silencer(self) -> str:
        """What silences this hint alone; the rule silences all hints of its kind."""
        return f"{self.rule}:{self.path}"


@dataclass(frozen=True, slots=True)
class LocalizedNames:
    """Localized names as they were read, and the document of that time: names follow renamed elements."""

    texts: Names
    base: Document | None = None

    def of(self, document: Document, ref: NamedRef) -> Mapping[str, str]:
        """The names of a table or column by language, without empty ones."""
        return shown_names({**self._read(document, ref), **document.local_names.get(ref, {})})

    def as_read(self, document: Document, ref: NamedRef, language: str) -> str:
        """The name of a table or column in a language as it was read, empty for none."""
        text = self._read(document, ref).get(language)
        return text if isinstance(text, str) else ""

    def languages(self, document: Document) -> tuple[str, ...]:
        """The languages of the model, then others that names are in."""
        read = (texts for texts in self.texts.values() if isinstance(texts, Mapping))
        edited = document.local_names.values()
        others = (language for texts in (*read, *edited) for language in texts)
        every = dict.fromkeys((*languages_of(document), *others))
        return tuple(language for language in every if not language.startswith("_"))

    def _read(self, document: Document, ref: NamedRef) -> Mapping[str, object]:
        source = self.base if self.base is not None and self.base.contains(ref) else document
        return read_names(self.texts, source, ref)


def find_hints(
    document: Document, silenced: Collection[str] = (), names: LocalizedNames | None = None
) -> tuple[LintHint, ...]:
    """All hints that are not silenced. ``names`` are the localized names, None if they are not known."""
    found = chain(
        _no_columns(document) if NO_COLUMNS not in silenced else (),
        _unreachable(document) if UNREACHABLE not in silenced else (),
        _similar_names(document) if SIMILAR_NAMES not in silenced else (),
        _untranslated(document, names) if _has_names(names) and MISSING_TRANSLATION not in silenced else (),
        _without_reverse(document) if NO_REVERSE not in silenced else (),
    )
    return tuple(hint for hint in found if hint.silencer not in silenced)


def _has_names(names: LocalizedNames | None) -> TypeGuard[LocalizedNames]:
    """Whether there are any: where there are none, none are missing."""
    return names is not None and bool(names.texts)


def languages_of(document: Document) -> tuple[str, ...]:
    """The languages of the model's localized names."""
    found = document.raw.get("l10n_languages")
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list | tuple) else ()


def missing_names(
    document: Document, languages: Iterable[str], names: LocalizedNames
) -> Iterator[tuple[ElementRef, str, tuple[str, ...]]]:
    """Each element without a name in one of the languages: its reference, its path, and those languages."""
    wanted = tuple(languages)
    for ref, path in _named_elements(document):
        known = names.of(document, ref)
        missing = tuple(each for each in wanted if each not in known)
        if missing:
            yield ref, path, missing


def _named_elements(document: Document) -> Iterator[tuple[TableRef | ColumnRef, str]]:
    for table in document.tables:
        yield TableRef(table.key), table.name
        for column in table.columns:
            yield ColumnRef(table.key, column.key), f"{table.name}.{column.name}"


def _no_columns(document: Document) -> Iterator[LintHint]:
    for table in document.tables:
        is_parent = any(isinstance(entry, NestedTableEntry) for entry in table.entries)
        if table.entries and not table.columns and not is_parent:
            yield _hint(TableRef(table.key), NO_COLUMNS, table.name, table=table.name)


def _unreachable(document: Document) -> Iterator[LintHint]:
    linked: set[int] = set()
    for table in document.tables:
        root = _root(document, table)
        for key in table.foreign_keys:
            if key.target is not None and key.target != root:
                linked |= {key.target, root}
    for table in document.tables:
        if not table.is_nested and table.key not in linked and not table.flag("in_main_search"):
            yield _hint(TableRef(table.key), UNREACHABLE, table.name, table=table.name)


def _root(document: Document, table: Table) -> int:
    seen: set[int] = set()
    while table.owner is not None and table.key not in seen and table.owner in document.by_key:
        seen.add(table.key)
        table = document.by_key[table.owner]
    return table.key


def _similar_names(document: Document) -> Iterator[LintHint]:
    seen: dict[str, str] = {}
    for table in document.tables:
        other = seen.setdefault(_plain(table.name), table.name)
        if other != table.name:
            yield _hint(TableRef(table.key), SIMILAR_NAMES, table.name, name=table.name, other=other)
        columns: dict[str, str] = {}
        for column in table.columns:
            same = columns.setdefault(_plain(column.name), column.name)
            if same != column.name:
                path, ref = f"{table.name}.{column.name}", ColumnRef(table.key, column.key)
                yield _hint(ref, SIMILAR_NAMES, path, name=path, other=f"{table.name}.{same}")


def _plain(name: str) -> str:
    """A name without underscores and plural endings."""
    parts = (_singular(part) for part in name.lower().split("_") if part)
    return "".join(parts)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _untranslated(document: Document, names: LocalizedNames) -> Iterator[LintHint]:
    for ref, path, missing in missing_names(document, languages_of(document), names):
        yield _hint(ref, MISSING_TRANSLATION, path, name=path, languages=", ".join(missing))


def _without_reverse(document: Document) -> Iterator[LintHint]:
    """Links whose target shows none of the rows that link to it, though it shows those of others."""
    for table in document.tables:
        for column in table.columns:
            if not column.is_link or column.flag("reverse_edit"):
                continue
            for key in table.links.get(column.key, ()):
                other = None if key.target is None else document.by_key.get(key.target)
                if other is not None and any(isinstance(entry, ReverseLink) for entry in other.entries):
                    path = f"{table.name}.{column.name}"
                    ref = ColumnRef(table.key, column.key)
                    yield _hint(ref, NO_REVERSE, path, column=path, target=other.name)


def _hint(ref: ElementRef, rule: str, path: str, /, **values: object) -> LintHint:
    return LintHint(ref, rule, path, Message(_TEXTS[rule], values))
