"""One feed of possibly several: its rows, its choice of events, its place. Knows no service."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.live.alarm import Alarm
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.ui.live import words
from cdb_desktop.ui.live.arrivals import Arrivals
from cdb_desktop.ui.live.banner import FollowBanner
from cdb_desktop.ui.live.feed_header import FeedHeader
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.fitted_columns import FittedColumns
from cdb_desktop.ui.live.model import FeedModel
from cdb_desktop.ui.live.pictures import Next, picture
from cdb_desktop.ui.live.row_actions import RowActions
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.vocabulary.error_messages import ErrorMessage

Said = Callable[[], ErrorMessage]  # in the language of the moment


class FeedPane(QWidget):
    """Table, banner and, where there are several, a head.

    Signals: ``changed`` when rows, choice or place have · ``arrived`` with the number of new rows ·
    ``entered`` when the user has gone to it · ``filter_requested`` · ``close_requested`` · ``step_requested``
    when the way out of a trouble is taken · ``event_chosen`` with an Event · ``schema_requested`` with that
    of a commit · ``copied`` (number, selected).
    """

    changed = Signal()
    arrived = Signal(int)
    entered = Signal()
    filter_requested = Signal()
    close_requested = Signal()
    step_requested = Signal()
    event_chosen = Signal(object)
    schema_requested = Signal(object)
    copied = Signal(int, int)

    def __init__(self, feed: Feed, appearance: Appearance, settings: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self.model = FeedModel(feed, self)
        self.table = FeedTable(self.model, appearance, self)
        self.header = FeedHeader(appearance, self)
        self.alarm = Alarm()
        self._arrivals = Arrivals(self.model, self)
        self._shrink = QTimer(self, singleShot=True, interval=0)
        self._rows = RowActions(self.table, self.model)
        self._picture = EmptyState(appearance, self)
        self._banner = FollowBanner(appearance, self)
        self._link = ConnectionState()
        self._said: Said | None = None
        self._next: Next = ""
        self._arrange(settings)
        self._connect()
        self.table.setAccessibleName(words.name())
        self.header.hide()
        self.show_rows()

    @property
    def label(self) -> str:
        """What it shows in a few words, empty when it is everything."""
        return words.filter_text(self.model.feed)

    def add(self, events: Iterable[Event]) -> None:
        """Events have come, oldest first."""
        self._arrivals.add(events)

    def keep_at_most(self, events: int) -> None:
        """Is bounded so from now on; what is too much leaves in steps, so that the window goes on."""
        self.model.feed.capacity = events
        self._shrink.start()

    def show_link(self, link: ConnectionState, said: Said | None) -> None:
        """How the connection stands, and what is ``said`` about a trouble."""
        if link.phase != self._link.phase:
            # The rows are the newest ones only from now on, or no longer: they count as shown anew.
            self.table.viewport().update()
        self._link, self._said = link, said
        self._show_picture()

    def show_rows(self) -> None:
        """Rows, choice or place have changed."""
        feed = self.model.feed
        self.header.show_feed(self.label, words.counts(feed))
        self._banner.show_unseen(self.table.unseen)
        self._banner.setVisible(not self.table.is_following)
        self._show_picture()
        self.changed.emit()

    def set_filter(self, choice: FeedFilter) -> None:
        """Shows other events; what is in sight and selected stays so as far as it is shown."""
        self.table.set_filter(choice)
        self.show_rows()

    def notify(self, *, on: bool) -> None:
        """Whether somebody who looks elsewhere is told of what comes."""
        self.alarm.turn(on=on)
        self.header.bell.setVisible(on)
        self.changed.emit()

    def clear(self) -> None:
        """Shows only what comes from now on."""
        self.model.clear()
        self.table.follow()
        self.show_rows()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.table.setAccessibleName(words.name())
            self.model.retranslate()
            self._rows.retranslate()
            self.show_rows()
        super().changeEvent(event)

    def eventFilter(self, _watched: object, event: QEvent) -> bool:  # noqa: N802
        """Keys and actions mean the feed that the user has gone to last."""
        if event.type() == QEvent.Type.FocusIn:
            self.entered.emit()
        return False

    def _show_picture(self) -> None:
        shown = picture(self.model.feed, self._link, self._said() if self._said else None)
        if shown is None:
            self._stack.setCurrentWidget(self.table)
            return
        self._next = shown.next
        if shown.said is None:
            self._picture.show_state(shown.kind, shown.title, shown.text, shown.step)
        else:
            self._picture.show_failure(shown.said, shown.step, shown.kind)
        self._stack.setCurrentWidget(self._picture)

    def _take_step(self) -> None:
        if self._next == "bring_back":
            self.table.restore_cleared()
            self.show_rows()
        elif self._next == "show_all":
            self.set_filter(FeedFilter())
        else:
            self.step_requested.emit()

    def _silence(self) -> None:
        self.notify(on=False)

    def _show_all(self) -> None:
        self.set_filter(FeedFilter())

    def _take_out(self) -> None:
        if self.model.shrink():
            self.show_rows()
            self._shrink.start()

    def _take_in(self, shown: int) -> None:
        self.show_rows()
        self.arrived.emit(shown)

    def _connect(self) -> None:
        self.table.following_changed.connect(self.show_rows)
        self._arrivals.appended.connect(self._take_in)
        self._shrink.timeout.connect(self._take_out)
        self._banner.clicked.connect(self.table.follow)
        self._picture.step_requested.connect(self._take_step)
        self.header.chip.opened.connect(self.filter_requested)
        self.header.chip.removed.connect(self._show_all)
        self.header.close_requested.connect(self.close_requested)
        self.header.silence_requested.connect(self._silence)
        self._rows.choice_made.connect(self.set_filter)
        self._rows.event_chosen.connect(self.event_chosen)
        self._rows.schema_requested.connect(self.schema_requested)
        self._rows.copied.connect(self.copied)
        self.table.installEventFilter(self)
        self.table.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _arrange(self, settings: QSettings) -> None:
        self.table.setObjectName("live.table")
        FittedColumns(self.table, settings)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._picture)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self._stack, stretch=1)
        layout.addWidget(self._banner)
