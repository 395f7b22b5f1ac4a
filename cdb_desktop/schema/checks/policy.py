"""Policies of teams in a file: what a model must or must not have beyond the rules of the service.

A policy is a TOML or JSON file. All of it is optional::

    no_drops = true                           # no table or column of the base is removed, no type narrowed
    comments = ["tables", "columns"]          # which elements need a comment
    languages = ["en-US", "de-DE"]            # every table and column has a name in each of them
    hints = ["unreachable", "similar_names"]  # hints that count as violations

    [names]                                   # regular expressions for whole names
    table = "[a-z]+(_[a-z]+)*"
    column = "[a-z]+(_[a-z0-9]+)*"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cdb_desktop.foundation.i18n import Message, mark, message
from cdb_desktop.schema.checks.lint import RULES, LocalizedNames, find_hints, missing_names
from cdb_desktop.schema.diff.change import Risk
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import text_attribute
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import own_name
from cdb_desktop.schema.validation.problem import Problem, Severity
from cdb_desktop.vocabulary.pattern import Matcher, PatternError, whole_text_matcher

_LARGEST = 1_000_000  # bytes
_TEXTS = {
    "policy_drop": mark("Policy: {change} ({risk})."),
    "policy_comment": mark("Policy: {name} needs a comment."),
    "policy_name": mark("Policy: the name {name} does not fit {pattern}."),
    "policy_language": mark("Policy: {name} has no name in {languages}."),
    "policy_names_unknown": mark(
        "Policy: the names in {languages} cannot be checked, as they are not known."
    ),
    "policy_base": mark("Policy: without a base it is unknown whether anything is dropped."),
    "policy_hint": mark("Policy: {hint}"),
}


class PolicyError(Exception):
    """A policy that cannot be read; ``message`` is the reason."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.message = reason


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    table: str = ""
    column: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    no_drops: bool = False
    comments: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    names: _Names = msgspec.field(default_factory=_Names)


@dataclass(frozen=True, slots=True)
class NameRule:
    """A regular expression for whole names."""

    pattern: str
    matcher: Matcher

    def fits(self, name: str) -> bool:
        """Whether a name fits the expression."""
        return self.matcher.search(name) is not None


@dataclass(frozen=True, slots=True)
class Policy:
    """The content of a policy file; see the module."""

    no_drops: bool = False
    comments: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()
    hints: frozenset[str] = frozenset()
    table: NameRule | None = None
    column: NameRule | None = None


def read_policy_file(path: Path) -> Policy:
    """The policy in a file. Raises OSError, and PolicyError if the file is none."""
    if path.stat().st_size > _LARGEST:
        raise PolicyError(message("The file is too large to be a policy."))
    return read_policy(path.read_bytes(), is_json=path.suffix.lower() == ".json")


def read_policy(content: bytes, *, is_json: bool = False) -> Policy:
    """The policy in TOML or JSON. Raises PolicyError with the line or the name that is wrong."""
    try:
        raw = msgspec.json.decode(content) if is_json else tomllib.loads(content.decode())
        file = msgspec.convert(raw, _File)
    except (tomllib.TOMLDecodeError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PolicyError(
            message("This is not a policy: {reason}.", reason=str(error).rstrip("."))
        ) from error
    for name in file.comments:
        _require_known(name, ("tables", "columns"))
    for name in file.hints:
        _require_known(name, RULES)
    return Policy(
        no_drops=file.no_drops,
        comments=frozenset(file.comments),
        languages=file.languages,
        hints=frozenset(file.hints),
        table=_rule(file.names.table),
        column=_rule(file.names.column),
    )


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
    for hint in find_hints(document, frozenset(RULES) - policy.hints, names) if policy.hints else ():
        yield _problem(hint.ref, "policy_hint", hint=hint.message)


def _drops(base: Document, document: Document) -> Iterator[Problem]:
    risks = {
        Risk.DESTROYING: message("values are lost"),
        Risk.NARROWING: message("may fail where values do not fit"),
    }
    for change in compare(base, document):
        if change.risk in risks:
            yield _problem(change.ref, "policy_drop", change=change.message, risk=risks[change.risk])


def _comments(policy: Policy, document: Document) -> Iterator[Problem]:
    for table in document.tables:
        if "tables" in policy.comments and not text_attribute(table.raw, "comment").strip():
            yield _problem(TableRef(table.key), "policy_comment", name=table.name)
        for column in table.columns if "columns" in policy.comments else ():
            if not text_attribute(column.raw, "comment").strip():
                name = f"{table.name}.{column.name}"
                yield _problem(ColumnRef(table.key, column.key), "policy_comment", name=name)


def _name_forms(policy: Policy, document: Document) -> Iterator[Problem]:
    for table in document.tables:
        owner = None if table.owner is None else document.by_key.get(table.owner)
        own = table.name if owner is None else own_name(table.name, owner.name)
        if policy.table is not None and not policy.table.fits(own):
            ref, pattern = TableRef(table.key), policy.table.pattern
            yield _problem(ref, "policy_name", name=table.name, pattern=pattern)
        for column in table.columns if policy.column is not None else ():
            if policy.column is not None and not policy.column.fits(column.name):
                name, pattern = f"{table.name}.{column.name}", policy.column.pattern
                yield _problem(ColumnRef(table.key, column.key), "policy_name", name=name, pattern=pattern)


def _translations(policy: Policy, document: Document, names: LocalizedNames | None) -> Iterator[Problem]:
    if names is None:
        yield _problem(DOCUMENT, "policy_names_unknown", languages=", ".join(policy.languages))
        return
    for ref, path, missing in missing_names(document, policy.languages, names):
        yield _problem(ref, "policy_language", name=path, languages=", ".join(missing))


def _rule(pattern: str) -> NameRule | None:
    if not pattern:
        return None
    try:
        return NameRule(pattern, whole_text_matcher(pattern))
    except PatternError as error:
        reason = f"{pattern}: {error.reason}"
        raise PolicyError(message("This is not a policy: {reason}.", reason=reason)) from error


def _require_known(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        reason = f"{name}; {', '.join(known)}"
        raise PolicyError(message("This is not a policy: {reason}.", reason=reason))


def _problem(ref: ElementRef, code: str, /, **values: object) -> Problem:
    return Problem(Severity.WARNING, ref, code, Message(_TEXTS[code], values))
