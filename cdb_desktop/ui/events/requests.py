"""The panel of the last requests with their results, and copies for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QHideEvent, QPainter, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHeaderView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import Exchange, RequestForm, listing_text
from cdb_desktop.events.request_log import MAX_REQUESTS, RequestLog, is_poll
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.i18n import number_text, size_text, tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, STRIP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.event_table.model import Index
from cdb_desktop.ui.widgets.input_handling import on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.menus import context_menu
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.times import clock_time


class RequestPanel(QWidget):
    """The last requests, newest first; while hidden it only records them.

    Signals: ``copy_requested`` (Exchange, RequestForm) · ``close_requested``.
    """

    copy_requested = Signal(object, object)
    close_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.requests")
        self.setAutoFillBackground(True)
        self._kept = RequestLog()
        self.model = RequestModel(appearance, self)
        self.table = RequestTable(self.model, appearance, self)
        self.polls = named("events.requests.polls", QCheckBox(tr("&Polls too"), self))
        self.clear = named("events.requests.clear", QPushButton(tr("C&lear"), self))
        self._title = ElidedLabel(self)
        self._title.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._close = IconButton(icon("close", appearance), tr("Close the requests (Esc)"), self)
        self._copies = {form: QPushButton(self) for form in RequestForm}
        self._arrange()
        self._connect()
        self._offer()
        for form, text in self._forms().items():
            self._copies[form].setText(text)
            self._copies[form].setToolTip(tr("The token is replaced by $TOKEN"))
        self.table.setAccessibleName(tr("Requests"))

    @property
    def exchanges(self) -> RequestLog:
        """All recorded requests."""
        return self._kept

    def add(self, exchange: Exchange) -> None:
        """Records a request."""
        self._kept.add(exchange)
        if self.isVisible() and (self.polls.isChecked() or not is_poll(exchange)):
            self.model.add(exchange)

    @property
    def chosen(self) -> Exchange | None:
        """The selected request."""
        row = self.table.chosen_row
        return None if row is None else self.model.exchanges[row]

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.model.show(())

    def _show(self) -> None:
        self.model.show(self._kept.entries(polls=self.polls.isChecked()))
        self._offer()

    def _forget(self) -> None:
        self._kept.clear()
        self._show()

    def _offer(self) -> None:
        for button in self._copies.values():
            button.setEnabled(self.chosen is not None)
        there = self.model.rowCount() > 0
        self.clear.setEnabled(there)
        self._title.setText(tr("Requests, newest first") if there else tr("No requests since then."))

    def _copy(self, form: RequestForm) -> None:
        if self.chosen is not None:
            self.copy_requested.emit(self.chosen, form)

    def _open_menu(self, place: QPoint) -> None:
        if self.chosen is None:
            return
        menu = context_menu(self, "events.requests.menu")
        for form, text in self._forms().items():
            menu.addAction(text).triggered.connect(partial(self._copy, form))
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _connect(self) -> None:
        self.table.selectionModel().selectionChanged.connect(self._offer)
        self.model.modelReset.connect(self._offer)
        self.model.rowsInserted.connect(self._offer)
        self.table.customContextMenuRequested.connect(self._open_menu)
        for form, button in self._copies.items():
            button.clicked.connect(partial(self._copy, form))
        self.polls.toggled.connect(self._show)
        self.clear.clicked.connect(self._forget)
        self._close.clicked.connect(self.close_requested)
        on_key("Escape", self, self.close_requested.emit, inside=True)
        on_key("Ctrl+C", self.table, lambda: self._copy(RequestForm.CURL))

    def _arrange(self) -> None:
        bar = Toolbar(self, height=STRIP + GAP)
        bar.add(self._title)
        bar.add(self.polls, gap=GAP)
        bar.push()
        for form, button in self._copies.items():
            bar.add(named(f"events.requests.{form.value}", button), gap=GAP // 2)
        bar.add(self.clear, gap=GAP)
        bar.add(self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.table)
        set_tab_order(self.polls, *self._copies.values(), self.clear, self._close, self.table)

    def _forms(self) -> dict[RequestForm, str]:
        return {
            RequestForm.URL: tr("Copy address"),
            RequestForm.CURL: tr("Copy as curl"),
            RequestForm.HTTPX: tr("Copy as Python"),
        }


class RequestController(QObject):
    """Records the requests of the client and copies them for other programs."""

    def __init__(self, context: BrowserContext, panel: RequestPanel) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._panel = panel
        self._panel.copy_requested.connect(self._copy_exchange)
        self._panel.close_requested.connect(self._close)
        client = self._client
        client.watch_with(self._panel.add)
        # The client signs out after the panel has been deleted.
        self._view.destroyed.connect(lambda: client.watch_with(None))
        actions = self._view.actions_by_name
        # Bound methods of objects: actions outlive the browser, and Qt disconnects them.
        actions["request_url"].triggered.connect(self._copy_address)
        actions["request_curl"].triggered.connect(self._copy_curl)
        actions["request_httpx"].triggered.connect(self._copy_python)

    def _copy_address(self) -> None:
        self._copy_query(RequestForm.URL)

    def _copy_curl(self) -> None:
        self._copy_query(RequestForm.CURL)

    def _copy_python(self) -> None:
        self._copy_query(RequestForm.HTTPX)

    def _copy_query(self, form: RequestForm) -> None:
        asked = self._view.query.at(datetime.now(UTC))
        full = self._rows.whole
        text = listing_text(form, self._client.address, asked.filter, asked.sort, limit=PAGE_SIZE, full=full)
        self._copy(text)
        if asked.conditions:
            self._view.count.show_message(tr("Copied without conditions that the service cannot test."))

    def _copy_exchange(self, exchange: Exchange, form: RequestForm) -> None:
        self._copy(exchange.text(form, self._client.address))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._view.count.show_message(tr("Copied without the token: set the variable TOKEN."))

    def _close(self) -> None:
        self._view.actions_by_name["requests"].setChecked(False)
        self._view.table.setFocus()


TIME, METHOD, RESULT, ROWS, SIZE, TOOK, ADDRESS = range(7)
_ROOT = QModelIndex()
_ROLE = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = (ROWS, SIZE, TOOK)
_SAMPLES = {
    TIME: "00:00:00",
    METHOD: "Methode",
    RESULT: "200 error.user.xxxx",
    ROWS: "00,000",
    SIZE: "000.0 bytes",
    TOOK: "00,000 ms",
}
_HEADER = """
QHeaderView { background: palette(base); }
QHeaderView::section {
    background: palette(base); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 8px; height: 27px;
}
"""


def titles() -> tuple[str, ...]:
    """The titles of the columns."""
    return (
        tr("Time"),
        tr("Method"),
        tr("Result"),
        tr("Rows"),
        tr("Size"),
        tr("Took"),
        tr("Address and parameters"),
    )


def cells(exchange: Exchange) -> tuple[str, ...]:
    """The texts of a row."""
    return (
        clock_time(exchange.started),
        exchange.method,
        outcome_text(exchange),
        "" if exchange.rows is None else number_text(exchange.rows),
        size_text(exchange.size) if exchange.size else "",
        tr("{number} ms", number=round(exchange.seconds * 1000)),
        address_text(exchange),
    )


def address_text(exchange: Exchange) -> str:
    """Path and parameters, readable and without the token."""
    query = " & ".join(f"{name}={value}" for name, value in exchange.parameters)
    return f"{exchange.path}  {query}".strip()


def outcome_text(exchange: Exchange) -> str:
    """``200``, ``403 error.user.no_system_right``, or why there is no answer."""
    failure = exchange.failure
    reasons = {
        "cancelled": tr("given up"),
        "slow": tr("no answer in time"),
        "answer": tr("not understood"),
    }
    reason = reasons.get(failure, failure)
    if failure.startswith("unreachable."):
        reason = tr("not reached: {failure}", failure=failure.partition(".")[2])
    return " ".join(part for part in (str(exchange.status or ""), reason) if part)


def details_text(exchange: Exchange) -> str:
    """All details, one per line."""
    lines = [f"{exchange.method} {exchange.path}"]
    lines += [f"  {name} = {value}" for name, value in exchange.parameters]
    if exchange.withheld:
        lines.append(tr("The body was not recorded: it is confidential or too large."))
    elif exchange.request.body:
        lines.append(exchange.request.body.decode("utf-8", "replace")[:2000])
    return "\n".join(lines)


class RequestModel(QAbstractTableModel):
    """A row for each request."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.exchanges: list[Exchange] = []

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.exchanges)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else ADDRESS + 1

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        exchange, column = self.exchanges[index.row()], index.column()
        if role == _ROLE.DisplayRole:
            return cells(exchange)[column]
        if role == _ROLE.ToolTipRole:
            return details_text(exchange)
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if column in _NUMBERS else _LEFT
        if role == _ROLE.ForegroundRole:
            return self._colour(exchange, column)
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if section in _NUMBERS else _LEFT
        return titles()[section] if role == _ROLE.DisplayRole else None

    def show(self, exchanges: Sequence[Exchange]) -> None:
        """Shows other requests."""
        self.beginResetModel()
        self.exchanges = list(exchanges)
        self.endResetModel()

    def add(self, exchange: Exchange) -> None:
        """Adds a request and drops the oldest if there are too many."""
        self.beginInsertRows(_ROOT, 0, 0)
        self.exchanges.insert(0, exchange)
        self.endInsertRows()
        if len(self.exchanges) > MAX_REQUESTS:
            self.beginRemoveRows(_ROOT, MAX_REQUESTS, len(self.exchanges) - 1)
            del self.exchanges[MAX_REQUESTS:]
            self.endRemoveRows()

    def _colour(self, exchange: Exchange, column: int) -> QColor:
        tokens = self._appearance.tokens
        if column == RESULT and exchange.failure not in ("", "cancelled"):
            return QColor(tokens.danger)
        return QColor(tokens.text if column in (RESULT, ADDRESS) else tokens.muted)


class RequestTable(QTableView):
    """A table in which one row can be selected."""

    def __init__(self, model: RequestModel, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setObjectName("events.requests.table")
        self.setFont(tabular(self.font()))
        self.setModel(model)
        self.setItemDelegate(_RequestDelegate(appearance, self))
        self._arrange()
        self._arrange_headers(model)
        self._follow_density()
        appearance.changed.connect(self._follow_density)

    @property
    def chosen_row(self) -> int | None:
        """The selected row."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = self.horizontalHeader().sizeHint().height() + self._appearance.row
        return QSize(super().minimumSizeHint().width(), least)

    def _arrange(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)

    def _arrange_headers(self, model: RequestModel) -> None:
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setStyleSheet(_HEADER)
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSelectionModel(QItemSelectionModel(model, header))
        metrics = QFontMetrics(self.font())
        for column, sample in _SAMPLES.items():
            header.resizeSection(column, metrics.horizontalAdvance(sample) + 3 * GAP)

    def _follow_density(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._appearance.row)


class _RequestDelegate(QStyledItemDelegate):
    """Aligns texts with their titles."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(self._appearance.tokens.selected))
        inner = option.rect.adjusted(GAP, 0, -GAP, 0)
        text = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, inner.width())
        painter.setPen(index.data(Qt.ItemDataRole.ForegroundRole))
        painter.drawText(inner, index.data(Qt.ItemDataRole.TextAlignmentRole), text)
