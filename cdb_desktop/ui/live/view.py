"""The content of the live dock: notices, and one feed or several side by side."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.live.log_follower import PollGap
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import single_line
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live import messages
from cdb_desktop.ui.live.feed_model import FeedModel
from cdb_desktop.ui.live.feed_pane import FeedPane, FeedSignals
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.filter_popup import FilterPopup
from cdb_desktop.ui.live.gap_report import GapReportPopup
from cdb_desktop.ui.live.strip import LiveStrip, StatusTracker
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.model import load_marks
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_texts import polled_note
from cdb_desktop.ui.widgets.settings import FeedSettings
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_TICK = 500  # milliseconds
_MARK_WIDTH = 240
_LONGEST_MARK = 60  # characters


class MarkPopup(Popup):
    """Asks for the name of a mark that exists already; Escape leaves it without a name."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "live.mark", tr("Mark"), tr("Name it"), parent)
        self.line = named("live.mark.name", QLineEdit(self, maxLength=_LONGEST_MARK))
        self.line.setMinimumWidth(_MARK_WIDTH)
        self.line.setPlaceholderText(tr("What happens now"))
        self.line.setAccessibleName(tr("Name of the mark"))
        self.add(self.line)
        self.finish(self.line)

    @property
    def name(self) -> str:
        """The entered name, in one line; empty for none."""
        return single_line(self.line.text())


class LiveView(QWidget):
    """The feeds; ``strip`` is the title bar of the dock. Actions apply to the ``current`` feed.

    All feeds have the same events. What happens in them is emitted by ``signals``.

    Signals: ``marked`` with the time and the name of a mark when it is known whether it has one ·
    ``removing`` before events are removed from full feeds, with a function that returns them · ``ticked``
    twice a second.
    """

    marked = Signal(object, str)
    removing = Signal(object)
    ticked = Signal()

    def __init__(
        self, appearance: Appearance, settings: QSettings, actions: Actions, seen: KnownValues | None = None
    ) -> None:
        """``seen`` are the values to be completed in filters, which the event browser also knows."""
        super().__init__()
        self._seen = seen or KnownValues()
        self.appearance = appearance
        self.settings = settings
        self._actions = actions
        self.signals = FeedSignals(self)
        self.strip = LiveStrip(appearance, actions)
        self.notices = FeedNotices(appearance, self)
        self.filter_popup = FilterPopup(appearance, self._seen, self)
        self.gap_report = GapReportPopup(appearance, actions, self)
        self.splitter = FeedSplitter(self)
        self._status = StatusTracker()
        self._marks: Mapping[str, Query] = load_marks(settings).queries
        self._feed_settings = FeedSettings.of(settings)
        self._enabled_for = 0  # panes; when actions were enabled last
        self._timer = QTimer(self, interval=_TICK)
        self._layout = QVBoxLayout(self)
        self._arrange()
        self._add_pane(Feed())
        self._connect()
        self._refresh()
        self._timer.start()

    @property
    def panes(self) -> list[FeedPane]:
        """All feeds, from the left."""
        return self.splitter.panes

    @property
    def current(self) -> FeedPane:
        """The current feed."""
        return self.splitter.current

    @property
    def model(self) -> FeedModel:
        """The rows of the current feed."""
        return self.current.model

    @property
    def table(self) -> FeedTable:
        """The table of the current feed."""
        return self.current.table

    @property
    def has_rows(self) -> bool:
        """Whether the current feed has rows."""
        return self.model.rowCount() > 0

    @property
    def is_following(self) -> bool:
        """Whether the service answers and the current feed follows the newest event."""
        return self._status.connection.phase == "open" and self.table.is_following

    def add(self, events: Iterable[Event], *, is_new: bool = True) -> None:
        """Adds received events, oldest first, to all feeds; ``is_new``: they have just happened."""
        received = list(events)
        if is_new:
            self._status.rate.add(time.monotonic(), len(received))
        for pane in self.panes:
            pane.model.add(received)

    def add_notice(self, notice: QWidget) -> None:
        """Adds a notice above the feeds."""
        self._layout.insertWidget(self._layout.indexOf(self.splitter), notice)

    def show_connection(
        self, connection: ConnectionState, error: ErrorMessage | None = None, delay: float | None = None
    ) -> None:
        """Shows the connection, its last error, and the seconds that events take to the feed."""
        self._status.set_connection(connection, error, delay)
        for pane in self.panes:
            pane.show_connection(connection, error)
        self._show_status()

    def show_due(self, due: float | None) -> None:
        """Shows the moment of the next poll with the next tick; None during a poll."""
        self._status.set_due(due)

    def forget_ids(self) -> None:
        """Forgets the known ids, which mean other events in another log."""
        for pane in self.panes:
            pane.model.forget_ids()

    def set_filter(self, chosen: Query) -> None:
        """Changes the filter of the current feed."""
        self.current.set_filter(chosen)

    def open_feed(self, chosen: Query | None = None) -> None:
        """Opens another feed and makes it the current one; without enough space, filters the current one."""
        chosen = chosen or Query()
        if self.splitter.is_full:
            self.current.set_filter(chosen)
        else:
            before = self.current
            pane = self._add_pane(before.model.feed.copy(chosen))
            pane.table.dividers.copy_from(before.table.dividers)
            self._make_current(pane)
        self.splitter.share_height()
        self.current.table.setFocus()

    def restore_panes(self, filters: Sequence[Query]) -> list[FeedPane]:
        """Opens a feed for each filter, as many as fit; the first one remains the current one."""
        for index, chosen in enumerate(filters[:MOST_PANES]):
            if index:
                self._add_pane(self.current.model.feed.copy(chosen))
            else:
                self.current.set_filter(chosen)
        self._refresh()
        return self.panes

    def highlight(self, queries: Mapping[str, Query]) -> None:
        """Changes the rules for color marks in all feeds."""
        self._marks = queries
        for pane in self.panes:
            pane.model.show_marks(queries)

    def mark(self) -> None:
        """Adds a mark after the newest event of each feed, and offers to name it."""
        moment = datetime.now().astimezone()
        for pane in self.panes:
            pane.table.mark(moment)
        self._show_dock_and(partial(self._open_mark_popup, moment))

    def show_message(self, text: str) -> None:
        """Shows for a while that something is done that the user has started, without moving the rows."""
        if not self.strip.show_message(text):
            self.notices.show_passing(ErrorMessage(text, "", ""))

    def show_gap_report(self) -> None:
        """Opens the gap report at its button."""
        self._show_dock_and(lambda: self.gap_report.open_at(self.strip.report_button))

    def show_filter_popup(self) -> None:
        """Opens the filter of the current feed at its button."""
        self._show_dock_and(self._open_filter_popup)

    def event(self, event: QEvent) -> bool:
        """Divides the events received while another window is active from earlier ones."""
        is_left = QApplication.activeWindow() in (None, self.window())  # not for a dialog of this window
        if event.type() == QEvent.Type.WindowDeactivate and is_left:
            for pane in self.panes:
                pane.table.set_last_look()
        return super().event(event)

    def _add_pane(self, feed: Feed) -> FeedPane:
        pane = FeedPane(feed, self.signals, self.appearance, self.settings, self._seen, self)
        pane.model.show_marks(self._marks)
        pane.set_capacity(self._feed_settings.capacity)
        pane.show_connection(self._status.connection, self._status.error)
        pane.model.removing.connect(partial(self._on_removing, pane))
        self.splitter.add_pane(pane)
        return pane

    def _on_removing(self, pane: FeedPane, oldest: object) -> None:
        # All feeds have the same events, so that one of them is enough.
        if pane is self.panes[0]:
            self.removing.emit(oldest)

    def _make_current(self, pane: FeedPane) -> None:
        self.splitter.set_current(pane)
        self.signals.changed.emit()

    def _close_pane(self, pane: FeedPane) -> None:
        if self.splitter.has_several:
            self.splitter.remove_pane(pane)
            self.signals.changed.emit()

    # Bound methods of an object: actions outlive the view, and Qt disconnects them.
    def _close_current(self) -> None:
        self._close_pane(self.current)

    def _open_another(self) -> None:
        self.open_feed()

    def _clear_current(self) -> None:
        self.current.clear()

    def _filter_pane(self, pane: FeedPane) -> None:
        self._make_current(pane)
        self.show_filter_popup()

    def _refresh(self) -> None:
        feed, current, has_several = self.model.feed, self.current, self.splitter.has_several
        # Each of several feeds has its own header.
        self.strip.show_counts("" if has_several else messages.counts_text(feed))
        self.strip.bell.setVisible(current.notifications.is_on and not has_several)
        self.strip.chip.show_text("" if has_several else current.filter_text)
        self._update_actions()
        if feed.removed:
            is_listed = self._actions["live_check"].isEnabled()
            self.notices.show_removal(messages.capacity_text(feed), is_listed=is_listed)
        self._show_status()

    def _update_actions(self) -> None:
        self._actions["pause"].setChecked(not self.table.is_following)
        self._actions["live_notify"].setChecked(self.current.notifications.is_on)
        # Enabling goes through all actions, which is too slow for every event.
        if self._enabled_for != len(self.panes):
            self._enabled_for = len(self.panes)
            self._actions.set_possible("live_close", self.splitter.has_several)
            reason = tr("There is room for {count} feeds side by side.", count=MOST_PANES)
            self._actions.set_possible("live_new", not self.splitter.is_full, reason)

    def _show_status(self) -> None:
        unseen = None if self.table.is_following else self.table.unseen
        self.strip.show_status(self._status.text(unseen, time.monotonic()))
        if self.filter_popup.isVisible():
            self.filter_popup.show_filter(self.model.feed.types, self.model.feed.filter)

    def _on_tick(self) -> None:
        self.ticked.emit()
        if self.strip.isVisible():
            self._show_status()

    def _show_dock_and(self, open_popup: Callable[[], None]) -> None:
        # A hidden dock has to be in its place before a popup can open at it.
        self._actions["live"].setChecked(True)
        QTimer.singleShot(0, self, open_popup)

    def _open_filter_popup(self) -> None:
        self.filter_popup.show_filter(self.model.feed.types, self.model.feed.filter)
        self.filter_popup.open_at(self.strip.filter_button)

    def _open_mark_popup(self, moment: datetime) -> None:
        popup = MarkPopup(self.appearance, self)
        popup.closed.connect(lambda: self._name_mark(moment, popup.name if popup.is_applied else ""))
        popup.open_below(self.strip.mark_anchor)

    def _name_mark(self, moment: datetime, name: str) -> None:
        if name:
            for pane in self.panes:
                pane.table.name_mark(moment, name)
        self.marked.emit(moment, name)

    def _set_paused(self, paused: bool) -> None:
        if paused:
            self.table.pause()
        else:
            self.table.follow()

    def _set_notifying(self, on: bool) -> None:
        if on != self.current.notifications.is_on:
            self.current.set_notifying(on=on)

    def _set_capacity(self) -> None:
        for pane in self.panes:
            pane.set_capacity(self._feed_settings.capacity)

    def _connect(self) -> None:
        actions, signals = self._actions, self.signals
        actions["pause"].setChecked(False)
        actions["pause"].toggled.connect(self._set_paused)
        actions["live_notify"].toggled.connect(self._set_notifying)
        actions["live_filter"].triggered.connect(self.show_filter_popup)
        actions["live_clear"].triggered.connect(self._clear_current)
        actions["live_new"].triggered.connect(self._open_another)
        actions["live_close"].triggered.connect(self._close_current)
        actions["live_mark"].triggered.connect(self.mark)
        actions["live_account"].triggered.connect(self.show_gap_report)
        signals.changed.connect(self._refresh)
        signals.focused.connect(self._make_current)
        signals.close_requested.connect(self._close_pane)
        signals.filter_requested.connect(self._filter_pane)
        signals.copied.connect(self.notices.show_copied)
        self.strip.step.clicked.connect(signals.retry_requested)
        self.strip.chip.opened.connect(self.show_filter_popup)
        self.strip.chip.removed.connect(lambda: self.current.set_filter(Query()))
        self.filter_popup.filter_changed.connect(self.set_filter)
        self._feed_settings.changed.connect(self._set_capacity)
        self._timer.timeout.connect(self._on_tick)

    def _arrange(self) -> None:
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self.notices)
        self._layout.addWidget(self.splitter, stretch=1)


MOST_PANES = 4
_NARROWEST = 260  # pixels in which time and type of a single feed are readable
_NARROWEST_OF_SEVERAL = 180


class FeedSplitter(Splitter):
    """The panes from left to right; shortcuts and actions apply to the ``current`` one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.panes: list[FeedPane] = []
        self.current: FeedPane

    @property
    def has_several(self) -> bool:
        """Whether there is more than one pane."""
        return len(self.panes) > 1

    @property
    def is_full(self) -> bool:
        """Whether there is no space for another pane."""
        return len(self.panes) >= MOST_PANES

    def add_pane(self, pane: FeedPane) -> None:
        """Adds a pane at the end; the first one becomes the current one."""
        self.panes.append(pane)
        self.addWidget(pane)
        self.set_current(self.panes[0] if len(self.panes) == 1 else self.current)

    def remove_pane(self, pane: FeedPane) -> None:
        """Removes a pane unless it is the last one."""
        if self.has_several:
            self.panes.remove(pane)
            pane.hide()
            pane.deleteLater()
            self.set_current(self.panes[-1] if pane is self.current else self.current)

    def set_current(self, current: FeedPane) -> None:
        """Makes a pane the current one."""
        self.current = current
        for pane in self.panes:
            pane.header.setVisible(self.has_several)
            pane.header.show_current(pane is current)
            pane.setMinimumWidth(_NARROWEST_OF_SEVERAL if self.has_several else _NARROWEST)

    def share_height(self) -> None:
        """Gives panes above each other the same height; a new one would have only its header."""
        if self.orientation() == Qt.Orientation.Vertical:
            self.setSizes([max(1, self.height())] * len(self.panes))

    def restore_sizes(self, sizes: Sequence[int]) -> None:
        """Restores stored sizes unless one is missing."""
        if self.has_several and all(sizes):
            self.setSizes(list(sizes))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        is_high = event.size().height() > event.size().width()
        orientation = Qt.Orientation.Vertical if is_high else Qt.Orientation.Horizontal
        if orientation != self.orientation():
            sizes = self.sizes()
            self.setOrientation(orientation)
            self.setSizes(sizes if all(sizes) else [1] * len(self.panes))
        super().resizeEvent(event)


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
            text = tr("Events read from the list instead: {count}.", count=gap.found)
            self.show_passing(ErrorMessage(tr("A gap was filled"), f"{_gap_text(gap)} {text}", ""))

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
            text = tr("The list was read; nothing is missing.")
            self.show_passing(ErrorMessage(tr("Every id is accounted for"), text, ""))
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


def _gap_text(gap: PollGap) -> str:
    if gap.upto == gap.after + 1:
        return tr("Id {id} cannot be polled in this session.", id=gap.upto)
    return tr("Ids {first} to {last} cannot be polled in this session.", first=gap.after + 1, last=gap.upto)
