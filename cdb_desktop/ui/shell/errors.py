"""The page of errors: a search in all codes, and the explanation of the selected one."""

import re
from collections.abc import Mapping
from html import escape

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
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
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
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, MARGIN, TIGHT, TITLE, scaled
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import Splitter, lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import (
    CatalogueEntry,
    ErrorMessage,
    Explanation,
    error_message,
    find_entry,
    parameter_texts,
    parse_pasted_error,
    search_entries,
)
from cdb_desktop.vocabulary.times import exact_time

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ErrorCodeModel(QAbstractListModel):
    """The codes that match the search."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[CatalogueEntry, ...] = ()

    def show_entries(self, entries: tuple[CatalogueEntry, ...]) -> None:
        """Shows other codes."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802
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
        small = QFontMetrics(scaled(option.font, CAPTION))
        return QSize(0, option.fontMetrics.height() + small.height() + GAP + TIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
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

    def show_service(self, *, connected: bool, has_details: bool = True) -> None:
        """Enables requests for details while there is a connection to a service that keeps them."""
        self.lookup.show_service(connected=connected, has_details=has_details)

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
        lay_out(QVBoxLayout(self), bar, sides, growing=sides)


_PLACE = re.compile(r"\{(\w+)\}")


def highlight_parameters(text: str, parameters: Mapping[str, str], colour: str) -> str:
    """``text`` as rich text, its placeholders replaced by values, or by their names if there is no value."""

    def put(place: re.Match[str]) -> str:
        name = place.group(1)
        shown = escape(parameters.get(name, f"‹{name}›"))
        return f'<span style="color:{colour}; font-weight:600">{shown}</span>'

    return _PLACE.sub(put, escape(text))


class ExplanationView(QWidget):
    """Explains an error code, or an error with the values that came with it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.error: ServiceError | None = None  # the error that is explained
        self._title = self._label("errors.title", scaled(self.font(), TITLE, QFont.Weight.Medium))
        self._code = self._label("errors.code", QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._kind = self._label("errors.kind", muted=True)
        self._text = self._label("errors.text")
        self._remedy_head, self._remedy = self._head(), self._label("errors.remedy")
        self._parameters_head, self._parameters = self._head(), self._label("errors.parameters")
        self._description_head, self._description = self._head(), self._label("errors.description")
        self._create_layout()
        appearance.changed.connect(self._write)

    @property
    def details(self) -> str:
        """The explanation as plain text without secrets."""
        if self.error is None:
            return ""
        message = error_message(self.error)
        return f"{message.details}\n\n{message.text}\n{message.remedy}"

    def show_error(self, error: ServiceError) -> None:
        """Explains an error with its values."""
        self.error = error
        self._write()

    def _write(self) -> None:
        if self.error is None:
            return
        error, entry = self.error, find_entry(self.error.code)
        explanation, colour = _explanation(error, entry), self._appearance.tokens.accent
        self._title.setText(explanation.title)
        self._code.setText(error.code)
        self._kind.setText(self._kind_text(error, entry))
        values = parameter_texts(error)
        self._text.setText(highlight_parameters(explanation.text, values, colour))
        self._remedy_head.setText(tr("What to do"))
        self._remedy.setText(highlight_parameters(explanation.remedy, values, colour))
        self._write_parameters(error, entry)
        parts = [error.description, f"uuid: {error.uuid}" if error.uuid else ""]
        self._description_head.setText(tr("What the service said"))
        self._description.setText("\n".join(filter(None, parts)))
        for widget in (self._description_head, self._description):
            widget.setVisible(any(parts))

    def _write_parameters(self, error: ServiceError, entry: CatalogueEntry | None) -> None:
        names = dict.fromkeys((*(entry.parameters if entry else ()), *error.parameters))
        colour = self._appearance.tokens.accent
        values = parameter_texts(error)
        lines = [
            f"{escape(name)}: {highlight_parameters('{value}', {'value': values[name]}, colour)}"
            if name in error.parameters
            else escape(name)
            for name in names
        ]
        self._parameters_head.setText(tr("Parameters"))
        self._parameters.setText("<br>".join(lines))
        for widget in (self._parameters_head, self._parameters):
            widget.setVisible(bool(lines))

    def _kind_text(self, error: ServiceError, entry: CatalogueEntry | None) -> str:
        kinds = {
            "api": tr("The call was malformed"),
            "server": tr("The service failed"),
            "user": tr("The service refused the call"),
        }
        status = error.status or (entry.status if entry else 0)
        kind = entry.kind if entry else error.realm
        parts = (entry.origin if entry else "", kinds.get(kind, kind), f"HTTP {status}" if status else "")
        also = tr("also {codes}", codes=", ".join(entry.also)) if entry and entry.also else ""
        return " · ".join(filter(None, (*parts, also)))

    def _label(self, name: str, font: QFont | None = None, *, muted: bool = False) -> QLabel:
        label = named(name, Label(self))
        label.setWordWrap(True)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        if font is not None:
            label.setFont(font)
        if muted:
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return label

    def _head(self) -> QLabel:
        head = Label(self)
        head.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return head

    def _create_layout(self) -> None:
        # The texts of highlight_parameters, in which all values are escaped.
        for label in (self._text, self._remedy, self._parameters):
            label.setTextFormat(Qt.TextFormat.RichText)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GROUP, MARGIN, 0)
        layout.setSpacing(TIGHT)
        for widget in (self._title, self._code, self._kind):
            layout.addWidget(widget)
        layout.addSpacing(GAP)
        layout.addWidget(self._text)
        for head, body in (
            (self._remedy_head, self._remedy),
            (self._parameters_head, self._parameters),
            (self._description_head, self._description),
        ):
            layout.addSpacing(GROUP)
            layout.addWidget(head)
            layout.addWidget(body)


def _explanation(error: ServiceError, entry: CatalogueEntry | None) -> Explanation:
    if entry is not None:
        return entry.explanation
    message = error_message(error)
    return Explanation(message.title, message.text, message.remedy)


_LOG_HEIGHT = 180


class LookupView(QWidget):
    """A field for the uuid of a server error, and the details that the service returned.

    Signals: ``requested`` with the uuid.
    """

    requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._connected, self._has_details = False, True
        self._head = Label(tr("Details from the service"), self)
        self._head.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        self._head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._uuid = named("errors.uuid", QLineEdit(self, clearButtonEnabled=True))
        self._ask = named("errors.ask", QPushButton(tr("Request details"), self))
        self._answer = named("errors.answer", Label(self, wordWrap=True))
        self._answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._log = named("errors.log", QPlainTextEdit(self, readOnly=True))
        self._log.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._uuid.textChanged.connect(self._update_buttons)
        self._uuid.returnPressed.connect(self._ask.click)
        self._ask.clicked.connect(lambda: self.requested.emit(self._uuid.text().strip()))
        self._create_layout()
        self._uuid.setPlaceholderText(tr("uuid of the failure"))
        self._uuid.setAccessibleName(tr("uuid of the failure"))
        self._log.setAccessibleName(tr("Log of the service"))
        self._update_buttons()
        self.forget()

    @property
    def text(self) -> str:
        """The details as plain text; empty before there are any."""
        return "\n".join(filter(None, (self._answer.text(), self._log.toPlainText())))

    def show_service(self, *, connected: bool, has_details: bool = True) -> None:
        """Enables the request while there is a connection to a service that keeps the details."""
        self._connected, self._has_details = connected, has_details
        self._update_buttons()

    def show_uuid(self, uuid: str) -> None:
        """Puts the uuid of an error into the field."""
        self._uuid.setText(uuid)
        self.forget()

    def show_details(self, found: ServerErrorDetails) -> None:
        """Shows the details."""
        call = " ".join(filter(None, (found.method, found.url)))
        lines = (found.code, exact_time(found.timestamp), call, found.description)
        self._answer.setText("\n".join(filter(None, lines)))
        self._answer.show()
        self._log.setPlainText(found.log)
        self._log.setVisible(bool(found.log))

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why there are no details."""
        self._answer.setText(f"{message.title}. {message.text} {message.remedy}")
        self._answer.show()
        self._log.hide()

    def forget(self) -> None:
        """Removes the details of another error."""
        for widget in (self._answer, self._log):
            widget.clear()
            widget.hide()

    def _update_buttons(self) -> None:
        is_possible = self._connected and self._has_details
        self._ask.setEnabled(is_possible and bool(self._uuid.text().strip()))
        missing = tr("This service offers no details of its errors: its administrators find them in its log.")
        why = missing if self._connected else tr("Requires a connection to the service.")
        self._ask.setToolTip("" if is_possible else why)

    def _create_layout(self) -> None:
        self._uuid.setStyleSheet(LINE_EDIT)
        self._log.setFixedHeight(_LOG_HEIGHT)
        field = lay_out(QHBoxLayout(), self._uuid, self._ask, spacing=GAP, growing=self._uuid)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._head)
        layout.addLayout(field)
        layout.addWidget(self._answer)
        layout.addWidget(self._log)
