"""The palette: every action by a few letters of its name, with its key, or why it cannot be done."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSettings, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListView, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.palette.delegate import ROW_HEIGHT, PaletteDelegate
from cdb_desktop.ui.palette.model import PaletteModel
from cdb_desktop.ui.palette.ranking import Ranking
from cdb_desktop.ui.palette.sheet import Sheet
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT, SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.named import named

_WIDTH, _MOST_ROWS = 600, 12
_PRESS = QEvent.Type.KeyPress
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


class Palette(Sheet):
    """A field and the list below it; the focus stays in the field."""

    def __init__(
        self, window: QWidget, appearance: Appearance, actions: Actions, settings: QSettings
    ) -> None:
        super().__init__(window, appearance, _WIDTH)
        self.setObjectName("palette")
        self._actions = actions
        self._ranking = Ranking(actions, settings)
        self.model = PaletteModel(actions, self._ranking, self)
        self.field = named("palette.field", QLineEdit(self))
        self.field.setStyleSheet(LINE_EDIT)
        self.list = named("palette.list", QListView(self))
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(appearance, self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.list.setMouseTracking(True)
        self._nothing = caption(self)
        self._nothing.setContentsMargins(GROUP, 0, 0, GAP)
        for widget in (self.field, self.list, self._nothing):
            self.column.addWidget(widget)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._find)
        self.list.clicked.connect(self._run)
        self.list.selectionModel().currentChanged.connect(self._announce)

    def open_palette(self) -> None:
        """Shows all actions, to be narrowed down by typing; a second time closes it."""
        if not self.isHidden():
            self.close_sheet()
            return
        hint = self.tr("What do you want to do?")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.list.setAccessibleName(self.tr("Actions"))
        self._nothing.setText(self.tr("No action has this name."))
        self.field.clear()
        self._find()
        self.open_sheet(self.field)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Arrows move in the list, Enter runs, and going elsewhere closes."""
        if watched is self.field:
            if (
                isinstance(event, QKeyEvent)
                and event.type() == QEvent.Type.KeyPress
                and self._take(event.key())
            ):
                return True
            if isinstance(event, QFocusEvent) and event.lostFocus() and _is_elsewhere(event.reason()):
                self.close_sheet()
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

    def _choose(self, row: int) -> None:
        self.list.setCurrentIndex(self.model.index(row))

    def _run(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        row = self.model.rows[index.row()]
        if row.obstacle:
            QApplication.beep()
            return
        self.close_sheet()
        self._ranking.note(row.name)
        self._actions.run(row.name)

    def _announce(self, index: QModelIndex) -> None:
        # The focus stays in the field, so a screen reader would not learn where the list is.
        if index.isValid() and QAccessible.isActive():
            told = QAccessibleAnnouncementEvent(self.field, self.model.rows[index.row()].spoken)
            QAccessible.updateAccessibility(told)


def _is_elsewhere(reason: Qt.FocusReason) -> bool:
    """Whether somebody has clicked or gone away, rather than opened the field's own menu."""
    return reason not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
