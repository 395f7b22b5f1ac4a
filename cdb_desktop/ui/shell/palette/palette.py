"""The command palette: finds actions, settings, tables, views and events by a few letters, and runs them.

`Overlay` is the base of the palette and of the overlay of keys.
"""

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFocusEvent,
    QIcon,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.ui.shell.palette.sources import PaletteRow, PaletteSource
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ICON, MARGIN
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named

_ROUND = 8
_FROM_TOP = 48


class Overlay(QFrame):
    """A frame in the upper middle of its window; Escape closes it."""

    def __init__(self, window: QWidget, appearance: Appearance, width: int) -> None:
        super().__init__(window)
        self._over = window
        self._appearance = appearance
        self._width = width
        self._before: QWidget | None = None
        self._application = cast("QApplication", QApplication.instance())
        self.column = lay_out(QVBoxLayout(self), margins=(GAP, GAP, GAP, GAP), spacing=GAP)
        on_key("Escape", self, self.close_overlay, inside=True)
        self.hide()

    def open_overlay(self, first: QWidget) -> None:
        """Shows the overlay with the focus on ``first``."""
        self._before = QApplication.focusWidget()
        # Not before, since the overlay is still being created then.
        self._over.installEventFilter(self)
        self.fit()
        self.show()
        self.raise_()
        first.setFocus(Qt.FocusReason.PopupFocusReason)
        self._application.focusChanged.connect(self._follow_focus)

    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Closes when another widget of the window gets the focus, for which Escape is meant then."""
        if now is not None and now.window() is self.window() and not self.isAncestorOf(now):
            self.close_overlay()

    def close_overlay(self) -> None:
        """Hides the overlay and returns the focus."""
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        inside = focus is None or self.isAncestorOf(focus)
        before, self._before = self._before, None
        self.hide()
        self._over.removeEventFilter(self)
        self._application.focusChanged.disconnect(self._follow_focus)
        # The widget may have been deleted with its connection.
        if inside and before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Keeps its place when the window is resized."""
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.handle), 1))
            painter.setBrush(QColor(tokens.ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)

    @property
    def inner_width(self) -> int:
        """The width for the contents in a window of this size."""
        return min(self._width, self._over.width() - 2 * MARGIN) - 2 * GAP

    def fit(self) -> None:
        """Takes the size that the contents need, as far as the window allows."""
        window = self._over
        width = self.inner_width + 2 * GAP
        self.column.activate()
        height = min(self.column.sizeHint().height(), window.height() - _FROM_TOP - MARGIN)
        self.setGeometry((window.width() - width) // 2, _FROM_TOP, width, height)


_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class PaletteModel(QAbstractListModel):
    """The rows of all sources that match."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sources: tuple[PaletteSource, ...] = ()
        self.rows: tuple[PaletteRow, ...] = ()

    def find(self, typed: str) -> None:
        """Lists what matches."""
        self.beginResetModel()
        self.rows = self.found(typed)
        self.endResetModel()

    def found(self, typed: str) -> tuple[PaletteRow, ...]:
        """What matches now, best first; of equal ones those that are available, then by source and rank."""
        found = [
            ((row.fit, bool(row.obstacle), number, row.rank), row)
            for number, source in enumerate(self.sources)
            for row in source.rows(typed)
        ]
        return tuple(row for _place, row in sorted(found, key=lambda one: one[0]))

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title; the whole row for screen readers."""
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        return row.spoken if role == Qt.ItemDataRole.AccessibleTextRole else None


ROW_HEIGHT = 30
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class PaletteDelegate(QStyledItemDelegate):
    """Paints icon, name, kind, and the key or the obstacle in one line."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        return QSize(0, ROW_HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        model = index.model()
        if not isinstance(model, PaletteModel):
            return
        row, tokens = model.rows[index.row()], self._appearance.tokens
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(tokens.selected))
        inner = option.rect.adjusted(GROUP, 0, -GROUP, 0)
        mode = QIcon.Mode.Disabled if row.obstacle else QIcon.Mode.Normal
        row.icon.paint(painter, QRect(inner.left(), inner.center().y() - ICON // 2, ICON, ICON), mode=mode)
        self._paint_texts(painter, inner.adjusted(ICON + GAP, 0, 0, 0), row)

    def _paint_texts(self, painter: QPainter, place: QRect, row: PaletteRow) -> None:
        tokens = self._appearance.tokens
        right = row.obstacle or row.key
        painter.setPen(QColor(tokens.warning if row.obstacle else tokens.muted))
        painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignRight, right)
        place = place.adjusted(0, 0, -painter.fontMetrics().horizontalAdvance(right) - GROUP, 0)
        painter.setPen(QColor(tokens.muted if row.obstacle else tokens.text))
        title = painter.fontMetrics().elidedText(
            visible(row.title), Qt.TextElideMode.ElideRight, place.width()
        )
        painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignLeft, title)
        place = place.adjusted(painter.fontMetrics().horizontalAdvance(title) + GAP, 0, 0, 0)
        painter.setPen(QColor(tokens.muted))
        kind = painter.fontMetrics().elidedText(row.kind, Qt.TextElideMode.ElideRight, max(place.width(), 0))
        painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignLeft, kind)


_WIDTH, _MOST_ROWS = 600, 12
_UPDATE = 300  # milliseconds
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


class CommandPalette(Overlay):
    """A text field and the list of what is found; the focus stays in the field."""

    def __init__(self, window: QWidget, appearance: Appearance, sources: Sequence[PaletteSource]) -> None:
        super().__init__(window, appearance, _WIDTH)
        self.setObjectName("palette")
        self._sources = sources
        self.model = PaletteModel(self)
        self.field = named("palette.field", QLineEdit(self))
        self.field.setStyleSheet(LINE_EDIT)
        self.list = named("palette.list", QListView(self))
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(appearance, self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self._nothing = caption(self)
        self._nothing.setContentsMargins(GROUP, 0, 0, GAP)
        for widget in (self.field, self.list, self._nothing):
            self.column.addWidget(widget)
        self._timer = QTimer(self, interval=_UPDATE)
        self._timer.timeout.connect(self._update)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._find)
        self.list.clicked.connect(self._run)
        self.list.selectionModel().currentChanged.connect(self._announce)

    def open_palette(self, others: Sequence[PaletteSource] = ()) -> None:
        """Shows all actions, or closes the palette if it is open; ``others`` are of a connection."""
        if not self.isHidden():
            self.close_overlay()
            return
        self.model.sources = (*self._sources, *others)
        hint = tr("What do you want to do or find?")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.list.setAccessibleName(tr("Actions"))
        self._nothing.setText(tr("Nothing has this name."))
        self.field.clear()
        self._find()
        self._timer.start()
        self.open_overlay(self.field)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The arrow keys select, Enter runs, and losing the focus closes."""
        if watched is self.field:
            if (
                isinstance(event, QKeyEvent)
                and event.type() == QEvent.Type.KeyPress
                and self._take(event.key())
            ):
                return True
            if isinstance(event, QFocusEvent) and event.lostFocus() and _is_elsewhere(event.reason()):
                self.close_overlay()
        return super().eventFilter(watched, event)

    def _take(self, key: int) -> bool:
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.list.currentIndex())
            return True
        step = next((step for one, step in _STEPS.items() if one == key), 0)
        last = self.model.rowCount() - 1
        if step and last >= 0:
            self._choose(min(max(self.list.currentIndex().row() + step, 0), last))
        return bool(step)

    def _find(self) -> None:
        self.model.find(self.field.text())
        self._nothing.setVisible(not self.model.rows)
        self.list.setVisible(bool(self.model.rows))
        self.list.setFixedHeight(min(self.model.rowCount(), _MOST_ROWS) * ROW_HEIGHT)
        self.fit()
        if self.model.rows:
            self._choose(0)

    def _update(self) -> None:
        """Shows what has become available or known since the text was typed; the chosen row stays chosen."""
        if self.isHidden():
            self._timer.stop()
            return
        before, chosen = self.model.rows, self.list.currentIndex().row()
        name = before[chosen].name if 0 < chosen < len(before) else ""
        found = self.model.found(self.field.text())
        if [(row.name, row.obstacle) for row in found] != [(row.name, row.obstacle) for row in before]:
            self._find()
            self._choose(next((row for row, one in enumerate(found) if one.name == name), 0))

    def _choose(self, row: int) -> None:
        self.list.setCurrentIndex(self.model.index(row))

    def _run(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        row = self.model.rows[index.row()]
        if row.obstacle:
            QApplication.beep()
            return
        self.close_overlay()
        row.run()

    def _announce(self, index: QModelIndex) -> None:
        # The focus stays in the field, so screen readers do not notice the selection.
        if index.isValid() and QAccessible.isActive():
            announcement = QAccessibleAnnouncementEvent(self.field, self.model.rows[index.row()].spoken)
            QAccessible.updateAccessibility(announcement)


def _is_elsewhere(reason: Qt.FocusReason) -> bool:
    """Whether the focus has left the palette, except for the field's context menu."""
    return reason not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
