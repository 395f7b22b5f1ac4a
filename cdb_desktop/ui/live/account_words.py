"""The words in which the feed accounts for its ids. No widget."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.live.ledger import Balance

translate = QCoreApplication.translate

_RIGHT = "system.api.event.get"


def short(balance: Balance, *, knows: bool) -> str:
    """In the strip: how many ids nobody can explain; ``knows`` says whether the list may be read."""
    words = translate("Live", "ids: %1 unexplained") if knows else translate("Live", "ids: %1 unknown")
    return words.replace("%1", _number(balance.unexplained))


def title(balance: Balance) -> str:
    """The ids that are accounted for."""
    if not balance.total:
        return translate("Live", "No ids yet")
    words = translate("Live", "Ids %1 to %2")
    return words.replace("%1", _number(balance.first)).replace("%2", _number(balance.last))


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
        return translate("Live", "The list could not be read for them. Check them to find out what they are.")
    if balance.recovered:
        words = translate("Live", "Nothing is missing. Polls had left out %1, which came from the list.")
        return words.replace("%1", _number(balance.recovered))
    return translate("Live", "Nothing is missing.")


def ranges(found: Iterable[tuple[int, int]]) -> str:
    """Stretches of ids, one a line."""
    return "\n".join(
        _number(first) if first == last else f"{_number(first)} – {_number(last)}" for first, last in found
    )


def _number(value: int) -> str:
    return QLocale().toString(value)
