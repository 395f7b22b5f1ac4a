"""The style of the application: Fusion, controls as high as a table row, and a ring around the focus."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QDialog,
    QLabel,
    QMenu,
    QProxyStyle,
    QScrollBar,
    QStyle,
    QStyleOption,
    QWidget,
)
from shiboken6 import isValid

from cdb_desktop.ui.theme.measures import BUTTON, ROW
from cdb_desktop.ui.theme.mnemonics import Mnemonics
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

_Kind = QStyle.ContentsType
_CLICKED = frozenset(
    {
        _Kind.CT_PushButton,
        _Kind.CT_ToolButton,
        _Kind.CT_CheckBox,
        _Kind.CT_RadioButton,
        _Kind.CT_ComboBox,
        _Kind.CT_SpinBox,
        _Kind.CT_LineEdit,
    }
)

RINGED = "ringed"  # a dynamic property
_WIDTH = 2
_BOX_LIST = "QComboBoxPrivateContainer"  # the open list of a combo box, which has no ring


class RowHighStyle(QProxyStyle):
    """Fusion with controls at least as high as a table row, with any font."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, polished: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]
        """Makes labels that Qt creates itself plain text: tooltips, message boxes, rows of forms.

        A tooltip is a QLabel, which is polished before it has a text. Menus get mnemonics, also those of Qt,
        and scroll bars are slim.
        """
        super().polish(polished)
        if isinstance(polished, QScrollBar) and not polished.styleSheet():
            polished.setStyleSheet(SLIM_SCROLL_BAR)  # which polishes it once more
        if isinstance(polished, QMenu) and polished.findChild(Mnemonics) is None:
            Mnemonics(polished)
        if isinstance(polished, QLabel) and polished.textFormat() == Qt.TextFormat.AutoText:
            polished.setTextFormat(Qt.TextFormat.PlainText)

    def sizeFromContents(  # noqa: N802
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None = None
    ) -> QSize:
        """At least the height of a row for controls."""
        # The stubs do not allow None.
        found = super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]
        if kind is _Kind.CT_PushButton and _is_in_dialog(widget):
            return found.expandedTo(QSize(0, BUTTON))
        return found.expandedTo(QSize(0, ROW)) if kind in _CLICKED and not _is_in_spin_box(widget) else found


def _is_in_dialog(widget: QWidget | None) -> bool:
    """Whether a button belongs to a dialog or popup, where it is as high as the filled one."""
    if widget is None:
        return False
    window = widget.window()
    return isinstance(window, QDialog) or window.windowType() == Qt.WindowType.Popup


def _is_in_spin_box(widget: QWidget | None) -> bool:
    """Whether it is the line edit of a spin box, which adds its own frame."""
    return widget is not None and isinstance(widget.parent(), QAbstractSpinBox)


class FocusRing(QObject):
    """Draws a ring around the scroll area, or widget with the property ``RINGED``, that has the focus.

    Like the rings of buttons it is shown while the keyboard is used, not after a click.
    """

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self._ring: _Ring | None = None
        app.focusChanged.connect(self._follow)

    def _follow(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self._ring is not None and isValid(self._ring):  # it is deleted with its area
            self._ring.hide()
            self._ring.deleteLater()
        self._ring = None
        if now is not None and _needs_ring(now):
            self._ring = _Ring(now)


def _needs_ring(widget: QWidget) -> bool:
    is_area = isinstance(widget, QAbstractScrollArea) and not widget.window().inherits(_BOX_LIST)
    return is_area or bool(widget.property(RINGED))


class _Ring(QWidget):
    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.installEventFilter(self)
        self._fit()

    def _fit(self) -> None:
        self.setGeometry(self._area.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paints the ring unless the mouse is used."""
        if not self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            return
        with QPainter(self) as painter:
            pen = QPen(QColor(self.palette().color(QPalette.ColorRole.Accent)), _WIDTH)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
