"""Highlights rows by texts that the user has chosen for the colors, remembered between starts."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_table.marks import TONES, Marks, load_marks, save_marks
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.popup import Popup

_WIDTH = 240


class HighlightPopup(Popup):
    """A line for each color, with the number that the rows show beside it."""

    def __init__(self, appearance: Appearance, texts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(appearance, tr("Highlight rows"), tr("Apply"), parent)
        self._lines: dict[str, QLineEdit] = {}
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        for number, tone in enumerate(TONES, 1):
            line = QLineEdit(texts.get(tone, ""), self, clearButtonEnabled=True)
            line.setMinimumWidth(_WIDTH)
            line.setObjectName(f"events.highlight.{tone}")
            line.setAccessibleName(tr("Text of mark {number}", number=str(number)))
            label = Label(f"▌{number}", self)
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(appearance.tokens, tone)))
            label.setPalette(palette)
            form.addRow(label, line)
            self._lines[tone] = line
        self.add(fields)
        self.add_note(tr("A row gets the first mark whose text occurs in one of its values."))
        reset = QPushButton(tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._clear)
        self.finish(self._lines[TONES[0]], reset)

    @property
    def texts(self) -> dict[str, str]:
        """The texts by tone."""
        return {tone: line.text() for tone, line in self._lines.items()}

    def _clear(self) -> None:
        for line in self._lines.values():
            line.clear()


class HighlightController(QObject):
    """Opens the popup and applies its texts.

    Signals: ``changed`` with the texts by tone.
    """

    changed = Signal(object)

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        view.model.show_marks(load_marks(view.settings))
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        view.actions_by_name["highlight"].triggered.connect(self.open)

    def open(self) -> None:
        """Opens the popup."""
        popup = HighlightPopup(self._view.appearance, self._view.model.marks.texts, self._view)
        popup.accepted.connect(lambda: self.apply(popup.texts))
        popup.open_below(self._view.views_button)

    def apply(self, texts: Mapping[str, str]) -> None:
        """Marks rows by these texts."""
        marks = Marks(texts)
        save_marks(self._view.settings, marks.texts)
        self._view.model.show_marks(marks)
        self.changed.emit(marks.texts)
