"""Checks a document against all rules, after every edit (wire §5).

Rules for the names of tables and columns also apply to one new name while it is being typed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import chain

import msgspec

from cdb_desktop.foundation.bundle import resource
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
from cdb_desktop.schema.document.model import (
    PRIMARY_KEY,
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import (
    LONGEST,
    SEPARATOR,
    is_column_name,
    is_reserved,
    is_table_name,
    nested_name,
)
from cdb_desktop.vocabulary.pattern import PatternError, UnsupportedSyntax, check_expression

# What is wrong, by the code of a rule; also hints and what policies forbid.
PROBLEM_TEXTS = msgspec.json.decode(resource("problems.json").read_bytes(), type=dict[str, str])


def find_problems(document: Document, current: Document | None = None) -> tuple[Problem, ...]:
    """All problems. ``current`` is CURRENT, which restricts changes of types; None without a commit."""
    return tuple(
        chain(
            name_problems(document),
            column_problems(document),
            nesting_problems(document),
            link_problems(document),
            unique_key_problems(document),
            type_change_problems(document, current),
        )
    )


def problems_for_service(found: tuple[Problem, ...], *, re2_only: bool) -> tuple[Problem, ...]:
    """The problems as they count for a service; ``re2_only`` if it is known to check patterns with RE2."""
    if not re2_only:
        return found
    return tuple(
        replace(problem, severity=Severity.ERROR, message=problem.refusal) if problem.refusal else problem
        for problem in found
    )


_RULES = (None, "cascade", "restrict", "set null", "set default")


def link_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with link columns, foreign keys and reverse links."""
    edited = {
        (entry.table, entry.column, table.key)
        for table in document.tables
        for entry in table.entries
        if isinstance(entry, ReverseLink)
    }
    for table in document.tables:
        for column in table.columns:
            if column.is_link:
                yield from _link(table, column, edited)
            elif column.flag("reverse_edit"):
                ref = ColumnRef(table.key, column.key)
                yield error(ref, "reverse_type", column=f"{table.name}.{column.name}")
        for key in table.foreign_keys:
            yield from _foreign_key(document, table, key)
        yield from _reverse_links(document, table)


def _link(table: Table, column: Column, edited: set[tuple[int | None, int | None, int]]) -> Iterator[Problem]:
    ref, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
    keys = table.links.get(column.key, ())
    if not keys:
        yield error(ref, "link_key_missing", column=name)
    elif len(keys) > 1:
        yield error(ref, "link_key_repeated", column=name)
    elif column.flag("reverse_edit"):
        target = keys[0].target
        if target is not None and (table.key, column.key, target) not in edited:
            yield error(ref, "reverse_missing", column=name)


def _foreign_key(document: Document, table: Table, key: ForeignKey) -> Iterator[Problem]:
    columns = [table.by_key[column] for column in key.column_keys]
    ref: ElementRef = ColumnRef(table.key, columns[0].key) if columns else TableRef(table.key)
    name = f"{table.name}.{columns[0].name}" if columns else f"{table.name}, {key.name}"
    if len(columns) != 1 or len(key.columns) != 1:
        yield error(ref, "key_columns", column=name)
    elif not columns[0].is_link:
        yield error(ref, "key_type", column=name)
    if key.target is None:
        yield error(ref, "link_dangling", column=name)
    elif len(key.target_columns) != 1 or key.target_columns[0].automatic != PRIMARY_KEY:
        yield error(ref, "key_target", column=name)
    if key.target is not None and document.by_key[key.target].is_nested:
        yield error(ref, "link_nested", column=name, table=document.by_key[key.target].name)
    for rule in ("on_delete", "on_update"):
        if key.raw.get(rule) not in _RULES:
            value = shown_value(key.raw.get(rule))
            yield error(ref, "key_rule", column=name, rule=rule, value=value)
    if columns and key.raw.get("on_delete") in _RULES:
        yield from _delete_rule(ref, name, columns[0], key)


def _delete_rule(ref: ElementRef, name: str, column: Column, key: ForeignKey) -> Iterator[Problem]:
    expected = "cascade" if column.flag("reverse_edit") else "restrict"
    if key.raw.get("on_delete") not in (None, expected):
        value = shown_value(key.raw.get("on_delete"))
        yield warning(ref, "delete_rule", column=name, value=value, expected=expected)


def _reverse_links(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, ReverseLink)]
    counts = Counter((link.table, link.column) for link in links)
    for link in links:
        ref = link.ref(table.key)
        other = None if link.table is None else document.by_key.get(link.table)
        column = None if other is None or link.column is None else other.by_key.get(link.column)
        if other is None or column is None:
            yield error(ref, "reverse_dangling", table=table.name)
            continue
        name = f"{other.name}.{column.name}"
        targets = {key.target for key in other.links.get(column.key, ())}
        if table.key not in targets or not column.flag("reverse_edit"):
            yield error(ref, "reverse_stray", table=table.name, column=name)
        if counts[(link.table, link.column)] > 1:
            yield error(ref, "reverse_repeated", table=table.name, column=name)


def unique_key_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with unique keys."""
    for table in document.tables:
        seen: set[frozenset[int]] = set()
        for key in table.unique_keys:
            yield from _unique_key(table, key)
            columns = frozenset(key.column_keys)
            if columns and columns in seen:
                yield warning(key.ref(table.key), "unique_repeated", table=table.name)
            seen.add(columns)


def _unique_key(table: Table, key: UniqueKey) -> Iterator[Problem]:
    ref = key.ref(table.key) if key.column_keys else TableRef(table.key)
    if not key.columns:
        yield error(ref, "unique_empty", table=table.name)
    for reference in key.columns:
        if reference.key is None and not reference.automatic:
            yield error(ref, "unique_dangling", table=table.name)
        elif reference.key is not None and reference.raw.get("unique_true") is True:
            column = table.by_key[reference.key]
            if type_family(column.type) is not TypeFamily.BOOLEAN:
                yield error(ref, "unique_true", table=table.name, column=column.name)


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


_TOP_LEVEL_ONLY = ("is_hierarchical", "pool_link", "acl_table", "has_tags", "in_main_search", "in_facets")


def name_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with the names and ids of tables and columns."""
    counts = Counter(table.name for table in document.tables)
    for table in document.tables:
        ref = TableRef(table.key)
        if code := _table_form(table.name):
            yield error(ref, code, name=table.name)
        if counts[table.name] > 1:
            yield error(ref, "table_repeated", name=table.name)
        if table.id not in (None, table.key):
            yield error(ref, "table_id_repeated", id=str(table.id))
        if table.is_nested:
            yield from _nested_name(document, table)
        yield from _column_names(table)


def new_name_problem(document: Document, ref: TableRef | ColumnRef, name: str) -> Message | None:
    """Why the service would refuse the name, None if it would not; for a nested table without its owner's."""
    code = _new_column(document, ref, name) if isinstance(ref, ColumnRef) else _new_table(document, ref, name)
    return error(ref, code, name=name).message if code else None


def _new_column(document: Document, ref: ColumnRef, name: str) -> str:
    others = (column for column in document.by_key[ref.table].columns if column.key != ref.column)
    return _column_form(name) or ("column_repeated" if any(one.name == name for one in others) else "")


def _new_table(document: Document, ref: TableRef, name: str) -> str:
    owner = document.by_key.get(document.by_key[ref.table].owner or 0)
    whole = name if owner is None or not name else nested_name(owner.name, name)
    others = (table for table in document.tables if table.key != ref.table)
    return _table_form(whole) or ("table_repeated" if any(one.name == whole for one in others) else "")


def _table_form(name: str) -> str:
    """The code of the problem with the form of a table's whole name, empty if there is none."""
    if is_table_name(name):
        return "table_name_reserved" if is_reserved(name) else ""
    if not name:
        return "table_name_missing"
    return "table_name_long" if len(name) > LONGEST else "table_name"


def _column_form(name: str) -> str:
    """The code of the problem with the form of a column's name, empty if there is none."""
    if is_column_name(name):
        return ""
    if not name:
        return "column_name_missing"
    return "column_name_long" if len(name) > LONGEST else "column_name"


def _nested_name(document: Document, table: Table) -> Iterator[Problem]:
    owner = None if table.owner is None else document.by_key.get(table.owner)
    if owner is not None and not table.name.startswith(owner.name + SEPARATOR):
        yield error(TableRef(table.key), "nested_name", name=table.name, owner=owner.name)


def _column_names(table: Table) -> Iterator[Problem]:
    names: set[str] = set()
    for column in table.columns:
        name = column.name
        if name in names:
            yield _column_error(table, column.key, "column_repeated", name)
        elif code := _column_form(name):
            yield _column_error(table, column.key, code, name)
        names.add(name)
        if column.id not in (None, column.key):
            yield _column_error(table, column.key, "column_id_repeated", name)


def _column_error(table: Table, key: int, code: str, name: str) -> Problem:
    return error(ColumnRef(table.key, key), code, name=f"{table.name}.{name}")


def nesting_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with ``owned_by`` and with the entries for nested tables."""
    circles = _in_cycles(document)
    for table in document.tables:
        if table.is_nested:
            yield from _nested_table(document, table, is_circle=table.key in circles)
        yield from _nested_entries(document, table)


def _nested_table(document: Document, table: Table, *, is_circle: bool) -> Iterator[Problem]:
    ref = TableRef(table.key)
    if table.owner is None or table.owner not in document.by_key:
        yield error(ref, "owner_missing", table=table.name)
    if is_circle:
        yield error(ref, "owner_circle", table=table.name)
    for option in _TOP_LEVEL_ONLY:
        if table.flag(option):
            yield error(ref, "nested_option", table=table.name, option=option)
    owner = None if table.owner is None else document.by_key.get(table.owner)
    if owner is not None:
        yield from _entry_in_owner(table, owner)


def _entry_in_owner(table: Table, owner: Table) -> Iterator[Problem]:
    count = sum(isinstance(entry, NestedTableEntry) and entry.table == table.key for entry in owner.entries)
    if count == 0:
        yield error(TableRef(table.key), "entry_missing", owner=owner.name, table=table.name)


def _nested_entries(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, NestedTableEntry)]
    counts = Counter(link.table for link in links)
    for link in links:
        ref = link.ref(table.key)
        nested = None if link.table is None else document.by_key.get(link.table)
        if nested is None:
            yield error(ref, "entry_dangling", table=table.name)
            continue
        if nested.owner != table.key:
            yield error(ref, "entry_foreign", table=table.name, nested=nested.name)
        if counts[link.table] > 1:
            yield error(ref, "entry_repeated", table=table.name, nested=nested.name)


def _in_cycles(document: Document) -> frozenset[int]:
    """The tables that own themselves, through others or at once."""
    above = {table.key: table.owner for table in document.tables if table.owner is not None}
    found: set[int] = set()
    settled: set[int] = set()
    for start in above:
        path: list[int] = []
        key: int | None = start
        while key is not None and key not in settled:
            settled.add(key)
            path.append(key)
            key = above.get(key)
        if key in path:
            found.update(path[path.index(key) :])
    return frozenset(found)


class Severity(Enum):
    """Whether the service refuses the document."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """A violation of a rule by the element ``ref``; ``code`` identifies the rule.

    ``refusal`` is the message for services that are known to refuse what others take.
    """

    severity: Severity
    ref: ElementRef
    code: str
    message: Message
    refusal: Message | None = None


def error(ref: ElementRef, code: str, /, **values: object) -> Problem:
    """A problem for which the service refuses the document."""
    return Problem(Severity.ERROR, ref, code, Message(PROBLEM_TEXTS[code], values))


def warning(ref: ElementRef, code: str, /, **values: object) -> Problem:
    """A problem with which the document can be saved."""
    return Problem(Severity.WARNING, ref, code, Message(PROBLEM_TEXTS[code], values))
