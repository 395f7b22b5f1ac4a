"""Popups: a frame, a form with a button that applies it, and one that asks for a name."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.saved_views import MAX_NAME_LENGTH, single_line
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, demi_bold
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.help import help_on_f1
from cdb_desktop.ui.widgets.input_handling import set_tab_order
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import lay_out


class PopupFrame(QFrame):
    """The frame of a popup; the style's own outline cannot be seen in dark themes."""

    def __init__(self, appearance: Appearance, parent: QWidget, kind: Qt.WindowType) -> None:
        super().__init__(parent, kind)
        self._look = appearance
        help_on_f1(self)

    def move_to(self, button: QWidget) -> None:
        """Moves the popup below the right end of a button, or above it if there is not enough space."""
        screen = button.screen().availableGeometry()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height()))
        if corner.y() + self.height() > screen.bottom():
            corner.setY(button.mapToGlobal(QPoint(0, 0)).y() - self.height())
        self.move(max(screen.left(), corner.x()), max(screen.top(), corner.y()))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.setPen(QColor(self._look.tokens.handle))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


_ALT = Qt.KeyboardModifier.AltModifier
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Popup(PopupFrame):
    """A popup with a title, content and a button.

    The button and Return apply it, Escape and help cancel it. A click outside cancels it too, unless
    ``applies_outside``: a filter is seen and easily removed, what is stored or sent is not.

    Signals: ``accepted`` when it is applied · ``closed`` in either case, before that.
    """

    applies_outside = False

    accepted = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, name: str, title: str, button: str, parent: QWidget) -> None:
        """``name`` is the object name."""
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self.is_applied = self.applies_outside  # when it closes
        self._anchor = parent
        self._focus: QWidget | None = None
        self._parts: list[QWidget] = []
        self.apply = FilledButton(appearance, self)
        self.apply.setText(button)
        self.apply.setObjectName("events.popup.apply")
        self.apply.clicked.connect(self.confirm)
        self._layout = lay_out(
            QVBoxLayout(self), _head(title, self), margins=(GROUP, GAP + 4, GROUP, GROUP), spacing=GAP
        )

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        """Appends a part of the content."""
        self._layout.addWidget(widget, stretch)
        self._parts.append(widget)

    def add_note(self, text: str) -> QLabel:
        """Appends a muted sentence."""
        note = caption(self)
        note.setWordWrap(True)
        note.setText(text)
        self._layout.addWidget(note)
        return note

    def finish(self, focus: QWidget, reset: QPushButton | None = None) -> None:
        """Adds the row of buttons; ``focus`` gets the focus when the popup is shown."""
        self._focus = focus
        row = QHBoxLayout()
        if reset is not None:
            row.addWidget(reset)
        row.addStretch(1)
        row.addWidget(self.apply)
        self._layout.addSpacing(GAP)
        self._layout.addLayout(row)
        set_tab_order(*self._parts, *([] if reset is None else [reset]), self.apply)

    def confirm(self) -> None:
        """Applies the popup and closes it, unless the input is invalid."""
        self.is_applied = True
        if not self.close():
            self.is_applied = self.applies_outside

    def cancel(self) -> None:
        """Closes the popup without applying it."""
        self.is_applied = False
        self.close()

    def holds(self) -> QWidget | None:
        """The part with invalid input, which keeps the popup open; None if it can be applied."""
        return None

    def open_below(self, anchor: QWidget) -> None:
        """Shows the popup below ``anchor``, completely on the screen."""
        below, room = anchor.mapToGlobal(QPoint(0, anchor.height() + 2)), anchor.screen().availableGeometry()
        window = anchor.window().frameGeometry()
        if window.width() > self.sizeHint().width() and window.intersects(room):
            # The right edge of the window is a limit too.
            room.setRight(min(room.right(), window.right()))
        self.fit(QPoint(below), room)
        self.show()
        # Now all parts have their fonts and styles.
        self.fit(below, room)

    def fit(self, place: QPoint, room: QRect) -> None:
        """Takes the size of its content, at ``place`` or as near to it as it fits into ``room``."""
        # adjustSize() would limit it to two thirds of the screen.
        wanted = self.sizeHint()
        width = min(wanted.width(), room.width())
        height = max(wanted.height(), self._layout.totalHeightForWidth(width))
        self.resize(width, min(height, room.height()))
        place.setX(max(room.left(), min(place.x(), room.right() - self.width())))
        place.setY(max(room.top(), min(place.y(), room.bottom() - self.height())))
        self.move(place)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._focus is not None:
            self._focus.setFocus(Qt.FocusReason.PopupFocusReason)

    def event(self, event: QEvent) -> bool:
        """Keeps keys from the shortcuts of the page below."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
            return super().event(event)
        # Alt with a letter is a mnemonic of the popup, and F1 opens help.
        is_mnemonic = event.modifiers() == _ALT and event.text().isalnum()
        event.setAccepted(not is_mnemonic and event.key() != Qt.Key.Key_F1)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape cancels, Return applies."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        elif event.key() in _RETURN:
            chosen = self.focusWidget()
            if isinstance(chosen, QPushButton):
                chosen.click()
            else:
                self.confirm()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Emits the signals; invalid input keeps the popup open."""
        held = self.holds() if self.is_applied else None
        if held is not None:
            event.ignore()
            held.setFocus()
            return
        super().closeEvent(event)
        self.closed.emit()
        if self.is_applied:
            self.is_applied = False
            self.accepted.emit()


def _head(title: str, parent: QWidget) -> QLabel:
    label = Label(title, parent)
    label.setFont(demi_bold(label.font()))
    return label


_NAME_WIDTH = 260


class NamePopup(Popup):
    """Asks for the name of a view; shows if a view of that name will be replaced."""

    def __init__(
        self,
        appearance: Appearance,
        title: str,
        taken: Collection[str],
        kept: str,
        parent: QWidget,
        take: Callable[[str], None],
    ) -> None:
        """``kept`` says what a view keeps; ``take`` is called with the name unless it is empty."""
        super().__init__(appearance, "views.save", title, tr("Save"), parent)
        self._taken, self._kept = frozenset(taken), kept
        self.line = QLineEdit(self, placeholderText=tr("Name"))
        self.line.setAccessibleName(tr("Name"))
        self.line.setMinimumWidth(_NAME_WIDTH)
        self.line.setMaxLength(MAX_NAME_LENGTH)
        self.line.textChanged.connect(self._check)
        self.add(self.line)
        self._note = self.add_note(kept)
        self.finish(self.line)
        self._take = take
        self.accepted.connect(self._finish)

    @property
    def name(self) -> str:
        """The typed name."""
        return single_line(self.line.text())

    def _finish(self) -> None:
        if self.name:
            self._take(self.name)

    def _check(self) -> None:
        replaced = tr("Replaces the view of this name.")
        self._note.setText(replaced if self.name in self._taken else self._kept)
