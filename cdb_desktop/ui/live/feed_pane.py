"""One feed: its header, its table or what is shown instead of rows, and the banner while it is paused."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QTableView, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.ticket import MOST_EVENTS, rows_as_tsv
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import with_only_type, without_type
from cdb_desktop.live.feed_status import ConnectionState, NotificationThrottle
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, with_condition
from cdb_desktop.queries.typed_query import field_condition
from cdb_desktop.ui.live import messages
from cdb_desktop.ui.live.feed_model import FeedModel
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.strip import BellButton, FilterChip
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, tabular
from cdb_desktop.ui.widgets.buttons import BannerButton, IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.event_table.columns import fit_widths, persist_columns
from cdb_desktop.ui.widgets.event_table.table import number_of_rows, rows_of, selected_ranges
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.menus import context_menu, entry_text, on_context_menu
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.event_json import records_json
from cdb_desktop.vocabulary.event_summary import SUMMARY, event_summary
from cdb_desktop.vocabulary.event_types import is_commit, object_text, user_text
from cdb_desktop.vocabulary.times import exact_time


class FeedSignals(QObject):
    """One object for all panes of a live view, so that signals need not be forwarded."""

    changed = Signal()  # rows, filter, position or settings of any pane
    focused = Signal(object)  # the FeedPane that the user has clicked or entered
    close_requested = Signal(object)  # FeedPane
    filter_requested = Signal(object)  # FeedPane
    retry_requested = Signal()  # to connect or sign in again
    events_shown = Signal(object, int)  # FeedPane, number of new rows
    event_chosen = Signal(object)  # Event to be shown in the event browser
    schema_requested = Signal(object)  # Event of a commit whose schema version is to be shown
    copied = Signal(int, int)  # number of copied rows, number of selected ones
    link_requested = Signal(object)  # Event to which a link is to be copied
    ticket_requested = Signal(object, int)  # selected events that a ticket lists, number of selected ones


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
        self._error: ErrorMessage | None = None
        self._step: Callable[[], None] = self._show_all  # what the button in place of rows does
        self._arrange(settings)
        self._connect()
        self.table.setAccessibleName(tr("Live feed, newest event last"))
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

    def show_connection(self, connection: ConnectionState, error: ErrorMessage | None) -> None:
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
        if event.type() == QEvent.Type.FocusIn:
            self.signals.focused.emit(self)
        return False

    def _show_table_or_empty_state(self) -> None:
        """Shows the rows, or why there are none and what can be done about it."""
        feed, connection = self.model.feed, self._connection
        self._stack.setCurrentWidget(self.table if len(feed) else self._empty_state)
        if len(feed):
            return
        if feed.kept and feed.untested:
            text = tr("Events to test: {count}", count=feed.untested)
            self._show_empty(tr("Testing the events received"), text, EmptyStateKind.LOADING)
        elif feed.kept:
            self._step = self._show_all
            text = tr("Events received: {count}. None of them matches the filter.", count=feed.kept)
            self._show_empty(tr("Nothing to show"), text, button=tr("Show all events"))
        elif self._error is not None and connection.phase not in {"connecting", "open"}:
            self._step = self.signals.retry_requested.emit
            is_lost = connection.phase == "lost"
            button = tr("Sign in again") if is_lost else tr("Try now")
            kind = EmptyStateKind.FORBIDDEN if is_lost else EmptyStateKind.FAILED
            self._empty_state.show_failure(self._error, button, kind)
        elif feed.cleared:
            self._step = self._restore_cleared
            button = tr("Show them again ({count})", count=feed.cleared)
            self._show_empty(tr("Cleared"), tr("New events appear here."), button=button)
        elif connection.phase == "connecting":
            text = tr("Requesting the latest events from the service.")
            self._show_empty(tr("Opening the feed"), text, EmptyStateKind.LOADING)
        else:
            text = tr("The feed is open. New events of the service appear here automatically.")
            self._show_empty(tr("No events yet"), text)

    def _show_empty(
        self, title: str, text: str, kind: EmptyStateKind = EmptyStateKind.EMPTY, button: str = ""
    ) -> None:
        self._empty_state.show_state(kind, title, text, button)

    def _take_step(self) -> None:
        self._step()

    def _restore_cleared(self) -> None:
        self.table.restore_cleared()
        self.refresh()

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
        lay_out(QVBoxLayout(self), self.header, self._stack, self._banner, growing=self._stack)


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


_MOST_COPIED = 1_000  # rows, which takes no noticeable time
_LINK, _TICKET = QKeySequence("Ctrl+Shift+A"), QKeySequence("Ctrl+T")  # as in the event browser
_KEY_EVENTS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
_COLUMNS = ("_id", "timestamp", "type", "user", "object", SUMMARY)


class RowActions(QObject):
    """Acts on the current or the selected rows; calls ``set_filter`` with a changed filter."""

    def __init__(
        self,
        table: FeedTable,
        model: FeedModel,
        signals: FeedSignals,
        set_filter: Callable[[Query], None],
    ) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._signals = signals
        chosen, feed = self._of_current, model.feed
        self._show = self._add(
            "show", tr("Show in the event browser"), chosen(signals.event_chosen.emit), "Return"
        )
        schema = tr("Show the schema version of this commit")
        self._schema = self._add("schema", schema, chosen(signals.schema_requested.emit))
        self._copy = self._add("copy", tr("Copy as table"), partial(self._copy_rows, events_table), "Ctrl+C")
        copy_json = partial(self._copy_rows, records_json)
        self._copy_as_json = self._add("json", tr("Copy as JSON, as polled"), copy_json, "Ctrl+Shift+C")
        link, ticket = (key.toString(QKeySequence.SequenceFormat.NativeText) for key in (_LINK, _TICKET))
        link, ticket = f"{tr('Copy link to event')}\t{link}", f"{tr('Copy for ticket')}\t{ticket}"
        self._link = self._add("link", link, chosen(signals.link_requested.emit))
        self._ticket = self._add("ticket", ticket, self._request_ticket)
        self._only_type = self._add(
            "only", "", chosen(lambda event: set_filter(with_only_type(feed.filter, event.type)))
        )
        self._hide = self._add(
            "without", "", chosen(lambda event: set_filter(without_type(feed.filter, event.type)))
        )
        self._only_user = self._add(
            "user", "", chosen(lambda event: set_filter(_with_user(feed.filter, event)))
        )
        self._expand = self._add("expand", tr("Expand the row"), self._toggle, "Space")
        up, down = partial(table.go_to_mark, -1), partial(table.go_to_mark, 1)
        self._up = self._add("mark.up", tr("Go to the mark above"), up, "Alt+Up")
        self._down = self._add("mark.down", tr("Go to the mark below"), down, "Alt+Down")
        self._sharing = {_LINK.toString(): self._link, _TICKET.toString(): self._ticket}
        on_context_menu(table, self._open_menu)
        table.installEventFilter(self)
        table.doubleClicked.connect(lambda _index: self._show.trigger())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Takes the keys of the page's actions for sharing, which would share its events instead of rows."""
        if isinstance(event, QKeyEvent) and event.type() in _KEY_EVENTS:
            action = self._sharing.get(QKeySequence(event.keyCombination()).toString())
            if action is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    action.trigger()
                return True
        return super().eventFilter(watched, event)

    def _add(self, name: str, text: str, slot: Callable[[], object], shortcut: str = "") -> QAction:
        action = QAction(text, self, shortcut=QKeySequence(shortcut), shortcutVisibleInContextMenu=True)
        action.setObjectName(f"live.row.{name}")
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self._table.addAction(action)
        return action

    def _of_current(self, act: Callable[[Event], object]) -> Callable[[], None]:
        """A function that calls ``act`` with the current event, if there is one."""

        def act_on_current() -> None:
            event = self._current()
            if event is not None:
                act(event)

        return act_on_current

    def _open_menu(self, index: QModelIndex, position: QPoint) -> None:
        event = self._current()
        if event is None or not index.isValid():
            return
        self._only_type.setText(tr("Show only {name}", name=entry_text(event.type)))
        self._hide.setText(tr("Hide {name}", name=entry_text(event.type)))
        menu = context_menu(self._table, "live.row.menu")
        menu.addAction(self._show)
        if is_commit(event):
            menu.addAction(self._schema)
        is_open = self._table.expanded.is_open(event)
        self._expand.setText(tr("Collapse the row") if is_open else tr("Expand the row"))
        menu.addAction(self._expand)
        menu.addSeparator()
        copies = menu.addMenu(tr("&Copy"))
        text = str(index.data() or "")
        if text:
            copied = copies.addAction(entry_text(text))
            copied.triggered.connect(partial(QApplication.clipboard().setText, text))
            copies.addSeparator()
        copies.addActions([self._copy, self._copy_as_json])
        copies.addSeparator()
        copies.addActions([self._link, self._ticket])
        menu.addSeparator()
        menu.addActions([self._only_type, self._hide])
        if user_text(event):
            self._only_user.setText(tr("Show only {name}", name=entry_text(user_text(event))))
            menu.addAction(self._only_user)
        if self._table.dividers.marks:
            menu.addSeparator()
            menu.addActions([self._up, self._down])
        menu.popup(position)

    def _current(self) -> Event | None:
        index = self._table.currentIndex()
        return self._model.event_at(index.row()) if index.isValid() else None

    def _toggle(self) -> None:
        self._table.expanded.toggle(self._table.currentIndex().row())

    def _request_ticket(self) -> None:
        ranges = selected_ranges(self._table)
        events = [self._model.record_at(row) for row in islice(rows_of(ranges), MOST_EVENTS)]
        if events:
            self._signals.ticket_requested.emit(events, number_of_rows(ranges))

    def _copy_rows(self, format_events: Callable[[list[Event]], str]) -> None:
        ranges = selected_ranges(self._table)
        events = [self._model.event_at(row) for row in islice(rows_of(ranges), _MOST_COPIED)]
        if events:
            QApplication.clipboard().setText(format_events(events))
            self._signals.copied.emit(len(events), number_of_rows(ranges))


def _with_user(query: Query, event: Event) -> Query:
    if event.user_id is not None:
        return replace(query, users=(event.user_id,))
    return with_condition(query, field_condition("user", user_text(event)))


def events_table(events: Iterable[Event]) -> str:
    """A line with the names of the columns and a line for each event, cells separated by tabs."""
    rows = [
        (
            str(event.id),
            exact_time(event.timestamp),
            event.type,
            user_text(event),
            object_text(event),
            event_summary(event),
        )
        for event in events
    ]
    return rows_as_tsv((_COLUMNS, *rows))


_KEY = "live/columns"
_FEWEST = 3  # columns: id, time and type
_MARK_WIDTH = 2 * GAP  # in which a row's color mark is visible
# Texts that have to fit into the columns; longer ones are elided, and complete in the tooltip.
_SAMPLES = ("0,000,000", "00:00:00", "XX OBJECT_UPDATE", "Someone-Na", "objecttype 00", "What it is abo")


class ColumnWidths(QObject):
    """The columns have the widths chosen by the user if there is enough space; only these are stored."""

    def __init__(self, table: QTableView, settings: QSettings) -> None:
        super().__init__(table)
        self._table, self._header = table, table.horizontalHeader()
        self._fitted_to = -1  # the width of the viewport
        self._is_fitting = False
        self._is_narrow = False
        # Columns that fit may hide a scroll bar or show one, which changes the width again.
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._fit)
        persist_columns(self._header, settings, _KEY, when=self._is_resized_by_user)
        self._chosen = [self._header.sectionSize(column) for column in range(self._header.count())]
        self._header.setMinimumSectionSize(_MARK_WIDTH)
        self._resize(self._header.count() - 1, self._least_widths()[-1])
        self._header.sectionResized.connect(self._on_resized)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._fit()
            self._timer.start()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        width = self._table.viewport().width()
        if width == self._fitted_to or self._is_fitting:
            return
        self._fitted_to = width
        least = self._least_widths()
        # A narrow feed has no room for the summary, the object and the user beside the other columns.
        is_short = width < sum(least)
        if is_short:
            del least[-1]
        while len(least) > _FEWEST and width < _MARK_WIDTH + sum(least[1:]):
            del least[-1]
        wanted = [max(pair) for pair in zip(self._chosen, least[:-1], strict=False)] + least[-1:]
        widths = fit_widths(width, wanted, least, _MARK_WIDTH)
        was_narrow, self._is_narrow = self._is_narrow, is_short or widths != wanted
        if not self._is_narrow:
            if not was_narrow:
                return
            widths = self._chosen
        self._is_fitting = True
        for column in range(_FEWEST, self._header.count()):
            self._header.setSectionHidden(column, column >= len(least))
        for column, new in enumerate(widths[:-1]):
            self._header.resizeSection(column, new)
        self._resize(len(widths) - 1, min(widths[-1], least[-1]))
        self._is_fitting = False

    def _is_resized_by_user(self) -> bool:
        return not (self._is_fitting or self._is_narrow)

    def _on_resized(self, column: int, _before: int, width: int) -> None:
        if self._is_resized_by_user():
            self._chosen[column] = width

    def _least_widths(self) -> list[int]:
        metrics = QFontMetrics(self._table.font())
        return [metrics.horizontalAdvance(sample) + 2 * GAP for sample in _SAMPLES]

    def _resize(self, last: int, width: int) -> None:
        """Resizes the last visible column."""
        # It stretches to the remaining width, but never below the width that it had before.
        self._header.setStretchLastSection(False)
        self._header.resizeSection(last, width)
        self._header.setStretchLastSection(True)
