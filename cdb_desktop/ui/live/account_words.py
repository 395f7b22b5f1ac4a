"""The words in which the feed accounts for its ids. No widget."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from PySide6.QtCore import QCoreApplication

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.id_ledger import IdCounts

translate = QCoreApplication.translate

_RIGHT = "system.api.event.get"


class Besides(msgspec.Struct, frozen=True):
    """What stands beside the account: events ``ahead`` of it, and records that are no events, as texts."""

    ahead: int = 0
    unread: int = 0
    texts: tuple[str, ...] = ()


def short(balance: IdCounts, *, knows: bool, unread: int = 0) -> str:
    """In the strip: how many ids nobody can explain; ``knows`` says whether the list may be read.

    Where there are none it is told how many nobody has looked up yet.
    """
    told = _short(balance, knows=knows)
    if not unread:
        return told
    return f"{told} · {translate('Live', '%1 unreadable').replace('%1', number_text(unread))}"


def warning(balance: IdCounts, *, unread: int = 0) -> str:
    """The same where there is little room, empty where there is nothing to warn of."""
    number = balance.unexplained + unread
    return f"⚠ {number_text(number)}" if number else ""


def title(balance: IdCounts) -> str:
    """The ids that are accounted for."""
    if not balance.total:
        return translate("Live", "No ids yet")
    words = translate("Live", "Ids %1 to %2")
    return words.replace("%1", number_text(balance.first)).replace("%2", number_text(balance.last))


def lines(balance: IdCounts, *, knows: bool) -> tuple[tuple[str, int], ...]:
    """Each kind and how many ids are of it; they add up."""
    rest = translate("Live", "Unexplained") if knows else translate("Live", "Cannot be determined")
    return (
        (translate("Live", "Received"), balance.received),
        (translate("Live", "Not pollable"), balance.unpollable),
        (translate("Live", "Another session’s or user’s"), balance.hidden),
        (translate("Live", "Deleted, or never written"), balance.deleted),
        (translate("Live", "Being checked"), balance.checking),
        (rest, balance.unexplained),
    )


def verdict(balance: IdCounts, *, knows: bool) -> str:
    """What it means."""
    if not knows:
        words = translate(
            "Live",
            "Polls omit some events by design, and only the list shows which. Reading it requires "
            "the right %1; without it, these ids cannot be told from lost ones.",
        )
        return words.replace("%1", _RIGHT)
    if balance.unexplained:
        return translate(
            "Live",
            "The list could not be read for these ids. It is read again automatically; use “Check "
            "ids” to check now.",
        )
    if balance.checking:
        return translate("Live", "These ids are looked up in the list within seconds.")
    if balance.recovered:
        words = translate("Live", "Nothing is missing. Omitted by polls and read from the list: %1.")
        return words.replace("%1", number_text(balance.recovered))
    return translate("Live", "Nothing is missing.")


def ahead(number: int) -> str:
    """Events that the account does not reach; empty where there are none."""
    if not number:
        return ""
    words = translate(
        "Live",
        "Events with ids far above all others: %1. They are shown, and the feed continues with "
        "the lower ids, since a single id may be wrong.",
    )
    return words.replace("%1", number_text(number))


def unread(number: int) -> str:
    """Records that are no events; empty where there are none."""
    if not number:
        return ""
    words = translate("Live", "Records without a readable id: %1. They have no row; the received data:")
    return words.replace("%1", number_text(number))


def ranges(found: Iterable[tuple[int, int]]) -> str:
    """Stretches of ids, one a line."""
    return "\n".join(
        number_text(first) if first == last else f"{number_text(first)} – {number_text(last)}"
        for first, last in found
    )


def _short(balance: IdCounts, *, knows: bool) -> str:
    if not knows:
        return translate("Live", "ids: %1 unknown").replace("%1", number_text(balance.unexplained))
    if balance.checking and not balance.unexplained:
        return translate("Live", "ids: checking %1").replace("%1", number_text(balance.checking))
    return translate("Live", "ids: %1 unexplained").replace("%1", number_text(balance.unexplained))
