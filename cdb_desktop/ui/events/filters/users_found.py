"""Says in words how a user is looked for by name, and what was found so far. Asks nobody."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QCoreApplication

from cdb_desktop.ui.language.numbers import plural

translate = QCoreApplication.translate


class Looking(msgspec.Struct, frozen=True):
    """How far the log has been looked through: ``read`` of ``total`` events, newest first."""

    read: int = 0
    total: int = 0
    runs: bool = False
    is_whole: bool = False
    failure: str = ""


def words(looking: Looking, known: int, *, found: bool, number: str) -> tuple[str, str]:
    """A sentence and what a button beside it does; both empty where there is nothing to say.

    Names come from ``known`` events; ``number`` is what was typed where that is one.
    """
    if looking.runs:
        told = plural(
            looking.total,
            translate("UsersFound", "Searching the log: %1 of 1 event read"),
            translate("UsersFound", "Searching the log: %1 of %2 events read"),
            looking.read,
            looking.total,
        )
        return told, translate("UsersFound", "Stop")
    if looking.failure:
        return looking.failure, translate("UsersFound", "Search the log")
    if number and not found:
        return "", ""
    if looking.is_whole:
        return _words_of_all(looking, found=found)
    return _words_of_some(looking, known, found=found)


def _words_of_all(looking: Looking, *, found: bool) -> tuple[str, str]:
    one = translate("UsersFound", "The only event was read.")
    told = plural(looking.total, one, translate("UsersFound", "All %1 events were read."))
    nobody = translate("UsersFound", "No event is by a user of this name.")
    return told if found else f"{nobody} {told} {_by_number()}", ""


def _words_of_some(looking: Looking, known: int, *, found: bool) -> tuple[str, str]:
    if found:
        one = translate("UsersFound", "Found in the last event.")
        told = plural(looking.read, one, translate("UsersFound", "Found among the last %1 events."))
        return (told, translate("UsersFound", "Search further")) if looking.read else ("", "")
    nobody = plural(
        known,
        translate("UsersFound", "No user of this name appears in the one event read so far."),
        translate("UsersFound", "No user of this name appears in the %1 events read so far."),
    )
    return f"{nobody} {_by_number()}", translate("UsersFound", "Search the log")


def group_words() -> str:
    """Why a group is not found by its name."""
    return translate(
        "UsersFound",
        "Only your own groups are known by name, because the service has no list of groups. "
        "Add others by number, such as #5.",
    )


def _by_number() -> str:
    return translate("UsersFound", "A number can be typed instead, such as #5.")
