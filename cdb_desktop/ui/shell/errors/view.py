"""The page of errors: a search in all codes, and the explanation of the selected one."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QScrollArea,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import ServerErrorDetails, ServiceError
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.errors.explanation import ExplanationView
from cdb_desktop.ui.shell.errors.lookup import LookupView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, TIGHT
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT, SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import (
    CatalogueEntry,
    ErrorMessage,
    find_entry,
    parse_pasted_error,
    search_entries,
)

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ErrorCodeModel(QAbstractListModel):
    """The codes that match the search."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[CatalogueEntry, ...] = ()

    def show_entries(self, entries: tuple[CatalogueEntry, ...]) -> None:
        """Shows ``entries``; also after a change of the language."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802
        """The number of codes."""
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title; the code as tool tip; both for screen readers."""
        entry = self.entries[index.row()]
        title = entry.explanation.title
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.code
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{title}, {entry.code}"
        return None


class ErrorCodeDelegate(QStyledItemDelegate):
    """Paints title and code in two lines."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """The height of both lines."""
        small = QFontMetrics(scaled(option.font, CAPTION))
        return QSize(0, option.fontMetrics.height() + small.height() + GAP + TIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paints one code."""
        model = index.model()
        if not isinstance(model, ErrorCodeModel):
            return
        tokens, entry = self._appearance.tokens, model.entries[index.row()]
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(tokens.selected))
        inner = option.rect.adjusted(GROUP, TIGHT, -GAP, -TIGHT)
        self._line(painter, inner, str(index.data()), tokens.text)
        painter.save()
        painter.setFont(scaled(option.font, CAPTION))
        inner.setTop(inner.top() + option.fontMetrics.height() + TIGHT // 2)
        self._line(painter, inner, entry.code.removeprefix("error."), tokens.muted)
        painter.restore()

    def _line(self, painter: QPainter, place: QRect, text: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, shown)


_LIST_WIDTH, _SEARCH_WIDTH, _TEXT_WIDTH = 320, 420, 720


class ErrorsView(QWidget):
    """The page of errors.

    Signals: ``details_requested`` with the uuid of a server error · ``leave_requested`` on Escape when the
    search is empty.
    """

    details_requested = Signal(str)
    leave_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._model = ErrorCodeModel(self)
        self.search = named("errors.search", QLineEdit(self, clearButtonEnabled=True))
        self._count = caption(self)
        self._copy = IconButton(icon("copy", appearance), "", self)
        self.list = named("errors.list", QListView(self))
        self.explanation = ExplanationView(appearance, self)
        self.lookup = LookupView(self)
        self._nothing = EmptyState(appearance, self)
        self._create_layout(appearance)
        self._connect()
        self.search.setPlaceholderText(tr("Code, words, or a whole error object"))
        self.search.setAccessibleName(tr("Search errors"))
        self.list.setAccessibleName(tr("Error codes"))
        self._scroll.setAccessibleName(tr("Explanation"))
        self._copy.setToolTip(tr("Copy details"))
        self._copy.setAccessibleName(tr("Copy details"))
        text = tr("No code or explanation contains these words.")
        self._nothing.show_state(EmptyStateKind.EMPTY, tr("Nothing found"), text, tr("Show all codes"))
        self._find()

    def explain(self, code: str) -> None:
        """Explains a code, which need not be in the catalogue."""
        self.search.clear()
        entry = find_entry(code)
        if entry is None:
            self._explain(ServiceError("", code))
        else:
            self._choose(self._model.entries.index(entry))

    def show_service(self, *, connected: bool) -> None:
        """Enables requests for details while there is a connection."""
        self.lookup.show_service(connected=connected)

    def show_details(self, found: ServerErrorDetails) -> None:
        """Shows the details of a server error."""
        self.lookup.show_details(found)

    def show_details_failure(self, message: ErrorMessage) -> None:
        """Shows why there are no details."""
        self.lookup.show_failure(message)

    def _find(self) -> None:
        wanted = self.search.text()
        pasted = parse_pasted_error(wanted)
        entry = find_entry(pasted.code) if pasted else None
        shown = self.explanation.error
        if pasted is not None:
            self._model.show_entries((entry,) if entry else ())
        else:
            self._model.show_entries(search_entries(wanted))
        self._count.setText(tr("{count:1 code|{count} codes}", count=self._model.rowCount()))
        if pasted is not None:
            self._explain(pasted)
        elif self._model.entries:
            known = [entry.code for entry in self._model.entries]
            self._choose(known.index(shown.code) if shown and shown.code in known and not wanted else 0)
        else:
            self._pages.setCurrentWidget(self._nothing)

    def _choose(self, row: int) -> None:
        self.list.setCurrentIndex(self._model.index(row))

    def _chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            entry = self._model.entries[index.row()]
            self._explain(ServiceError(entry.realm, entry.code, status=entry.status))

    def _explain(self, error: ServiceError) -> None:
        self.explanation.show_error(error)
        self.lookup.setVisible(error.realm == "server" or bool(error.uuid))
        self.lookup.show_uuid(error.uuid)
        self._pages.setCurrentWidget(self._scroll)

    def _copy_details(self) -> None:
        text = "\n\n".join(filter(None, (self.explanation.details, self.lookup.text)))
        QApplication.clipboard().setText(text)

    def _step_back(self) -> None:
        if self.search.text():
            self.search.clear()
            self.search.setFocus()
        else:
            self.leave_requested.emit()

    def _connect(self) -> None:
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.search.textChanged.connect(self._find)
        self.lookup.requested.connect(self.details_requested)
        self._nothing.step_requested.connect(self.search.clear)
        self._copy.clicked.connect(self._copy_details)
        on_key("Escape", self, self._step_back, inside=True)
        for key in ("Down", "Return"):
            on_key(key, self.search, self.list.setFocus)

    def _create_layout(self, appearance: Appearance) -> None:
        self.list.setModel(self._model)
        self.list.setItemDelegate(ErrorCodeDelegate(appearance, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMinimumWidth(_LIST_WIDTH // 2)
        self._scroll = QScrollArea(self, widgetResizable=True)
        content = QWidget()
        column = QVBoxLayout()
        column.setSpacing(GROUP)
        for widget in (self.explanation, self.lookup):
            widget.setMaximumWidth(_TEXT_WIDTH)
            column.addWidget(widget)
        column.addStretch(1)
        # Not setMaximumWidth(): the height of the texts would be computed without it.
        row = QHBoxLayout(content)
        row.setContentsMargins(0, 0, 0, GROUP)
        row.addLayout(column, stretch=_TEXT_WIDTH)
        row.addStretch(1)
        self._scroll.setWidget(content)
        for area in (self._scroll, self.list):
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        for ground in (content, self):
            ground.setAutoFillBackground(True)
            ground.setBackgroundRole(self.backgroundRole().Base)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._scroll)
        self._pages.addWidget(self._nothing)
        self._copy.setObjectName("errors.copy")
        self.search.setMinimumWidth(_SEARCH_WIDTH)
        self.search.setStyleSheet(LINE_EDIT)
        bar = Toolbar(self)
        bar.add(self.search)
        bar.add(self._count, gap=GROUP)
        bar.push()
        bar.add(self._copy)
        sides = Splitter(parent=self)
        sides.addWidget(self.list)
        sides.addWidget(self._pages)
        sides.setStretchFactor(1, 1)
        sides.setSizes([_LIST_WIDTH, 3 * _LIST_WIDTH])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(sides, stretch=1)
