"""Reads the names of groups where a session or a record tells them. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_NAMES = ("displayname", "_generated_displayname", "name")  # the most readable first


def group_names(entries: object) -> dict[int, str]:
    """The groups of a list by their ids, with a name where there is one, else an empty text.

    An entry is a group, or holds one under ``group`` (wire §2); what is neither is left out.
    """
    if not isinstance(entries, Iterable):
        return {}
    groups = [entry.get("group", entry) for entry in entries if isinstance(entry, Mapping)]
    told = [group for group in groups if isinstance(group, Mapping)]
    return {number: _name(group) for group in told if isinstance(number := group.get("_id"), int)}


def _name(group: Mapping[str, object]) -> str:
    return next((text for key in _NAMES if (text := _text(group.get(key)))), "")


def _text(value: object) -> str:
    """A name may stand in several languages; which one is the user's the room does not know."""
    values = value.values() if isinstance(value, Mapping) else (value,)
    return next((one.strip() for one in values if isinstance(one, str) and one.strip()), "")
