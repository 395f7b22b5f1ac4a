"""Rules for single columns: type, check, default, and changes of committed types (wire §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from cdb_desktop.foundation.i18n import Message, mark, message
from cdb_desktop.schema.document.column_types import (
    DATES,
    NUMBERS,
    TEXTS,
    TypeFamily,
    is_change_allowed,
    type_family,
)
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import Json, shown_value
from cdb_desktop.schema.document.model import Column, Document, Table, UnknownEntry
from cdb_desktop.schema.validation.problem import Problem, Severity, error, warning
from cdb_desktop.vocabulary.pattern import PatternError, UnsupportedSyntax, check_expression

_RULED = frozenset(
    {
        "check",
        "check_regexp",
        "check_regexp_flags",
        "check_range_lower",
        "check_range_upper",
        "length_min",
        "length_max",
        "default",
    }
)
_CHECKS = ("not_empty", "email", "regexp", "range")
_DEFAULTS: dict[TypeFamily, tuple[type, ...]] = {
    TypeFamily.TEXT: (str,),
    TypeFamily.INTEGER: (int,),
    TypeFamily.DECIMAL: (int, float),
    TypeFamily.BOOLEAN: (bool,),
}
# For a pattern that compiles elsewhere but not with RE2: the text where it is not known how the service
# checks patterns, and the text where that is known to be RE2.
_RE2_TEXTS = {
    UnsupportedSyntax.LOOK_AROUND: (
        mark("Some services refuse the regular expression of {column}: it looks ahead or behind."),
        mark("The service does not take the regular expression of {column}: it looks ahead or behind."),
    ),
    UnsupportedSyntax.BACK_REFERENCE: (
        mark("Some services refuse the regular expression of {column}: it refers to a group."),
        mark("The service does not take the regular expression of {column}: it refers to a group."),
    ),
    None: (
        mark("Some services refuse the regular expression of {column}: {reason}."),
        mark("The service does not take the regular expression of {column}: {reason}."),
    ),
}


def column_problems(document: Document) -> Iterator[Problem]:
    """Rules for individual columns."""
    for table in document.tables:
        if not table.entries:
            yield warning(TableRef(table.key), "table_empty", table=table.name)
        for column in table.columns:
            found = type_family(column.type)
            if found is None:
                yield _type_problem(table, column)
            if not _RULED.isdisjoint(column.raw):
                yield from _column_rules(table, column, found)
        for entry in table.entries:
            if isinstance(entry, UnknownEntry):
                kind = shown_value(entry.raw.get("kind"))
                yield error(TableRef(table.key), "kind_unknown", table=table.name, kind=kind)


def _type_problem(table: Table, column: Column) -> Problem:
    ref, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
    if not column.type:
        return error(ref, "type_missing", column=name)
    return warning(ref, "type_unknown", column=name, type=column.type)


def _column_rules(table: Table, column: Column, found: TypeFamily | None) -> Iterator[Problem]:
    ref, name, raw = ColumnRef(table.key, column.key), f"{table.name}.{column.name}", column.raw
    check = raw.get("check")
    if check is not None and check not in _CHECKS:
        yield error(ref, "check_unknown", column=name, check=shown_value(check))
    if check in ("email", "regexp") and found is not None and found not in TEXTS:
        yield error(ref, "check_type", column=name, check=shown_value(check))
    yield from _regexp(ref, name, raw)
    if check == "range":
        yield from _range(ref, name, raw, found)
    yield from _lengths(ref, name, raw, found)
    yield from _default(ref, name, raw, found)


def _regexp(ref: ElementRef, name: str, raw: Json) -> Iterator[Problem]:
    pattern, flags = raw.get("check_regexp"), raw.get("check_regexp_flags")
    if raw.get("check") == "regexp" and not pattern:
        yield error(ref, "regexp_missing", column=name)
    elif pattern is not None:
        yield from _pattern(ref, name, pattern)
    if flags not in (None, "", "i"):
        yield error(ref, "regexp_flags", column=name, flags=shown_value(flags))


def _pattern(ref: ElementRef, name: str, pattern: object) -> Iterator[Problem]:
    """A warning if only RE2 refuses the pattern: the service may take it. An error if Python does, too."""
    if not isinstance(pattern, str):
        yield error(ref, "regexp", column=name, reason=message("it is not a text"))
    elif (refused := _re2_error(pattern)) is not None:
        fault = _python_error(pattern)
        if fault:
            yield error(ref, "regexp", column=name, reason=fault)
        else:
            values = {"column": name, "reason": refused.reason}
            unsure, refusal = (Message(text, values) for text in _RE2_TEXTS[refused.unsupported])
            yield Problem(Severity.WARNING, ref, "regexp_re2", unsure, refusal)


@lru_cache(maxsize=1024)
def _re2_error(pattern: str) -> PatternError | None:
    """Why RE2 refuses a pattern; cached, since documents are checked after every edit."""
    try:
        check_expression(pattern)
    except PatternError as fault:
        return fault
    return None


def _python_error(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        return str(fault)
    return ""


def _range(ref: ElementRef, name: str, raw: Json, found: TypeFamily | None) -> Iterator[Problem]:
    lower, upper = raw.get("check_range_lower"), raw.get("check_range_upper")
    if found is not None and found not in NUMBERS | DATES:
        yield error(ref, "range_type", column=name)
    elif lower is None and upper is None:
        yield error(ref, "range_missing", column=name)
    elif not all(_is_bound(bound, found) for bound in (lower, upper) if bound is not None):
        yield error(ref, "range_bound", column=name)
    elif lower is not None and upper is not None and _is_empty(lower, upper, raw):
        yield error(ref, "range_empty", column=name)


def _is_bound(bound: object, found: TypeFamily | None) -> bool:
    if found in NUMBERS:
        return isinstance(bound, int | float) and not isinstance(bound, bool)
    return isinstance(bound, str) or found is None


def _is_empty(lower: object, upper: object, raw: Json) -> bool:
    is_open = raw.get("check_range_lower_open") is True or raw.get("check_range_upper_open") is True
    if isinstance(lower, int | float) and isinstance(upper, int | float):
        return lower > upper or (lower == upper and is_open)
    return str(lower) > str(upper) or (lower == upper and is_open)


def _lengths(ref: ElementRef, name: str, raw: Json, found: TypeFamily | None) -> Iterator[Problem]:
    lengths = [raw[length] for length in ("length_min", "length_max") if raw.get(length) is not None]
    if not lengths:
        return
    if found is not None and found not in TEXTS:
        yield error(ref, "length_type", column=name)
    whole = [length for length in lengths if isinstance(length, int) and length >= 0]
    if len(whole) < len(lengths) or whole != sorted(whole):
        yield error(ref, "length", column=name)


def _default(ref: ElementRef, name: str, raw: Json, found: TypeFamily | None) -> Iterator[Problem]:
    default = raw.get("default")
    wanted = None if found is None else _DEFAULTS.get(found)
    if default is None or wanted is None:
        return
    if not isinstance(default, wanted) or (isinstance(default, bool) and found is not TypeFamily.BOOLEAN):
        yield error(ref, "default", column=name)


def type_change_problems(document: Document, current: Document | None) -> Iterator[Problem]:
    """Changes of type since CURRENT that the service refuses when HEAD is saved."""
    if current is None:
        return
    for table in document.tables:
        before = current.by_key.get(table.key)
        if before is not None and before is not table:
            yield from _type_changes(before, table)


def _type_changes(before: Table, table: Table) -> Iterator[Problem]:
    for column in table.columns:
        committed = before.by_key.get(column.key)
        if committed is not None and not is_change_allowed(committed.type, column.type):
            yield error(
                ColumnRef(table.key, column.key),
                "type_change",
                column=f"{table.name}.{column.name}",
                old=committed.type,
                new=column.type,
            )
