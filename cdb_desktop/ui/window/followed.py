"""Which filters of a query the feed can take over, and which it cannot, in words. No widget."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.query import Query

translate = QCoreApplication.translate


def followed(query: Query) -> tuple[list[str], list[str]]:
    """The names of the filters in force: those that short records can tell (wire §3), and the others."""
    taken = (
        (translate("Followed", "types"), bool(query.types)),
        (translate("Followed", "base types"), bool(query.base_types)),
        (translate("Followed", "users"), bool(query.users)),
    )
    left_out = (
        (translate("Followed", "groups"), bool(query.groups)),
        (translate("Followed", "kinds of users"), bool(query.user_types)),
        (translate("Followed", "pollability"), query.pollable is not None),
        (translate("Followed", "time"), not query.span.is_everything),
    )
    return _in_force(taken), _in_force(left_out)


def _in_force(names: tuple[tuple[str, bool], ...]) -> list[str]:
    return [name for name, is_set in names if is_set]
