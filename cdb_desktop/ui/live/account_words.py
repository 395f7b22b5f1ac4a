"""The words in which the feed accounts for its ids. No widget."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from PySide6.QtCore import QCoreApplication

from cdb_desktop.live.ledger import Balance
from cdb_desktop.ui.language.numbers import number_text

translate = QCoreApplication.translate

_RIGHT = "system.api.event.get"


class Besides(msgspec.Struct, frozen=True):
    """What stands beside the account: events ``ahead`` of it, and records that are no events, as texts."""

    ahead: int = 0
    unread: int = 0
    texts: tuple[str, ...] = ()


def short(balance: Balance, *, knows: bool, unread: int = 0) -> str:
    """In the strip: how many ids nobody can explain; ``knows`` says whether the list may be read.

    Where there are none it is told how many nobody has looked up yet.
    """
    told = _short(balance, knows=knows)
    if not unread:
        return told
    return f"{told} · {translate('Live', '%1 unreadable').replace('%1', number_text(unread))}"


def warning(balance: Balance, *, unread: int = 0) -> str:
    """The same where there is little room, empty where there is nothing to warn of."""
    number = balance.unexplained + unread
    return f"⚠ {number_text(number)}" if number else ""


def title(balance: Balance) -> str:
    """The ids that are accounted for."""
    if not balance.total:
        return translate("Live", "No ids yet")
    words = translate("Live", "Ids %1 to %2")
    return words.replace("%1", number_text(balance.first)).replace("%2", number_text(balance.last))


def lines(balance: Balance, *, knows: bool) -> tuple[tuple[str, int], ...]:
    """Each kind and how many ids are of it; they add up."""
    rest = translate("Live", "Unexplained") if knows else translate("Live", "Nobody can know")
    return (
        (translate("Live", "Came"), balance.seen),
        (translate("Live", "Not pollable"), balance.unpollable),
        (translate("Live", "Another session’s or user’s"), balance.hidden),
        (translate("Live", "Deleted, or never written"), balance.deleted),
        (translate("Live", "Being checked"), balance.checking),
        (rest, balance.unexplained),
    )


def verdict(balance: Balance, *, knows: bool) -> str:
    """What it means."""
    if not knows:
        words = translate(
            "Live",
            "Polls leave events out on purpose, and only the list tells which. It takes the right %1: "
            "without it nobody can tell these ids from lost ones.",
        )
        return words.replace("%1", _RIGHT)
    if balance.unexplained:
        return translate(
            "Live",
            "The list could not be read for them. It is read again by itself; who does not want to wait "
            "checks now.",
        )
    if balance.checking:
        return translate("Live", "What is being checked is looked up in the list within seconds.")
    if balance.recovered:
        words = translate("Live", "Nothing is missing. Polls had left out %1, which came from the list.")
        return words.replace("%1", number_text(balance.recovered))
    return translate("Live", "Nothing is missing.")


def ahead(number: int) -> str:
    """Events that the account does not reach; empty where there are none."""
    if not number:
        return ""
    words = translate(
        "Live",
        "Events from far above all other ids: %1. They are shown, and the feed goes on below them: one id "
        "alone may be wrong.",
    )
    return words.replace("%1", number_text(number))


def unread(number: int) -> str:
    """Records that are no events; empty where there are none."""
    if not number:
        return ""
    words = translate(
        "Live", "Records without an id that can be read: %1. They have no row; this is what came:"
    )
    return words.replace("%1", number_text(number))


def ranges(found: Iterable[tuple[int, int]]) -> str:
    """Stretches of ids, one a line."""
    return "\n".join(
        number_text(first) if first == last else f"{number_text(first)} – {number_text(last)}"
        for first, last in found
    )


def _short(balance: Balance, *, knows: bool) -> str:
    if not knows:
        return translate("Live", "ids: %1 unknown").replace("%1", number_text(balance.unexplained))
    if balance.checking and not balance.unexplained:
        return translate("Live", "ids: checking %1").replace("%1", number_text(balance.checking))
    return translate("Live", "ids: %1 unexplained").replace("%1", number_text(balance.unexplained))
