"""Differences of plain attributes, and what they mean for the rows that are there."""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.changes import Change, ChangeKind, Risk
from cdb_desktop.schema.document import Table
from cdb_desktop.schema.elements import Raw, shown_value
from cdb_desktop.schema.places import DOCUMENT, Place, TablePlace

_OF_VERSIONS = frozenset(
    {
        "type",
        "version",
        "based_on_version",
        "based_on_base_version",
        "max_table_id",
        "max_column_id",
        "tables",
    }
)
_PARTS_OF_TABLES = frozenset({"table_id", "name", "owned_by", "columns", "foreign_keys", "unique_keys"})
_PARTS_OF_ENTRIES = frozenset(
    {
        "kind",
        "name",
        "type",
        "column_id",
        "other_table_id",
        "other_table_name_hint",
        "other_column_id",
        "other_column_name_hint",
    }
)

# Taking the option away takes a system column with its values away (wire §5).
_WITH_VALUES = frozenset({"is_hierarchical", "pool_link"})
_NARROWING_OFF = frozenset({"has_tags", "acl_table", "check_regexp_flags"})
_NARROWING_ON = frozenset(
    {
        "not_null",
        "check",
        "check_regexp",
        "check_range_lower",
        "check_range_upper",
        "check_range_lower_open",
        "check_range_upper_open",
    }
)


def document_option_changes(old: Raw, new: Raw) -> Iterator[Change]:
    """What differs in the attributes of the document itself, but for its versions."""
    return _changes(DOCUMENT, "", old, new, _OF_VERSIONS)


def table_option_changes(before: Table, table: Table) -> Iterator[Change]:
    """What differs in the options of a table."""
    return _changes(TablePlace(table.key), table.name, before.raw, table.raw, _PARTS_OF_TABLES)


def entry_option_changes(place: Place, name: str, before: Raw, after: Raw) -> Iterator[Change]:
    """What differs in the options of a column or of another entry."""
    return _changes(place, name, before, after, _PARTS_OF_ENTRIES)


def _changes(place: Place, name: str, old: Raw, new: Raw, parts: frozenset[str]) -> Iterator[Change]:
    if old == new:
        return
    for option in dict.fromkeys((*new, *old)):
        before, after = _plain(option, old), _plain(option, new)
        if option not in parts and before != after:
            told = _told(name, option, before, after)
            yield Change(ChangeKind.OPTION, place, _risk(option, before, after), told, option, before, after)


def _plain(option: str, raw: Raw) -> object:
    """The value, None for the ways to say nothing; a column's default may be false, though."""
    value = raw.get(option)
    if value is False:
        return value if option == "default" else None
    return None if isinstance(value, str | list | dict) and not value else value


def _told(element: str, option: str, before: object, after: object) -> Message:
    old, new = _quoted(before), _quoted(after)
    if before is None:
        return message("{element}: {option} set to {new}", element=element, option=option, new=new)
    if after is None:
        return message("{element}: {option} removed, was {old}", element=element, option=option, old=old)
    return message(
        "{element}: {option} changed from {old} to {new}", element=element, option=option, old=old, new=new
    )


def _quoted(value: object) -> str:
    """A value within a sentence: texts of several words in quotes."""
    shown = shown_value(value)
    return f'"{shown}"' if isinstance(value, str) and " " in value else shown


def _risk(option: str, before: object, after: object) -> Risk:
    if after is None and option in _WITH_VALUES:
        return Risk.DESTROYING
    if after is None and option in _NARROWING_OFF:
        return Risk.NARROWING
    if after is not None and option in _NARROWING_ON:
        return Risk.NARROWING
    if option in ("length_min", "length_max", "l10n_languages"):
        return _risk_of_extent(option, before, after)
    return Risk.SAFE


def _risk_of_extent(option: str, before: object, after: object) -> Risk:
    if option == "l10n_languages":
        kept = set(map(str, after)) if isinstance(after, list) else set()
        was = set(map(str, before)) if isinstance(before, list) else set()
        return Risk.SAFE if was <= kept else Risk.NARROWING
    if after is None:
        return Risk.SAFE
    if isinstance(before, int) and isinstance(after, int) and (after <= before) == (option == "length_min"):
        return Risk.SAFE
    return Risk.NARROWING
