"""The notices above the feeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.live.reports import PollGap
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.ui.widgets.query_texts import polled_note
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class FeedNotices(NoticeBar):
    """Shows one notice until it is closed; a success message disappears after a while."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("live.notice")
        self._has_shown_removal = False

    def show_gap(self, gap: PollGap) -> None:
        """Polls do not reach the events between two ids (§4.2)."""
        if gap.found is None:
            text = tr(
                "They could not be read from the list either; this requires the right {right}.",
                right=LIST_RIGHT,
            )
            self.show_notice("warning", tr("A gap in the feed"), f"{_gap_text(gap)} {text}")
        else:
            self.show_passing(partial(_filled_gap, gap, gap.found))

    def show_log_replaced(self, last_id: int) -> None:
        """The service has another log, whose ids begin again."""
        title = tr("The service has another log than before")
        text = tr("New events follow id {id}. The rows above come from the log before.", id=last_id)
        self.show_notice("warning", title, text)

    def show_unreadable(self, number: int, shortcut: str) -> None:
        """Records were received that are no events; ``shortcut`` opens the gap report."""
        title = tr("Records that could not be read: {count}", count=number)
        text = tr(
            "They have no id. All others are shown; see the account of ids ({shortcut}) for the received "
            "data.",
            shortcut=shortcut,
        )
        self.show_notice("warning", title, text)

    def show_removal(self, capacity: str, *, is_listed: bool) -> None:
        """The oldest events were removed, for the first time. ``is_listed``: the user may read the list."""
        if self._has_shown_removal:
            return
        self._has_shown_removal = True
        if is_listed:
            text = tr(
                "The feed keeps the newest {capacity}. All others are in the event browser.",
                capacity=capacity,
            )
        else:
            text = tr(
                "The feed keeps the newest {capacity}. Use Live > “Archive dropped events” to write others "
                "to a file.",
                capacity=capacity,
            )
        self.show_notice("accent", tr("The oldest events were removed from the feed"), text)

    def show_clock_jump(self, seconds: float) -> None:
        """The computer slept, or its clock was set."""
        title = tr("The time of day has jumped by {minutes} min", minutes=_minutes(seconds))
        text = tr("The feed continues where it stopped; events in between are fetched.")
        self.show_notice("accent", title, text)

    def show_clock_skew(self, skew: float) -> None:
        """The service's clock is slow by ``skew`` seconds, or fast if that is negative."""
        if skew > 0:
            title = tr("The service's clock is {minutes} min slow", minutes=_minutes(skew))
        else:
            title = tr("The service's clock is {minutes} min fast", minutes=_minutes(skew))
        text = tr("Event times are those of the service; the lag shown excludes the difference.")
        self.show_notice("warning", title, text)

    def show_check_result(self, *, is_complete: bool) -> None:
        """The user has checked the ids."""
        if is_complete:
            self.show_passing(_complete_check)
        else:
            title = tr("Not every id could be explained")
            text = tr("The service did not return the whole list. Try again later.")
            self.show_notice("warning", title, text)

    def show_ignored_filters(
        self, applied: Sequence[str], ignored: Sequence[str], *, needs_whole: bool = False
    ) -> None:
        """A query of the event browser has filters that cannot be tested on polled events (§4.2).

        ``needs_whole``: it has conditions that find less in polled events than in whole ones.
        """
        texts = []
        if applied and ignored:
            title = tr("Not all filters could be applied")
            texts.append(
                tr(
                    "Applied: {applied}. Not applied: {ignored}.",
                    applied=", ".join(applied),
                    ignored=", ".join(ignored),
                )
            )
        elif ignored:
            title = tr("No filter could be applied")
            texts.append(tr("The feed shows all events. Not applied: {ignored}.", ignored=", ".join(ignored)))
        else:
            title = tr("Fewer events than in the browser")
        if ignored:
            texts.append(
                tr("Events lack the groups and types of their users, and the feed shows new events only.")
            )
        if needs_whole:
            texts.append(polled_note())
        self.show_notice("warning", title, " ".join(texts))

    def show_done(self, text: str) -> None:
        """Something that the user has started is done; the notice disappears after a while."""
        self.show_passing(lambda: ErrorMessage(text, "", ""))

    def show_copied(self, number: int, selected: int) -> None:
        """Rows were copied, but not all that are selected."""
        if number < selected:
            text = tr(
                "The first {count:of {selected} selected events is|{count} of {selected} selected events "
                "are} in the clipboard.",
                count=number,
                selected=selected,
            )
            self.show_notice("accent", tr("Copied in part"), text)


def _minutes(seconds: float) -> int:
    return max(1, round(abs(seconds) / 60))


def _filled_gap(gap: PollGap, found: int) -> ErrorMessage:
    text = tr("Events read from the list instead: {count}.", count=found)
    return ErrorMessage(tr("A gap was filled"), f"{_gap_text(gap)} {text}", "")


def _gap_text(gap: PollGap) -> str:
    return tr("Ids {first} to {last} cannot be polled in this session.", first=gap.after + 1, last=gap.upto)


def _complete_check() -> ErrorMessage:
    return ErrorMessage(tr("Every id is accounted for"), tr("The list was read; nothing is missing."), "")
