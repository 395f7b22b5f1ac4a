"""The Fusion style with controls as high as a table row, and with labels and tooltips in plain text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QDialog,
    QLabel,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QWidget,
)

from cdb_desktop.ui.theme.measures import BUTTON, ROW

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


class RowHighStyle(QProxyStyle):
    """Fusion measures its controls by the typeface alone: with a small one they fall short of 24 pixels."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, polished: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]
        """Takes the guess at HTML from labels that Qt makes itself: tooltips, message boxes, rows of forms.

        Qt shows every tooltip in a QLabel, which is polished before it has a text.
        """
        super().polish(polished)
        if isinstance(polished, QLabel) and polished.textFormat() == Qt.TextFormat.AutoText:
            polished.setTextFormat(Qt.TextFormat.PlainText)

    def sizeFromContents(  # noqa: N802
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None = None
    ) -> QSize:
        """As high as a row at least; asked for when parts are laid out, never when they are painted."""
        # The stubs know of no call without a widget.
        found = super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]
        if kind is _Kind.CT_PushButton and _stands_in_dialog(widget):
            return found.expandedTo(QSize(0, BUTTON))
        return found.expandedTo(QSize(0, ROW)) if kind in _CLICKED and not _within(widget) else found


def _stands_in_dialog(widget: QWidget | None) -> bool:
    """Whether it is a button beside the filled one of a dialog, which all share one height."""
    if widget is None:
        return False
    window = widget.window()
    return isinstance(window, QDialog) or window.windowType() == Qt.WindowType.Popup


def _within(widget: QWidget | None) -> bool:
    """Whether it is the line of a box, which adds its own frame to it."""
    return widget is not None and isinstance(widget.parent(), QAbstractSpinBox)
