"""Highlights rows that match queries which the user has chosen for the colors, remembered between starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFormLayout, QPushButton, QWidget

from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.queries.completion import Completion, completions
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import TypedQueryError, typed_text, with_event_terms
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_table.marks import TONES, Marks, load_marks, save_marks
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.ui.widgets.query_texts import fault_text, polled_note
from cdb_desktop.vocabulary.query_text import parse_query

_WIDTH = 380


class HighlightPopup(Popup):
    """A query line for each color, with the number that the rows show beside it."""

    def __init__(
        self, appearance: Appearance, queries: Mapping[str, Query], seen: KnownValues, parent: QWidget
    ) -> None:
        """``seen`` contains what can be completed, and the names of users."""
        super().__init__(appearance, tr("Highlight rows"), tr("Apply"), parent)
        self.setObjectName("events.highlights")
        self._seen = seen
        self._queries = dict(queries)
        self._lines: dict[str, QueryLine] = {}
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        for number, tone in enumerate(TONES, 1):
            line = QueryLine(
                appearance, self._completions, self, name=f"events.highlight.{tone}", has_dates=False
            )
            line.setText(typed_text(queries.get(tone, Query())))
            line.setCursorPosition(0)
            line.setMinimumWidth(_WIDTH)
            line.setAccessibleName(tr("Query of mark {number}", number=str(number)))
            if number > 1:
                line.setPlaceholderText("")
            line.entered.connect(self._confirm_later)
            line.left.connect(self.cancel)
            label = Label(f"▌{number}", self)
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(appearance.tokens, tone)))
            label.setPalette(palette)
            form.addRow(label, line)
            self._lines[tone] = line
        self.add(fields)
        self.add_note(tr("A row gets the first mark whose query it matches, here and in the live feeds."))
        self.add_note(polled_note())
        reset = QPushButton(tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._clear)
        self.finish(self._lines[TONES[0]], reset)

    @property
    def queries(self) -> dict[str, Query]:
        """The queries by tone, as they were when the popup was applied."""
        return self._queries

    def holds(self) -> QWidget | None:
        """The first line that has no meaning, which then says why."""
        for tone, line in self._lines.items():
            terms = parse_query(line.text(), datetime.now(UTC), set(self._seen.object_types))
            try:
                self._queries[tone] = with_event_terms(Query(), terms, self._seen)
            except TypedQueryError as error:
                line.show_error(fault_text(error), error.term.first, error.term.last)
                return line
        return None

    def _completions(self, text: str, cursor: int) -> Sequence[Completion]:
        return completions(
            text, cursor, self._seen, self._seen.events_of_types, language(), of_new_events=True
        )

    def _confirm_later(self) -> None:
        # While completions are open, the completer does not pass Return on to this popup.
        QTimer.singleShot(0, self, self._confirm_if_open)

    def _confirm_if_open(self) -> None:
        if self.isVisible():
            self.confirm()

    def _clear(self) -> None:
        for line in self._lines.values():
            line.clear()


class HighlightController(QObject):
    """Opens the popup and applies its queries.

    Signals: ``changed`` with the queries by tone.
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
        view = self._view
        popup = HighlightPopup(view.appearance, view.model.marks.queries, view.seen, view)
        popup.accepted.connect(lambda: self.apply(popup.queries))
        popup.open_below(view.views_button)

    def apply(self, queries: Mapping[str, Query]) -> None:
        """Marks rows by these queries."""
        marks = Marks(queries)
        save_marks(self._view.settings, marks.queries)
        self._view.model.show_marks(marks)
        self.changed.emit(marks.queries)
