"""Makes the columns of a feed narrower where several feeds share the width."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSettings, QTimer
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView

from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_table.columns import fit_widths, persist_columns

_KEY = "live/columns"
_MARK_WIDTH = 2 * GAP  # in which a row's color mark is visible
# Texts that have to fit into the columns; longer ones are elided, and complete in the tooltip.
_SAMPLES = ("0,000,000", "00:00:00", "XX OBJECT_UPDATE", "Someone-Na", "objecttype 00", "What it is abo")


class ColumnWidths(QObject):
    """The columns have the widths chosen by the user if there is enough space; only these are stored."""

    def __init__(self, table: QTableView, settings: QSettings) -> None:
        super().__init__(table)
        self._table, self._header = table, table.horizontalHeader()
        self._fitted_to = -1  # the width of the viewport
        self._is_fitting = False
        self._is_narrow = False
        # Columns that fit may hide a scroll bar or show one, which changes the width again.
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._fit)
        persist_columns(self._header, settings, _KEY, when=self._is_resized_by_user)
        self._chosen = [self._header.sectionSize(column) for column in range(self._header.count())]
        self._header.setMinimumSectionSize(_MARK_WIDTH)
        self._resize(self._header.count() - 1, self._least_widths()[-1])
        self._header.sectionResized.connect(self._on_resized)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Fits the columns when the table is resized."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
            self._timer.start()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        width = self._table.viewport().width()
        if width == self._fitted_to or self._is_fitting:
            return
        self._fitted_to = width
        least = self._least_widths()
        # The summary has no room beside the other columns in a narrow feed.
        is_short = width < sum(least)
        if is_short:
            least = least[:-1]
        wanted = [max(pair) for pair in zip(self._chosen, least[:-1], strict=False)] + least[-1:]
        widths = fit_widths(width, wanted, least, _MARK_WIDTH)
        was_narrow, self._is_narrow = self._is_narrow, is_short or widths != wanted
        if not self._is_narrow:
            if not was_narrow:
                return
            widths = self._chosen
        self._is_fitting = True
        self._header.setSectionHidden(self._header.count() - 1, is_short)
        for column, new in enumerate(widths[:-1]):
            self._header.resizeSection(column, new)
        self._resize(len(widths) - 1, min(widths[-1], least[-1]))
        self._is_fitting = False

    def _is_resized_by_user(self) -> bool:
        return not (self._is_fitting or self._is_narrow)

    def _on_resized(self, column: int, _before: int, width: int) -> None:
        if self._is_resized_by_user():
            self._chosen[column] = width

    def _least_widths(self) -> list[int]:
        metrics = QFontMetrics(self._table.font())
        return [metrics.horizontalAdvance(sample) + 2 * GAP for sample in _SAMPLES]

    def _resize(self, last: int, width: int) -> None:
        """Resizes the last visible column."""
        # It stretches to the remaining width, but never below the width that it had before.
        self._header.setStretchLastSection(False)
        self._header.resizeSection(last, width)
        self._header.setStretchLastSection(True)
