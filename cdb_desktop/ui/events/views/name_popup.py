"""The sheet that asks for the name of a view."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from cdb_desktop.events.saved_views import LONGEST_NAME, one_line
from cdb_desktop.ui.events.browser.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance

_WIDTH = 260


class NamePopup(Popup):
    """A line to type in; a name that is taken is told to be replaced."""

    def __init__(
        self, appearance: Appearance, taken: Sequence[str], parent: QWidget, *, searches: bool = False
    ) -> None:
        """``searches``: a search is kept with the view."""
        super().__init__(appearance, self.tr("Save this view"), self.tr("Save"), parent)
        self._taken = frozenset(taken)
        self.line = QLineEdit(self, placeholderText=self.tr("Name"))
        self.line.setObjectName("events.views.name")
        self.line.setAccessibleName(self.tr("Name"))
        self.line.setMinimumWidth(_WIDTH)
        self.line.setMaxLength(LONGEST_NAME)
        self.line.setCompleter(QCompleter(list(taken), self))
        self.line.textChanged.connect(self._check)
        self.add(self.line)
        self._kept = self.tr("Filters, order and columns are kept.")
        if searches:
            self._kept = self.tr("Filters, order, columns and the search are kept.")
        self._note = self.add_note(self._kept)
        self.finish(self.line)

    @property
    def name(self) -> str:
        """What was typed, empty for nothing."""
        return one_line(self.line.text())

    def _check(self) -> None:
        replaced = self.tr("Replaces the view of this name.")
        self._note.setText(replaced if self.name in self._taken else self._kept)
