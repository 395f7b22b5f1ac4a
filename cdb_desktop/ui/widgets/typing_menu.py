"""A menu whose entries are gone to by typing the beginning of their words; knows not what they do."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

_PAUSE = 1500  # milliseconds after which typing begins anew


class TypingMenu(QMenu):
    """Return takes the entry that was gone to; a letter that is typed again goes to the next one.

    Signals: ``else_typed`` with what begins no entry.
    """

    else_typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._typed = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._begin_anew)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Letters and figures are typed, and blanks between them; all else means what it means in menus."""
        letter = event.text()
        if not (letter.isalnum() or (letter == " " and self._typed)):
            super().keyPressEvent(event)
            return
        self._pause.start()
        again = self._typed == letter
        self._typed = letter if again else self._typed + letter
        found = self._next(after=self.activeAction() if again else None)
        if found is not None:
            self.setActiveAction(found)
        else:
            self.else_typed.emit(self._typed)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """What was typed counts only as long as the menu is seen."""
        super().hideEvent(event)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._typed = ""

    def _next(self, after: QAction | None) -> QAction | None:
        """The first entry that begins so, else the first in which a word does; ``after`` one, around."""
        entries = [one for one in self.actions() if one.isEnabled() and not one.isSeparator()]
        if after in entries:
            place = entries.index(after) + 1
            entries = entries[place:] + entries[:place]
        typed = self._typed.casefold()
        texts = [(one, one.text().replace("&", "").casefold()) for one in entries]
        begins = [one for one, text in texts if text.startswith(typed)]
        within = [one for one, text in texts if any(word.startswith(typed) for word in text.split())]
        found = within if after is not None else begins or within
        return found[0] if found else None
