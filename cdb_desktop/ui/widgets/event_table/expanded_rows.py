"""Rows that show the whole summary and the info of their event below their line, and notes between rows.

Qt has a height for each row anyway: changing one costs some milliseconds with a million rows, and painting
nothing. Heights are set for visible rows only, as rows come and go with pages and results.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, Protocol

import msgspec
from PySide6.QtCore import QEvent, QObject, QPersistentModelIndex, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QTableView

from cdb_desktop.client import ClientError, Event
from cdb_desktop.foundation.i18n import size_text, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP, TIGHT
from cdb_desktop.ui.widgets.event_table.model import EventModel
from cdb_desktop.vocabulary.event_json import masked, wire_record
from cdb_desktop.vocabulary.event_summary import event_summary

_MOST_LINES = 12  # of values
_MOST_OF_SUMMARY = 3  # lines
_MOST_OF_LINE = 2_000  # characters of a value that are wrapped
_LARGE = 100_000  # bytes of info; decoding more is noticeable
_EMPTY = (b"{}", b"[]", b"null", b'""')
_LONGEST_EMPTY = 8  # bytes
_MOST_OPEN = 200  # events; the first of more is closed
_ANYWHERE = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_encode = msgspec.json.Encoder().encode


class _Details(msgspec.Struct, frozen=True):
    """The wrapped lines below a row: those of the summary, and those of the values."""

    event: Event
    width: int
    summary: tuple[str, ...]
    values: tuple[str, ...]


class ExpandedRows(QObject):
    """The expanded rows of one table, remembered by the ids of their events.

    Signals: ``changed`` when a row was expanded or collapsed.
    """

    changed = Signal()

    def __init__(
        self, table: QTableView, model: EventModel, appearance: Appearance, left: Callable[[], int]
    ) -> None:
        """``left`` returns the x coordinate from which details are visible."""
        super().__init__(table)
        self._left = left
        self._table, self._model, self._appearance = table, model, appearance
        self._details: dict[int, _Details | None] = {}  # of the open events, None until they are visible
        self._tall: list[QPersistentModelIndex] = []
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.settle)
        for changed in (model.dataChanged, model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._settle_soon)
        model.modelAboutToBeReset.connect(self._shrink_all)
        table.verticalScrollBar().valueChanged.connect(lambda _value: self.settle())  # before painting
        table.viewport().installEventFilter(self)
        appearance.changed.connect(self._forget_details)

    @property
    def is_any(self) -> bool:
        """Whether rows have different heights."""
        return bool(self._details or self._tall or self._model.has_notes)

    def is_open(self, event: Event) -> bool:
        """Whether the row of this event is expanded."""
        return event.id in self._details

    def toggle(self, row: int) -> None:
        """Expands a row or collapses it; rows without an event stay as they are."""
        event = self._event(row) if row >= 0 else None
        if event is None:
            return
        self.toggle_event(event)
        if self.is_open(event) and self._table.currentIndex().row() == row:
            self._table.scrollTo(self._table.currentIndex())

    def toggle_event(self, event: Event) -> None:
        """Expands the row of an event, or collapses it."""
        if event.id in self._details:
            del self._details[event.id]
        else:
            if len(self._details) >= _MOST_OPEN:
                del self._details[next(iter(self._details))]
            self._details[event.id] = None
        self.settle()
        self.changed.emit()

    def settle(self) -> None:
        """Gives the visible rows their heights."""
        if not self.is_any:
            return
        table, usual = self._table, self._appearance.row
        row, is_changed = max(0, table.rowAt(0)), False
        bottom = table.viewport().height()
        while row < self._model.rowCount() and table.rowViewportPosition(row) < bottom:
            wanted = usual + self._height(self._event(row))
            if self._model.note_below(row):
                wanted += usual
            if wanted != table.rowHeight(row):
                table.verticalHeader().resizeSection(row, wanted)
                is_changed = True
                if wanted != usual:
                    self._tall.append(QPersistentModelIndex(self._model.index(row, 0)))
            row += 1
        if is_changed:
            self._tall = [one for one in self._tall if self._is_tall(one)]
            table.viewport().update()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Wraps the lines again when the width changes."""
        if event.type() == QEvent.Type.Resize and self.is_any:
            self._settle_soon()
        return False

    def paint(self, painter: QPainter, rect: QRect, event: Event) -> None:
        """Paints the details of an event into ``rect``, which is below its line."""
        details = self._find(event)
        if details is None:
            return
        tokens = self._appearance.tokens
        text_font, metrics = painter.font(), QFontMetrics(self._table.font())
        top, left = rect.top(), rect.left() + GROUP
        for font, lines, color_name in (
            (text_font, details.summary, tokens.text),
            (self._font, details.values, tokens.muted),
        ):
            painter.setFont(font)
            painter.setPen(QColor(color_name))
            height = _line_height(metrics, font)
            for line in lines:
                painter.drawText(QRect(left, top, rect.right() - left, height), _LEFT, line)
                top += height
        painter.setFont(text_font)

    def paint_note(self, painter: QPainter, rect: QRect, row: int) -> int:
        """Paints the note below a row at the bottom of ``rect``. Returns its height in pixels, 0 for none."""
        text = self._model.note_below(row)
        if not text:
            return 0
        tokens, height = self._appearance.tokens, self._appearance.row
        place = QRect(rect.left(), rect.bottom() + 1 - height, rect.width(), height)
        painter.fillRect(place, QColor(tokens.raised))
        painter.setFont(self._table.font())
        painter.setPen(QColor(tokens.muted))
        painter.drawText(place.adjusted(GROUP, 0, -GROUP, 0), _LEFT, text)
        return height

    def _event(self, row: int) -> Event | None:
        """The event as it is painted."""
        found = self._model.record_at(row)
        return found if isinstance(found, Event) else None

    def _settle_soon(self) -> None:
        # Not connected directly: start() would take the argument of a signal as its interval.
        if self.is_any:
            self._soon.start()

    def _forget_details(self) -> None:
        self._details = dict.fromkeys(self._details)
        self._settle_soon()

    def _shrink_all(self) -> None:
        """Rows have their usual height before other events are in them."""
        usual, header = self._appearance.row, self._table.verticalHeader()
        for index in self._tall:
            if index.isValid():
                header.resizeSection(index.row(), usual)
        self._tall = []

    def _is_tall(self, index: QPersistentModelIndex) -> bool:
        return index.isValid() and self._table.rowHeight(index.row()) != self._appearance.row

    def _height(self, event: Event | None) -> int:
        details = None if event is None else self._find(event)
        if details is None:
            return 0
        metrics = QFontMetrics(self._table.font())
        summary = len(details.summary) * _line_height(metrics, self._table.font())
        return summary + len(details.values) * _line_height(metrics, self._font) + TIGHT

    @property
    def _width(self) -> int:
        return max(4 * GROUP, self._table.viewport().width() - self._left() - 2 * GROUP)

    def _find(self, event: Event) -> _Details | None:
        """The details of an open event, None for others."""
        if event.id not in self._details:
            return None
        found = self._details[event.id]
        if found is None or found.event is not event or found.width != self._width:
            found = self._details[event.id] = self._wrapped(event)
        return found

    def _wrapped(self, event: Event) -> _Details:
        width = self._width
        summary = _cut(_wrap(event_summary(event), self._table.font(), width), _MOST_OF_SUMMARY)
        lines = (line for text in value_lines(event) for line in _wrap(text, self._font, width))
        return _Details(event, width, summary, _cut(lines, _MOST_LINES))


def has_details(event: Event) -> bool:
    """Whether expanding the row of an event shows more than its fields; unknown for a short record."""
    return event.info is None or bytes(memoryview(event.info)[:_LONGEST_EMPTY]).strip() not in _EMPTY


def value_lines(event: Event) -> Iterator[str]:
    """A line of JSON for each key of info, or of the other fields while there is no info; secrets masked."""
    if event.info is None:
        yield from _members(wire_record(event)["event"])
    elif memoryview(event.info).nbytes > _LARGE:
        size = size_text(memoryview(event.info).nbytes)
        yield tr("Info of {size}: see the inspector (Return).", size=size)
    else:
        try:
            value = masked(event.info_value)
        except RecursionError:
            yield tr("Info is nested too deeply: see the inspector (Return).")
            return
        if value in (None, {}, []):
            yield tr("This event has no info.")
        elif isinstance(value, Mapping):
            yield from _members(value)
        elif isinstance(value, list):
            yield from (_json(one) for one in value)
        else:
            yield _json(value)


def _members(value: Mapping[str, object]) -> Iterator[str]:
    return (f"{_json(key)}: {_json(one)}" for key, one in value.items())


def _json(value: object) -> str:
    text = _encode(value).decode()
    return text if len(text) <= _MOST_OF_LINE else f"{text[:_MOST_OF_LINE]}…"


def _wrap(text: str, font: QFont, width: int) -> Iterator[str]:
    """``text`` in lines of at most ``width`` pixels."""
    layout = QTextLayout(text, font)
    wrap = QTextOption()
    wrap.setWrapMode(_ANYWHERE)
    layout.setTextOption(wrap)
    layout.beginLayout()
    ends: list[int] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        ends.append(line.textStart() + line.textLength())
    layout.endLayout()
    first = 0
    for end in ends:
        yield text[first:end].rstrip()
        first = end


def _cut(lines: Iterable[str], most: int) -> tuple[str, ...]:
    """At most so many lines, with an ellipsis in place of the others."""
    kept: list[str] = []
    for line in lines:
        if len(kept) == most:
            return (*kept[:-1], f"{kept[-1]} …")
        kept.append(line)
    return tuple(kept)


def _line_height(metrics: QFontMetrics, font: QFont) -> int:
    return max(metrics.lineSpacing(), QFontMetrics(font).lineSpacing())


def paint_arrow(painter: QPainter, rect: QRect, color: QColor, *, is_open: bool) -> None:
    """Paints the arrow that expands a row, or the one that collapses it, at the left of ``rect``."""
    half = TIGHT
    x, y = rect.left() + TIGHT, rect.center().y() + 1
    tip = [(-half, -half // 2), (0, half // 2), (half, -half // 2)]
    points = tip if is_open else [(down, across) for across, down in tip]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = painter.pen()
    pen.setColor(color)
    pen.setWidthF(1.4)
    painter.setPen(pen)
    painter.drawPolyline([QPointF(x + dx + 0.5, y + dy) for dx, dy in points])
    painter.restore()


_SOON = 20  # milliseconds, in which pages, scrolling and new columns are collected
_log = logging.getLogger(__name__)

Rows = Mapping[int, Event]  # short records by their row, or by another number of the subclass


class _Tasks(Protocol):
    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None: ...

    def is_running(self, name: str) -> bool: ...

    def cancel(self, name: str) -> None: ...


class RowDetails(QObject):
    """Fetches what rows lack, soon after ``check``; each at most once until ``forget`` if it has no details.

    Rows without their details stay as they are: a failure is logged. Subclasses know the rows and the calls.
    """

    def __init__(self, parent: QObject, tasks: _Tasks, name: str, pause: float = 0.0) -> None:
        """``name`` is that of the task. There are ``pause`` seconds between the beginnings of two calls."""
        super().__init__(parent)
        self._tasks, self._name, self._pause = tasks, name, pause
        self._next = 0.0  # when the next call may begin
        self._tried: set[int] = set()  # ids
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self._fetch_lacking)

    def lacking_rows(self) -> Rows:
        """The visible short records, and those that will soon be visible."""
        raise NotImplementedError

    async def whole_events(self, rows: Rows) -> Iterable[Event]:
        """Fetches the whole records of rows. Raises ClientError."""
        raise NotImplementedError

    def show_details(self, events: Iterable[Event], rows: Rows) -> None:
        """Shows whole records in place of rows."""
        raise NotImplementedError

    def check(self) -> None:
        """Fetches what is lacking when the rows have not changed for a moment."""
        wait = round(1000 * (self._next - time.monotonic()))
        self._soon.start(max(_SOON, wait))

    def stop(self) -> None:
        """Ends a call that is running."""
        self._soon.stop()
        self._tasks.cancel(self._name)

    def forget(self) -> None:
        """Tries again rows that have no details."""
        self._tried = set()

    def is_lacking(self, event: Event) -> bool:
        """Whether an event is a short record whose details were not looked for in vain."""
        return event.info is None and event.id not in self._tried

    def _fetch_lacking(self) -> None:
        if self._tasks.is_running(self._name):
            return
        rows = {row: event for row, event in self.lacking_rows().items() if self.is_lacking(event)}
        if rows:
            self._next = time.monotonic() + self._pause
            self._tasks.start(self._name, self._fetch(rows))

    async def _fetch(self, rows: Rows) -> None:
        ids = {event.id for event in rows.values()}
        self._tried |= ids
        try:
            found = list(await self.whole_events(rows))
        except asyncio.CancelledError:
            self._tried -= ids
            raise
        except ClientError as error:
            _log.info("details of rows were not fetched: %s", error)
            return
        self._tried.difference_update(event.id for event in found if event.info is not None)
        self.show_details(found, rows)
