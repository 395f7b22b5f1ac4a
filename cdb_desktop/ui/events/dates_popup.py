"""The sheet in which a stretch of time is chosen: a preset, or from and to in the chosen zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QDateTime, QTimeZone
from PySide6.QtWidgets import QCheckBox, QDateTimeEdit, QGridLayout, QPushButton, QWidget

from cdb_desktop.events.query import Query
from cdb_desktop.events.span import Preset, Span
from cdb_desktop.ui.events.phrases import preset_name
from cdb_desktop.ui.events.popup import Popup
from cdb_desktop.ui.language.zone import zone_words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.vocabulary.times import chosen_zone, in_zone, midnight

_FORMAT = "yyyy-MM-dd HH:mm:ss"
_ROW = 2  # presets beside one another


class DatesPopup(Popup):
    """A preset is a whole answer and closes the sheet; the two bounds may each be open."""

    def __init__(
        self, appearance: Appearance, title: str, query: Query, now: datetime, parent: QWidget
    ) -> None:
        super().__init__(appearance, title, self.tr("Apply"), parent)
        self._query = query
        self._span: Span | None = None if query.span.preset is None else query.span
        first, last = query.span.bounds(now)
        self._first, self._has_first = self._bound(self.tr("From"), "from", first, midnight(now))
        self._last, self._has_last = self._bound(self.tr("To"), "to", last, midnight(now) + timedelta(1))
        presets = self._preset_buttons()
        self.add(presets)
        note = self.tr("Or between two moments, in %1, both included:")
        self.add_note(note.replace("%1", zone_words()))
        self.add(self._grid())
        reset = QPushButton(self.tr("Any time"), self)
        reset.clicked.connect(partial(self._take, Span()))
        since = QPushButton(self.tr("From &now on"), self)
        since.setObjectName("events.dates.from_now")
        since.clicked.connect(partial(self._take, Span(first=now.replace(microsecond=0))))
        self.add(since)
        self.finish(presets.findChildren(QPushButton)[0], reset)

    @property
    def query(self) -> Query:
        """The query with the chosen stretch of time."""
        return replace(self._query, span=self._between() if self._span is None else self._span)

    def _between(self) -> Span:
        first = _moment(self._first) if self._has_first.isChecked() else None
        last = _moment(self._last) if self._has_last.isChecked() else None
        if first and last and last < first:
            first, last = last, first
        return Span(first=first, last=last)

    def _take(self, span: Span) -> None:
        self._span = span
        self.close()

    def _use_bounds(self) -> None:
        self._span = None

    def _preset_buttons(self) -> QWidget:
        widget = QWidget(self)
        layout = QGridLayout(widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for place, preset in enumerate(Preset):
            button = QPushButton(preset_name(preset), widget)
            button.setCheckable(True)
            button.setObjectName(f"events.dates.{preset.value}")
            button.setChecked(self._query.span.preset is preset)
            button.clicked.connect(partial(self._take, Span(preset)))
            layout.addWidget(button, place // _ROW, place % _ROW)
        return widget

    def _bound(
        self, label: str, name: str, moment: datetime | None, otherwise: datetime
    ) -> tuple[QDateTimeEdit, QCheckBox]:
        edit = QDateTimeEdit(self)
        edit.setTimeZone(_zone())
        edit.setDateTime(QDateTime.fromSecsSinceEpoch(round((moment or otherwise).timestamp()), _zone()))
        edit.setDisplayFormat(_FORMAT)
        edit.setCalendarPopup(True)
        edit.setAccessibleName(label)
        edit.setObjectName(f"events.dates.{name}")
        box = QCheckBox(label, self)
        box.setChecked(moment is not None)
        box.clicked.connect(self._use_bounds)
        edit.dateTimeChanged.connect(self._use_bounds)
        edit.dateTimeChanged.connect(lambda: box.setChecked(True))
        return edit, box

    def _grid(self) -> QWidget:
        grid = QWidget(self)
        layout = QGridLayout(grid)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        bounds = ((self._has_first, self._first), (self._has_last, self._last))
        for row, (box, edit) in enumerate(bounds):
            layout.addWidget(box, row, 0)
            layout.addWidget(edit, row, 1)
        layout.setColumnStretch(1, 1)
        return grid


def _moment(edit: QDateTimeEdit) -> datetime:
    return in_zone(datetime.fromtimestamp(edit.dateTime().toSecsSinceEpoch(), UTC))


def _zone() -> QTimeZone:
    known = QTimeZone.Initialization
    return QTimeZone(known.UTC if chosen_zone() == "utc" else known.LocalTime)
