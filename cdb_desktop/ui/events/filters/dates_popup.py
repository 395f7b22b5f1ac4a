"""The popup for the time span: relative to now, or between two times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.popups.moment_field import MomentField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_texts import preset_name
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan, span_around
from cdb_desktop.vocabulary.times import zone_name

_ROW = 2  # buttons beside one another
_MINUTES = (1, 5)


class DatesPopup(Popup):
    """Buttons for common time spans close the popup; each of the two times may be empty.

    The popup stays open while the times are invalid, and shows why.
    """

    def __init__(
        self,
        appearance: Appearance,
        title: str,
        query: Query,
        now: datetime,
        event: Event | None,
        parent: QWidget,
    ) -> None:
        """``event`` is the current event, None for none."""
        super().__init__(appearance, title, tr("Apply"), parent)
        self._appearance = appearance
        self._query, self._now = query, now
        first, last = tr("The beginning"), tr("No end")
        self._first = MomentField(appearance, "events.dates.from", first, self, may_move=True)
        self._last = MomentField(appearance, "events.dates.to", last, self, day_ends=True, may_move=True)
        agos = query.span.first_ago, query.span.last_ago
        for field, bound, ago in zip((self._first, self._last), query.span.bounds(now), agos, strict=True):
            field.show_moment(bound, ago)
            field.changed.connect(self._use_bounds)
        self._span: TimeSpan | None = query.span
        presets = self._buttons(self._presets())
        self.add(presets)
        if event is not None and event.timestamp is not None:
            text = tr("Around event {id}:", id=event.id)
            self.add_note(text)
            self.add(self._buttons(self._around(event.timestamp)))
        self.add_note(tr("Or between two times ({zone_name}), inclusive:", zone_name=zone_name()))
        self.add(self._bounds())
        reset = QPushButton(tr("Any time"), self)
        reset.setObjectName("events.dates.any")
        reset.clicked.connect(partial(self._take, TimeSpan()))
        self.finish(presets.findChildren(QPushButton)[0], reset)

    @property
    def query(self) -> Query:
        """The query with the chosen time span."""
        return replace(self._query, span=self._typed() if self._span is None else self._span)

    def _typed(self) -> TimeSpan:
        (first, first_ago), (last, last_ago) = (
            (field.moment if field.ago is None else None, field.ago) for field in (self._first, self._last)
        )
        return TimeSpan(first=first, last=last, first_ago=first_ago, last_ago=last_ago)

    def holds(self) -> QWidget | None:
        """The field that has to be corrected."""
        if self._span is not None:
            return None
        wrong = (field for field in (self._first, self._last) if field.fault is not None)
        return next(wrong, self._last if self._is_reversed() else None)

    def _is_reversed(self) -> bool:
        first, last = self._first.moment, self._last.moment
        return first is not None and last is not None and last < first

    def _take(self, span: TimeSpan) -> None:
        self._span = span
        self.close()

    def _use_bounds(self) -> None:
        self._span = None
        for button in self.findChildren(QPushButton):
            button.setChecked(False)
        if self._last.fault is None:
            self._last.show_meaning()
        if self._is_reversed():
            self._last.show_message(tr("“To” is before “From”."), "danger")

    def _presets(self) -> Iterator[tuple[str, str, TimeSpan]]:
        for preset in TimePreset:
            yield preset.value, preset_name(preset), TimeSpan(preset)
        yield "from_now", tr("from &now on"), TimeSpan(first=self._now.replace(microsecond=0))

    def _around(self, moment: datetime) -> Iterator[tuple[str, str, TimeSpan]]:
        for minutes, text in zip(_MINUTES, (tr("±1 minute"), tr("±5 minutes")), strict=True):
            yield f"around_{minutes}", text, span_around(moment, minutes)

    def _buttons(self, choices: Iterator[tuple[str, str, TimeSpan]]) -> QWidget:
        widget = QWidget(self)
        layout = QGridLayout(widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for place, (name, text, span) in enumerate(choices):
            button = QPushButton(text, widget)
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.setObjectName(f"events.dates.{name}")
            button.toggled.connect(partial(self._mark, button))
            button.setChecked(self._query.span == span)
            button.clicked.connect(partial(self._take, span))
            layout.addWidget(button, place // _ROW, place % _ROW)
        return widget

    def _mark(self, button: QPushButton, chosen: bool) -> None:
        # The pressed state is not visible in the dark theme.
        button.setIcon(icon("check", self._appearance) if chosen else QIcon())

    def _bounds(self) -> QWidget:
        grid = QWidget(self)
        layout = QGridLayout(grid)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GAP)
        layout.setVerticalSpacing(TIGHT)
        bounds = ((tr("From"), self._first), (tr("To"), self._last))
        for row, (text, field) in enumerate(bounds):
            label = Label(text, grid)
            label.setFixedHeight(field.line.sizeHint().height())
            label.setBuddy(field.line)
            field.line.setAccessibleName(text)
            layout.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(field, row, 1)
        layout.setColumnStretch(1, 1)
        return grid
