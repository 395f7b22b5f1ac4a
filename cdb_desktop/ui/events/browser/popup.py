"""A small sheet that opens below what it belongs to and takes what was chosen when it closes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QFont, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.input_handling import set_tab_order
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.popup import OutlinedFrame

_ALT = Qt.KeyboardModifier.AltModifier
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Popup(OutlinedFrame):
    """A sheet with a title, a content and a button; Escape leaves everything as it was.

    Signals: ``accepted`` when it closes otherwise: by the button, the Return key or a click beside it ·
    ``closed`` in either case, before that.
    """

    accepted = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, title: str, button: str, parent: QWidget) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self._given_up = False
        self._anchor = parent
        self._focus: QWidget | None = None
        self._parts: list[QWidget] = []
        self.apply = FilledButton(appearance, self)
        self.apply.setText(button)
        self.apply.setObjectName("events.popup.apply")
        self.apply.clicked.connect(self.close)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(GROUP, GAP + 4, GROUP, GROUP)
        self._layout.setSpacing(GAP)
        self._layout.addWidget(_head(title, self))

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        """Adds a part of the content below those that are there."""
        self._layout.addWidget(widget, stretch)
        self._parts.append(widget)

    def add_note(self, text: str) -> QLabel:
        """Adds a muted sentence."""
        note = caption(self)
        note.setWordWrap(True)
        note.setText(text)
        self._layout.addWidget(note)
        return note

    def finish(self, focus: QWidget, reset: QPushButton | None = None) -> None:
        """Adds the row of buttons; ``focus`` is where typing goes first."""
        self._focus = focus
        row = QHBoxLayout()
        if reset is not None:
            row.addWidget(reset)
        row.addStretch(1)
        row.addWidget(self.apply)
        self._layout.addSpacing(GAP)
        self._layout.addLayout(row)
        set_tab_order(*self._parts, *([] if reset is None else [reset]), self.apply)

    def holds(self) -> QWidget | None:
        """The part in which something has to be put right before the sheet closes with a choice."""
        return None

    def open_below(self, anchor: QWidget) -> None:
        """Shows the sheet below ``anchor``, on the screen as a whole."""
        below, room = anchor.mapToGlobal(QPoint(0, anchor.height() + 2)), anchor.screen().availableGeometry()
        window = anchor.window().frameGeometry()
        if window.width() > self.sizeHint().width() and window.intersects(room):
            # Nor does it hang out of the window at the right.
            room.setRight(min(room.right(), window.right()))
        self.fit(QPoint(below), room)
        self.show()
        # Only now all parts have their fonts and styles.
        self.fit(below, room)

    def fit(self, place: QPoint, room: QRect) -> None:
        """As large as its content takes, at ``place`` or as near to it as there is room."""
        # Qt's own adjustSize() gives a window two thirds of the screen at most, and cuts lists and notes.
        wanted = self.sizeHint()
        width = min(wanted.width(), room.width())
        height = max(wanted.height(), self._layout.totalHeightForWidth(width))
        self.resize(width, min(height, room.height()))
        place.setX(max(room.left(), min(place.x(), room.right() - self.width())))
        place.setY(max(room.top(), min(place.y(), room.bottom() - self.height())))
        self.move(place)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Typing goes where it is meant to go."""
        super().showEvent(event)
        if self._focus is not None:
            self._focus.setFocus(Qt.FocusReason.PopupFocusReason)

    def event(self, event: QEvent) -> bool:
        """Keys mean what they mean on the sheet: not what the page below does with them."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
            return super().event(event)
        # Alt with a letter leads to a button of the sheet.
        event.setAccepted(event.modifiers() != _ALT or not event.text().isalnum())
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape gives up, Return takes."""
        if event.key() == Qt.Key.Key_Escape:
            self._given_up = True
            self.close()
        elif event.key() in _RETURN:
            chosen = self.focusWidget()
            if isinstance(chosen, QPushButton):
                chosen.click()
            else:
                self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Tells that what was chosen counts; what cannot count keeps the sheet open, and nothing is lost."""
        held = None if self._given_up else self.holds()
        if held is not None:
            event.ignore()
            held.setFocus()
            return
        super().closeEvent(event)
        self.closed.emit()
        if not self._given_up:
            self._given_up = True
            self.accepted.emit()


def _head(title: str, parent: QWidget) -> QLabel:
    label = Label(title, parent)
    font = QFont(label.font())
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    return label
