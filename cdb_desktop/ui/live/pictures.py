"""Which picture stands in place of the feed's rows when there are none to see, and the step out of it."""

from __future__ import annotations

from typing import Literal

import msgspec
from PySide6.QtCore import QCoreApplication

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind
from cdb_desktop.vocabulary.error_messages import ErrorMessage

Next = Literal["", "try", "sign_in", "bring_back", "show_all"]

translate = QCoreApplication.translate


class Picture(msgspec.Struct, frozen=True):
    """A state picture, what its button means, and the failure that it tells of, if it does."""

    kind: EmptyStateKind
    title: str
    text: str
    step: str = ""
    next: Next = ""
    said: ErrorMessage | None = None


def picture(feed: Feed, link: ConnectionState, said: ErrorMessage | None) -> Picture | None:
    """The picture for what there is to see, None while there are rows."""
    if len(feed):
        return None
    if feed.kept:
        text = translate("Live", "Events received: %1. None of them matches the types and users shown.")
        return Picture(
            EmptyStateKind.EMPTY,
            translate("Live", "Nothing to show"),
            text.replace("%1", number_text(feed.kept)),
            translate("Live", "Show all events"),
            "show_all",
        )
    if said is not None and link.phase not in {"connecting", "open"}:
        return _failed(link, said)
    return _cleared(feed) if feed.cleared else _nothing(link)


def _failed(link: ConnectionState, said: ErrorMessage) -> Picture:
    text = f"{said.text} {said.remedy}"
    if link.phase == "lost":
        return Picture(
            EmptyStateKind.FORBIDDEN, said.title, text, translate("Live", "Sign in again"), "sign_in", said
        )
    return Picture(EmptyStateKind.FAILED, said.title, text, translate("Live", "Try now"), "try", said)


def _cleared(feed: Feed) -> Picture:
    step = translate("Live", "Show them again (%1)").replace("%1", number_text(feed.cleared))
    text = translate("Live", "New events appear here.")
    return Picture(EmptyStateKind.EMPTY, translate("Live", "Cleared"), text, step, "bring_back")


def _nothing(link: ConnectionState) -> Picture:
    if link.phase == "connecting":
        text = translate("Live", "Requesting the latest events from the service.")
        return Picture(EmptyStateKind.LOADING, translate("Live", "Opening the feed"), text)
    text = translate("Live", "The feed is open. New events of the service appear here automatically.")
    return Picture(EmptyStateKind.EMPTY, translate("Live", "No events yet"), text)
