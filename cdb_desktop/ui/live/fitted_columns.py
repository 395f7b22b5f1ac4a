"""Makes a feed's columns narrower where it stands beside others, so that who and what stay in sight.

Knows no event.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSettings, QTimer
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView

from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_table.columns import fit_widths, persist_columns

_KEY = "live/columns"
# What has to be in sight of each column; a longer text is cut, and whole in a tip.
_SIGN = 2 * GAP  # pixels in which a row's mark can be told
_LEAST = ("0,000,000", "00:00:00", "XX OBJECT_UPDATE", "Someone-Na", "objecttype 00")


class FittedColumns(QObject):
    """Columns are as wide as the user wants them where all have room; only such widths are remembered."""

    def __init__(self, table: QTableView, settings: QSettings) -> None:
        super().__init__(table)
        self._table, self._header = table, table.horizontalHeader()
        self._room = -1  # for which they were fitted last
        self._is_fitting = False
        self._is_narrow = False
        # Columns that fit take a scroll bar away, or the other way round: then there is another width.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fit)
        persist_columns(self._header, settings, _KEY, when=self._is_by_hand)
        self._wanted = [self._header.sectionSize(place) for place in range(self._header.count())]
        self._header.setMinimumSectionSize(_SIGN)
        self._give_last(self._least()[-1])
        self._header.sectionResized.connect(self._note)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The table has another width."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
            self._soon.start()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        room = self._table.viewport().width()
        if room == self._room or self._is_fitting:
            return
        self._room = room
        least = self._least()
        wanted = [max(pair) for pair in zip(self._wanted[:-1], least[:-1], strict=True)] + least[-1:]
        widths = fit_widths(room, wanted, least, _SIGN)
        was_narrow, self._is_narrow = self._is_narrow, widths != wanted
        if not self._is_narrow:
            if not was_narrow:
                return
            widths = self._wanted
        self._is_fitting = True
        for place, width in enumerate(widths[:-1]):
            self._header.resizeSection(place, width)
        self._give_last(min(widths[-1], least[-1]))
        self._is_fitting = False

    def _is_by_hand(self) -> bool:
        return not (self._is_fitting or self._is_narrow)

    def _note(self, place: int, _before: int, width: int) -> None:
        if self._is_by_hand():
            self._wanted[place] = width

    def _least(self) -> list[int]:
        metrics = QFontMetrics(self._table.font())
        return [metrics.horizontalAdvance(sample) + 2 * GAP for sample in _LEAST]

    def _give_last(self, width: int) -> None:
        # It takes the room that is left, but never less than it had before it began to.
        self._header.setStretchLastSection(False)
        self._header.resizeSection(self._header.count() - 1, width)
        self._header.setStretchLastSection(True)
