"""What the feed tells above its rows: gaps, another log, what has left it, what was copied only in part."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.reports import PollGap
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage

translate = QCoreApplication.translate


class FeedNotices(NoticeBar):
    """One notice at a time, until it is closed; what has gone well goes by itself."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("live.notice")
        self._has_told_of_leaving = False

    def tell_gap(self, gap: PollGap) -> None:
        """Polls do not reach what lies between two ids (§4.2)."""
        if gap.found is None:
            title = translate("Live", "A gap in the feed")
            rest = translate(
                "Live", "They could not be read from the list either; this requires the right %1."
            ).replace("%1", "system.api.event.get")
            self.show_notice("warning", title, f"{_span(gap)} {rest}")
            return
        self.show_passing(partial(_filled, gap, gap.found))

    def tell_anew(self, last_id: int) -> None:
        """The ids of the service begin again."""
        text = translate("Live", "New events follow id %1. The rows above come from the log before.")
        title = translate("Live", "The service has another log than before")
        self.show_notice("warning", title, text.replace("%1", number_text(last_id)))

    def tell_unread(self, number: int, key: str) -> None:
        """Records have come that are no events; ``key`` opens the account of ids."""
        title = translate("Live", "Records that could not be read: %1").replace("%1", number_text(number))
        text = translate(
            "Live",
            "They have no id. All others are shown; see the account of ids (%1) for the received data.",
        )
        self.show_notice("warning", title, text.replace("%1", key))

    def tell_leaving(self, capacity: str, *, is_listed: bool) -> None:
        """The oldest have left the feed; told once. ``is_listed``: the user may see them elsewhere.

        ``capacity`` is what the feed keeps: a number of events, or their bytes.
        """
        if self._has_told_of_leaving:
            return
        self._has_told_of_leaving = True
        text = translate("Live", "The feed keeps the newest %1. All others are in the event browser.")
        if not is_listed:
            text = translate(
                "Live",
                "The feed keeps the newest %1. Use Live > “Archive dropped events” to write "
                "others to a file.",
            )
        title = translate("Live", "The oldest events were removed from the feed")
        self.show_notice("accent", title, text.replace("%1", capacity))

    def tell_woken(self, seconds: float) -> None:
        """The computer slept, or its clock was set."""
        minutes = number_text(max(1, round(abs(seconds) / 60)))
        title = translate("Live", "The time of day has jumped by %1 min").replace("%1", minutes)
        text = translate("Live", "The feed continues where it stopped; events in between are fetched.")
        self.show_notice("accent", title, text)

    def tell_clock(self, skew: float) -> None:
        """The service's clock is off."""
        minutes = number_text(max(1, round(abs(skew) / 60)))
        title = (
            translate("Live", "The service’s clock is %1 min slow")
            if skew > 0
            else translate("Live", "The service’s clock is %1 min fast")
        )
        text = translate(
            "Live", "Event times are those of the service; the lag shown excludes the difference."
        )
        self.show_notice("warning", title.replace("%1", minutes), text)

    def tell_checked(self, *, is_clear: bool) -> None:
        """Ids were looked up in the list because the user wanted it."""
        if is_clear:
            self.show_passing(_clear)
        else:
            title = translate("Live", "Not every id could be explained")
            text = translate("Live", "The service did not return the whole list. Try again later.")
            self.show_notice("warning", title, text)

    def tell_left_out(self, taken: Sequence[str], left_out: Sequence[str]) -> None:
        """A query of the event browser asks for more than short records tell (wire §3); both are named."""
        if taken:
            title = translate("Live", "Not all filters could be applied")
            first = translate("Live", "Applied: %1. Not applied: %2.").replace("%1", ", ".join(taken))
        else:
            title = translate("Live", "No filter could be applied")
            first = translate("Live", "The feed shows all events. Not applied: %2.")
        reason = translate(
            "Live", "The feed shows current events only, and can be filtered by type, base type and user."
        )
        self.show_notice("warning", title, f"{first.replace('%2', ', '.join(left_out))} {reason}")

    def tell_copied(self, number: int, selected: int) -> None:
        """Rows were copied; said only where it was not all of them."""
        if number < selected:
            text = plural(
                number,
                translate("Live", "The first of %2 selected events is in the clipboard."),
                translate("Live", "The first %1 of %2 selected events are in the clipboard."),
                number,
                selected,
            )
            self.show_notice("accent", translate("Live", "Copied in part"), text)


def _filled(gap: PollGap, found: int) -> ErrorMessage:
    rest = translate("Live", "Events read from the list instead: %1.").replace("%1", number_text(found))
    return ErrorMessage(translate("Live", "A gap was filled"), f"{_span(gap)} {rest}", "")


def _span(gap: PollGap) -> str:
    span = translate("Live", "Ids %1 to %2 cannot be polled in this session.")
    return span.replace("%1", number_text(gap.after + 1)).replace("%2", number_text(gap.upto))


def _clear() -> ErrorMessage:
    title = translate("Live", "Every id is accounted for")
    return ErrorMessage(title, translate("Live", "The list was read; nothing is missing."), "")
