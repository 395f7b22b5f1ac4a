"""Hints and policies: what the service accepts but people, or a team, do not want.

Each rule of hints can be silenced for a model. A policy is a TOML or JSON file. All of it is optional::

    no_drops = true                           # no table or column of the base is removed, no type narrowed
    comments = ["tables", "columns"]          # which elements need a comment
    languages = ["en-US", "de-DE"]            # every table and column has a name in each of them
    hints = ["unreachable", "similar_names"]  # hints that count as violations

    [names]                                   # regular expressions for whole names
    table = "[a-z]+(_[a-z]+)*"
    column = "[a-z]+(_[a-z0-9]+)*"
"""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeGuard

import msgspec

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.checks.validation import PROBLEM_TEXTS, Problem, Severity
from cdb_desktop.schema.diff.compare import Risk, compare, risk_text
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import ReasonError, text_attribute
from cdb_desktop.schema.document.local_names import OWN_NAMES, read_names, shown_names
from cdb_desktop.schema.document.model import Document, NamedRef, NestedTableEntry, ReverseLink, Table
from cdb_desktop.schema.document.names import own_table_name
from cdb_desktop.vocabulary.pattern import Matcher, PatternError, whole_text_matcher

# The localized names of a model: texts by language, by ``schema.<table>.name`` (wire §5).
Names = Mapping[str, object]

NO_COLUMNS, UNREACHABLE, SIMILAR_NAMES = "no_columns", "unreachable", "similar_names"
MISSING_TRANSLATION, NO_REVERSE = "missing_translation", "link_without_reverse"
RULES = (NO_COLUMNS, UNREACHABLE, SIMILAR_NAMES, MISSING_TRANSLATION, NO_REVERSE)


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
        columns = (column for table in document.tables for column in table.columns if OWN_NAMES in column.raw)
        own = (names for column in columns if isinstance(names := column.raw[OWN_NAMES], Mapping))
        others = (str(language) for texts in (*read, *edited, *own) for language in texts)
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
    return LintHint(ref, rule, path, Message(PROBLEM_TEXTS[rule], values))


_LARGEST = 1_000_000  # bytes


class PolicyError(ReasonError):
    """A policy that cannot be read; ``message`` is the reason."""


class NameForms(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Regular expressions for whole names, empty for names of any form."""

    table: str = ""
    column: str = ""


class Policy(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The content of a policy file; see the module."""

    no_drops: bool = False
    comments: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    names: NameForms = NameForms()


def read_policy_file(path: Path) -> Policy:
    """The policy in a file. Raises OSError, and PolicyError if the file is none."""
    if path.stat().st_size > _LARGEST:
        raise PolicyError(message("The file is too large to be a policy."))
    return read_policy(path.read_bytes(), is_json=path.suffix.lower() == ".json")


def read_policy(content: bytes, *, is_json: bool = False) -> Policy:
    """The policy in TOML or JSON. Raises PolicyError with the line or the name that is wrong."""
    try:
        raw = msgspec.json.decode(content) if is_json else tomllib.loads(content.decode())
        policy = msgspec.convert(raw, Policy)
    except (tomllib.TOMLDecodeError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PolicyError(
            message("This is not a policy: {reason}.", reason=str(error).rstrip("."))
        ) from error
    for name in policy.comments:
        _require_known(name, ("tables", "columns"))
    for name in policy.hints:
        _require_known(name, RULES)
    for pattern in (policy.names.table, policy.names.column):
        _matcher(pattern)
    return policy


def violations(
    policy: Policy, document: Document, base: Document | None = None, names: LocalizedNames | None = None
) -> tuple[Problem, ...]:
    """What violates the policy, with `Severity.WARNING`: the service would take it.

    ``base`` is the document that changes are relative to, and ``names`` are the localized names; None if they
    are not known, which is a violation too if the policy needs them.
    """
    return tuple(_violations(policy, document, base, names))


def _violations(
    policy: Policy, document: Document, base: Document | None, names: LocalizedNames | None
) -> Iterator[Problem]:
    if policy.no_drops and base is None:
        yield _problem(DOCUMENT, "policy_base")
    elif policy.no_drops and base is not None:
        yield from _drops(base, document)
    yield from _comments(policy, document)
    yield from _name_forms(policy, document)
    if policy.languages:
        yield from _translations(policy, document, names)
    for hint in (
        find_hints(document, frozenset(RULES).difference(policy.hints), names) if policy.hints else ()
    ):
        yield _problem(hint.ref, "policy_hint", hint=hint.message)


def _drops(base: Document, document: Document) -> Iterator[Problem]:
    for change in compare(base, document):
        if change.risk is not Risk.SAFE:
            yield _problem(change.ref, "policy_drop", change=change.message, risk=risk_text(change.risk))


def _comments(policy: Policy, document: Document) -> Iterator[Problem]:
    for table in document.tables:
        if "tables" in policy.comments and not text_attribute(table.raw, "comment").strip():
            yield _problem(TableRef(table.key), "policy_comment", name=table.name)
        for column in table.columns if "columns" in policy.comments else ():
            if not text_attribute(column.raw, "comment").strip():
                name = f"{table.name}.{column.name}"
                yield _problem(ColumnRef(table.key, column.key), "policy_comment", name=name)


def _name_forms(policy: Policy, document: Document) -> Iterator[Problem]:
    of_tables, of_columns = _matcher(policy.names.table), _matcher(policy.names.column)
    for table in document.tables:
        if of_tables is not None and of_tables.search(own_table_name(document, table)) is None:
            pattern = policy.names.table
            yield _problem(TableRef(table.key), "policy_name", name=table.name, pattern=pattern)
        for column in table.columns:
            if of_columns is not None and of_columns.search(column.name) is None:
                name, pattern = f"{table.name}.{column.name}", policy.names.column
                yield _problem(ColumnRef(table.key, column.key), "policy_name", name=name, pattern=pattern)


def _translations(policy: Policy, document: Document, names: LocalizedNames | None) -> Iterator[Problem]:
    if names is None:
        yield _problem(DOCUMENT, "policy_names_unknown", languages=", ".join(policy.languages))
        return
    for ref, path, missing in missing_names(document, policy.languages, names):
        yield _problem(ref, "policy_language", name=path, languages=", ".join(missing))


def _matcher(pattern: str) -> Matcher | None:
    try:
        return whole_text_matcher(pattern) if pattern else None
    except PatternError as error:
        reason = f"{pattern}: {error.reason}"
        raise PolicyError(message("This is not a policy: {reason}.", reason=reason)) from error


def _require_known(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        reason = f"{name}; {', '.join(known)}"
        raise PolicyError(message("This is not a policy: {reason}.", reason=reason))


def _problem(ref: ElementRef, code: str, /, **values: object) -> Problem:
    return Problem(Severity.WARNING, ref, code, Message(PROBLEM_TEXTS[code], values))
