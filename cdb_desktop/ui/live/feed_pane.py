"""One feed: its header, its table or what is shown instead of rows, and the banner while it is paused."""

from __future__ import annotations

from typing import Literal

import msgspec
from PySide6.QtCore import QEvent, QSettings, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_status import ConnectionState, NotificationThrottle
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live import messages
from cdb_desktop.ui.live.column_widths import ColumnWidths
from cdb_desktop.ui.live.feed_model import FeedModel
from cdb_desktop.ui.live.feed_signals import FeedSignals
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.header_buttons import BellButton, FilterChip
from cdb_desktop.ui.live.row_actions import RowActions
from cdb_desktop.ui.live.status import MakeError
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import BannerButton, IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_HEADER_HEIGHT = 28
_CURRENT_LINE = 2


class FeedPane(QWidget):
    """A feed with its own filter, position and notifications; what happens is emitted by ``signals``."""

    def __init__(
        self,
        feed: Feed,
        signals: FeedSignals,
        appearance: Appearance,
        settings: QSettings,
        seen: KnownValues,
        parent: QWidget,
    ) -> None:
        """``seen`` contains the names of users in filters."""
        super().__init__(parent)
        self._seen = seen
        self.signals = signals
        self.model = FeedModel(feed, self)
        self.table = FeedTable(self.model, appearance, self)
        self.header = FeedHeader(appearance, self)
        self.notifications = NotificationThrottle()
        self._shrink_timer = QTimer(self, singleShot=True, interval=0)
        self._rows = RowActions(self.table, self.model, signals, self.set_filter)
        self._empty_state = EmptyState(appearance, self)
        self._banner = PausedBanner(appearance, self)
        self._connection = ConnectionState()
        self._error: MakeError | None = None
        self._step: EmptyStep = ""
        self._arrange(settings)
        self._connect()
        self.table.setAccessibleName(messages.feed_name())
        self.header.hide()
        self.refresh()

    @property
    def filter_text(self) -> str:
        """The filter in a few words, empty if everything is shown."""
        return messages.filter_text(self.model.feed, self._seen)

    def set_capacity(self, events: int) -> None:
        """Bounds the feed; surplus events are removed in steps, so that the window stays responsive."""
        self.model.feed.capacity = events
        self._shrink_timer.start()

    def show_connection(self, connection: ConnectionState, error: MakeError | None) -> None:
        """Shows the connection and its last error if there are no rows."""
        if connection.phase != self._connection.phase:
            self.table.viewport().update()
        self._connection, self._error = connection, error
        self._show_table_or_empty_state()

    def refresh(self) -> None:
        """Shows changed rows, filter or position."""
        self.header.show_feed(self.filter_text, messages.counts_text(self.model.feed))
        self._banner.show_unseen(self.table.unseen)
        self._banner.setVisible(not self.table.is_following)
        self._show_table_or_empty_state()
        self.signals.changed.emit()

    def set_filter(self, chosen: Query) -> None:
        """Changes the filter; position and selection stay with events that are still shown."""
        self.table.set_filter(chosen)
        self.refresh()

    def set_notifying(self, *, on: bool) -> None:
        """Switches notifications of new events on or off."""
        self.notifications.turn(on=on)
        self.header.bell.setVisible(on)
        self.signals.changed.emit()

    def clear(self) -> None:
        """Shows only events received from now on."""
        self.model.clear()
        self.table.follow()
        self.refresh()

    def eventFilter(self, _watched: object, event: QEvent) -> bool:  # noqa: N802
        """Makes this pane the current one when its table gets the focus."""
        if event.type() == QEvent.Type.FocusIn:
            self.signals.focused.emit(self)
        return False

    def _show_table_or_empty_state(self) -> None:
        content = empty_content(self.model.feed, self._connection, self._error() if self._error else None)
        if content is None:
            self._stack.setCurrentWidget(self.table)
            return
        self._step = content.step
        if content.error is None:
            self._empty_state.show_state(content.kind, content.title, content.text, content.button)
        else:
            self._empty_state.show_failure(content.error, content.button, content.kind)
        self._stack.setCurrentWidget(self._empty_state)

    def _take_step(self) -> None:
        if self._step == "restore":
            self.table.restore_cleared()
            self.refresh()
        elif self._step == "show_all":
            self._show_all()
        else:
            self.signals.retry_requested.emit()

    def _show_all(self) -> None:
        self.set_filter(Query())

    def _shrink(self) -> None:
        if self.model.shrink():
            self.refresh()
            self._shrink_timer.start()

    def _on_inserted(self, shown: int) -> None:
        self.refresh()
        self.signals.events_shown.emit(self, shown)

    def _connect(self) -> None:
        signals, header = self.signals, self.header
        self.table.following_changed.connect(self.refresh)
        self.model.inserted.connect(self._on_inserted)
        self.model.tested.connect(self.refresh)
        self._shrink_timer.timeout.connect(self._shrink)
        self._banner.clicked.connect(self.table.follow)
        self._empty_state.step_requested.connect(self._take_step)
        header.chip.opened.connect(lambda: signals.filter_requested.emit(self))
        header.chip.removed.connect(self._show_all)
        header.close_button.clicked.connect(lambda: signals.close_requested.emit(self))
        header.bell.clicked.connect(lambda: self.set_notifying(on=False))
        self.table.expanded.changed.connect(signals.changed)
        self.table.installEventFilter(self)
        self.table.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _arrange(self, settings: QSettings) -> None:
        self.table.setObjectName("live.table")
        ColumnWidths(self.table, settings)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty_state)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self._stack, stretch=1)
        layout.addWidget(self._banner)


class FeedHeader(Toolbar):
    """The header of a feed among several: its filter, counts, bell and close button.

    A line above it marks the current feed, to which shortcuts and actions apply.
    """

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=_HEADER_HEIGHT)
        self._appearance = appearance
        self._is_current = False
        self._all = Label(tr("All events"), self)
        self._counts = caption(self)
        self.chip = FilterChip(appearance, self)
        self.bell = BellButton(appearance, self)
        self.close_button = IconButton(icon("close", appearance), tr("Close this feed"), self)
        self.close_button.setObjectName("live.feed.close")
        self._counts.setFont(tabular(self.font()))
        self._counts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.add(self._all, self.chip)
        self.add(self._counts, gap=GAP, stretch=1)
        self.add(self.bell, self.close_button)

    def show_feed(self, filter_text: str, counts: str) -> None:
        """Shows the filter, if any, and the counts."""
        self.chip.show_text(filter_text)
        self._all.setVisible(not filter_text)
        self._counts.setText(counts)

    def show_current(self, is_current: bool) -> None:
        """Shows whether this feed is the current one."""
        self._is_current = is_current
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paints the line of the current feed."""
        super().paintEvent(event)
        if self._is_current:
            with QPainter(self) as painter:
                painter.fillRect(0, 0, self.width(), _CURRENT_LINE, QColor(self._appearance.tokens.accent))


class PausedBanner(BannerButton):
    """Below a paused feed: counts the new events and leads to them; filled if there are any."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("live.banner")
        self.show_unseen(0)

    def show_unseen(self, unseen: int) -> None:
        """Shows the number of new rows."""
        text = (
            tr("+{count} new · End to follow", count=unseen)
            if unseen
            else tr("Paused, nothing new yet · End to follow")
        )
        self.show_text(text, tr("Go to the newest event and follow (End)"), is_prominent=bool(unseen))


EmptyStep = Literal["", "retry", "restore", "show_all"]


class EmptyContent(msgspec.Struct, frozen=True):
    """What is shown instead of rows, and what its button does."""

    kind: EmptyStateKind
    title: str
    text: str
    button: str = ""
    step: EmptyStep = ""
    error: ErrorMessage | None = None


def empty_content(feed: Feed, connection: ConnectionState, error: ErrorMessage | None) -> EmptyContent | None:
    """What to show instead of rows, None if there are rows."""
    if len(feed):
        return None
    if feed.kept:
        return _filtered_content(feed)
    if error is not None and connection.phase not in {"connecting", "open"}:
        return _failed_content(connection, error)
    if feed.cleared:
        button, text = tr("Show them again ({count})", count=feed.cleared), tr("New events appear here.")
        return EmptyContent(EmptyStateKind.EMPTY, tr("Cleared"), text, button, "restore")
    if connection.phase == "connecting":
        text = tr("Requesting the latest events from the service.")
        return EmptyContent(EmptyStateKind.LOADING, tr("Opening the feed"), text)
    text = tr("The feed is open. New events of the service appear here automatically.")
    return EmptyContent(EmptyStateKind.EMPTY, tr("No events yet"), text)


def _filtered_content(feed: Feed) -> EmptyContent:
    if feed.untested:
        text = tr("Events to test: {count}", count=feed.untested)
        return EmptyContent(EmptyStateKind.LOADING, tr("Testing the events received"), text)
    text = tr("Events received: {count}. None of them matches the filter.", count=feed.kept)
    return EmptyContent(EmptyStateKind.EMPTY, tr("Nothing to show"), text, tr("Show all events"), "show_all")


def _failed_content(connection: ConnectionState, error: ErrorMessage) -> EmptyContent:
    is_lost = connection.phase == "lost"
    kind = EmptyStateKind.FORBIDDEN if is_lost else EmptyStateKind.FAILED
    button = tr("Sign in again") if is_lost else tr("Try now")
    return EmptyContent(kind, error.title, f"{error.text} {error.remedy}", button, "retry", error)
