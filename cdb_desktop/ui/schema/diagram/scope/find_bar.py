"""The bar above the diagram with the hits of the search."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, STRIP, TIGHT
from cdb_desktop.ui.theme.style_sheets import FLAT_BUTTONS
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named


class FindBar(QWidget):
    """Says how many hits there are and which one is shown; hidden without a search.

    Signals: ``show_requested`` for the tables of hits that are not shown · ``closed`` to end the search.
    """

    show_requested = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.hits")
        self._appearance = appearance
        self._count = named("schema.hits.count", Label(self))
        self._hit = named("schema.hits.hit", ElidedLabel(self))
        self._previous = named("schema.hits.previous", ActionButton(actions["find_previous"], self))
        self._next = named("schema.hits.next", ActionButton(actions["find_next"], self))
        self._hidden = named("schema.hits.show", QPushButton(self))
        self._close = named(
            "schema.hits.close", IconButton(icon("close", appearance), tr("End the search"), self)
        )
        self._hidden.setStyleSheet(FLAT_BUTTONS)
        self._hidden.clicked.connect(self.show_requested)
        self._close.clicked.connect(self.closed)
        self._hit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GROUP, 0, GAP, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._count)
        layout.addSpacing(GAP)
        layout.addWidget(self._hit, stretch=1)
        for widget in (self._hidden, self._previous, self._next, self._close):
            layout.addWidget(widget)
        self.setFixedHeight(STRIP + TIGHT)
        appearance.changed.connect(self.update)
        self._hidden.setToolTip(tr("Hits are in tables that the diagram does not show"))
        self.hide()

    @property
    def text(self) -> str:
        """All that it says."""
        texts = (self._count.text(), self._hit.text(), "" if self._hidden.isHidden() else self._hidden.text())
        return " · ".join(text for text in texts if text)

    def show_hits(self, number: int, count: int, hit: str, hidden: int) -> None:
        """Shows the hit ``number`` of ``count``, 0 for none; ``hidden`` tables with hits are not shown."""
        found = tr("{count:1 hit|{count} hits}", count=count) if count else tr("No hits")
        self._count.setText(tr("{number} of {hits}", number=number, hits=found) if number else found)
        self._hit.setText(hit)
        self._hidden.setText(tr("Show {count:1 hidden table|{count} hidden tables}", count=hidden))
        self._hidden.setVisible(hidden > 0)
        self.setAccessibleName(self.text)
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.raised))
            painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.line))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(tokens.handle))
            painter.setBrush(QColor(tokens.mark))
            painter.drawEllipse(QPointF(GAP, self.height() / 2), 3.5, 3.5)
