"""The histogram of events over time, colored by family; a range selected in it filters by date."""

from datetime import datetime

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolTip, QWidget

from cdb_desktop.events.overview import Comparison, Overview
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, ICON, TIGHT, scaled, tabular
from cdb_desktop.ui.widgets.family_shapes import family_color
from cdb_desktop.vocabulary.event_types import EventFamily
from cdb_desktop.vocabulary.time_axis import time_ticks
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from cdb_desktop.vocabulary.times import day_and_time

_HEIGHT, _LOW_HEIGHT = 84, 62
_FADED = 0.3
_LEAST = 2  # pixels of the height of a bar that is not empty
_WIDEST = 64  # pixels of the width of a bar
_TICK = "00:00:00"  # about as wide as the label of a tick
_MOVES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_ACCEPT = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space})
MINUS = "\N{MINUS SIGN}"
_SIGNS = dict(zip(EventFamily, "○●◆△□▽·", strict=True))


class Histogram(QWidget):
    """One bar for each bucket of time above a time axis, and a line for the period before.

    A caption above the bars says what is selected, or how the number of events compares.

    Signals: ``span_chosen`` with a Span when a range with events has been selected · ``families_requested``
    to count the families of the events.
    """

    span_chosen = Signal(object)
    families_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.histogram")
        self._appearance = appearance
        self.overview = Overview()  # what is shown
        self._note = ""
        self._faded = self._is_low = False
        self._anchor: int | None = None
        self._cursor: int | None = None
        self._is_dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(tabular(scaled(self.font(), CAPTION)))
        self._families = QPushButton(self, flat=True)
        self._families.setObjectName("events.histogram.families")
        self._families.setFont(self.font())
        self._families.setCursor(Qt.CursorShape.PointingHandCursor)
        self._families.clicked.connect(self._request_families)
        self._families.setText(tr("Color by type"))
        self._families.setToolTip(tr("Counts the events of each bar by type, which takes many requests"))
        self._place_button()
        appearance.changed.connect(self._place_button)
        appearance.changed.connect(self.update)

    @property
    def selection(self) -> tuple[int, int] | None:
        """The first and the last selected bucket, None if none is selected."""
        if self._cursor is None:
            return None
        anchor = self._cursor if self._anchor is None else self._anchor
        return min(anchor, self._cursor), max(anchor, self._cursor)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(400, _LOW_HEIGHT if self._is_low else _HEIGHT)

    def make_low(self, *, is_low: bool) -> None:
        """Leaves more room for the rows in a low window."""
        if is_low is not self._is_low:
            self._is_low = is_low
            self.updateGeometry()

    def show_overview(self, overview: Overview, note: str = "") -> None:
        """Shows counts, or ``note`` if they are missing."""
        if overview.buckets != self.overview.buckets:
            self._anchor = self._cursor = None
        self.overview, self._note, self._faded = overview, note, False
        self._place_button()
        self._describe()

    @property
    def note(self) -> str:
        """The text in place of bars; empty if it belongs to another query."""
        return "" if self._faded or self.overview.buckets else self._note

    def fade(self, *, faded: bool = True) -> None:
        """Shows the bars pale while those of a new query are counted."""
        self._faded = faded
        self._place_button()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._place_button()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self._place(event.pos().x())
            text = "" if place is None else bucket_text(self.overview, place)
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = self._place(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._is_dragging = True
            self._move(place, anchor=place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = self._place(event.position().x())
        if self._is_dragging and place is not None:
            self._move(place, anchor=self._anchor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._is_dragging and event.button() == Qt.MouseButton.LeftButton:
            self._is_dragging = False
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, last = Qt.Key(event.key()), len(self.overview.buckets) - 1
        widens = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        now = self._cursor if self._cursor is not None else (-1 if key == Qt.Key.Key_Right else last + 1)
        target = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(key, now + _MOVES.get(key, 0))
        if last < 0:
            super().keyPressEvent(event)
        elif key in _MOVES or key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            place = max(0, min(target, last))
            kept = self._anchor if self._anchor is not None else self._cursor
            self._move(place, anchor=kept if widens and kept is not None else place)
        elif key in _ACCEPT and self._cursor is not None:
            self._choose()
        elif key == Qt.Key.Key_Escape and self._cursor is not None:
            self._is_dragging = False
            self._anchor = self._cursor = None
            self._describe()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.ground))
            painter.setPen(QColor(tokens.line))
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
            if not self.overview.buckets:
                painter.setPen(QColor(tokens.muted))
                note = tr("Counting…") if self._faded else self.note
                painter.drawText(
                    self.rect().adjusted(GROUP, 0, -GROUP, 0), Qt.AlignmentFlag.AlignVCenter, note
                )
            else:
                painter.setOpacity(_FADED if self._faded else 1.0)
                self._paint_selection(painter)
                for place in range(len(self.overview.buckets)):
                    self._paint_bar(painter, place)
                self._paint_before(painter)
                self._paint_times(painter)
                self._paint_caption(painter)
                painter.setOpacity(1.0)
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.accent), 1))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -2))

    def _paint_selection(self, painter: QPainter) -> None:
        selection = self.selection
        if selection is not None:
            first, last = self._cell(selection[0]), self._cell(selection[1])
            ground, tokens = first.united(last), self._appearance.tokens
            painter.fillRect(ground, QColor(tokens.selected))
            for x in (ground.left() - 1, ground.right()):
                painter.fillRect(QRect(x, ground.top(), 1, ground.height()), QColor(tokens.accent))

    def _paint_bar(self, painter: QPainter, place: int) -> None:
        overview, tokens = self.overview, self._appearance.tokens
        cell = self._cell(place).adjusted(0, 0, -1, 0)
        if place >= len(overview.totals):
            # Not counted yet.
            painter.fillRect(QRect(cell.left(), cell.bottom(), cell.width(), 1), QColor(tokens.line))
            return
        total = overview.totals[place]
        if not total:
            return
        height = max(_LEAST, round(cell.height() * total / overview.highest))
        width = min(cell.width(), _WIDEST)
        bar = QRect(cell.left() + (cell.width() - width) // 2, cell.bottom() - height + 1, width, height)
        painter.fillRect(bar, QColor(tokens.handle))
        bottom = float(bar.bottom() + 1)
        for family, number in overview.parts(place):
            share = height * number / total
            top = round(bottom - share)
            painter.fillRect(
                QRect(bar.left(), top, bar.width(), round(bottom) - top), family_color(family, tokens)
            )
            bottom -= share

    def _paint_before(self, painter: QPainter) -> None:
        """Paints the period before as a line with a step for each group of buckets."""
        before, highest = self.overview.before, self.overview.highest
        if before is None or not highest:
            return
        line = QPainterPath()
        for place, number in enumerate(before.numbers):
            first = self._cell(place * before.group)
            last = self._cell(min((place + 1) * before.group, len(self.overview.buckets)) - 1)
            y = first.bottom() + 1 - first.height() * number / before.group / highest
            if place:
                line.lineTo(first.left(), y)
            else:
                line.moveTo(first.left(), y)
            line.lineTo(last.right(), y)
        painter.setPen(self._pen_before())
        painter.drawPath(line)

    def _pen_before(self) -> QPen:
        """The line of the period before, in the bars and in the caption, which explains it."""
        return QPen(QColor(self._appearance.tokens.text), 1, Qt.PenStyle.DashLine)

    def _paint_caption(self, painter: QPainter) -> None:
        tokens = self._appearance.tokens
        text = self._caption_text()
        room = self._families.x() - GAP if self._families.isVisible() else self.width() - GROUP
        line = QRect(GROUP, 0, room - GROUP, self._caption_height())
        if self.selection is None and self.overview.before is not None:
            painter.setPen(self._pen_before())
            painter.drawLine(line.left(), line.center().y(), line.left() + ICON, line.center().y())
            line.setLeft(line.left() + ICON + TIGHT)
        painter.setPen(QColor(tokens.text))
        elided = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)
        used = self.fontMetrics().horizontalAdvance(elided)
        self._paint_legend(painter, line.adjusted(used + GROUP if used else 0, 0, 0, 0))

    def _paint_legend(self, painter: QPainter, line: QRect) -> None:
        """Paints the names of the families that occur at the right, if there is room for all."""
        tokens, metrics = self._appearance.tokens, self.fontMetrics()
        found = [family for family in EventFamily if any(self.overview.families.get(family, ()))]
        names = {family: _family_name(family) for family in found}
        x = line.right() - sum(metrics.horizontalAdvance(name) + GAP for name in names.values()) + GAP
        if x < line.left():
            return
        for family, name in names.items():
            painter.setPen(QColor(family_color(family, tokens)))
            place = QRect(x, line.top(), metrics.horizontalAdvance(name) + 1, line.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
            x += metrics.horizontalAdvance(name) + GAP

    def _caption_text(self) -> str:
        selection, overview = self.selection, self.overview
        if self._faded:
            return tr("Counting…")
        if selection is None:
            return caption_text(overview)
        first, last = (overview.buckets[place] for place in selection)
        is_usable = self.hasFocus() and not self._is_dragging
        return range_text(first.first, last.last, overview.number(*selection), takes_keys=is_usable)

    def _paint_times(self, painter: QPainter) -> None:
        """Paints the ticks of the time axis and their labels."""
        tokens, buckets, metrics = self._appearance.tokens, self.overview.buckets, self.fontMetrics()
        top, left, right = self.height() - self._axis_height(), GROUP, self.width() - GROUP
        most = (right - left) // (metrics.horizontalAdvance(_TICK) + GROUP)
        painter.fillRect(QRect(left, top, right - left, 1), QColor(tokens.line))
        start, length = buckets[0].first, max(1.0, (buckets[-1].last - buckets[0].first).total_seconds() + 1)
        ticks = time_ticks(start, buckets[-1].last, most)
        for tick in ticks:
            x = left + round((right - left) * (tick.moment - start).total_seconds() / length)
            painter.fillRect(QRect(x, top, 1, TIGHT), QColor(tokens.muted))
            half = metrics.horizontalAdvance(tick.text) // 2 + 1
            center = min(max(x, left + half), right - half)
            place = QRect(center - half, top + 2, 2 * half, self._axis_height() - 3)
            painter.setPen(QColor(tokens.muted))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, tick.text)
        if not ticks:
            painter.setPen(QColor(tokens.muted))
            place = QRect(left, top + 2, right - left, self._axis_height() - 3)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft, day_and_time(start))

    def _cell(self, place: int) -> QRect:
        """The area of a bucket, whose width is its share of the time."""
        buckets = self.overview.buckets
        start, room = buckets[0].first, self.width() - 2 * GROUP
        length = (buckets[-1].last - start).total_seconds() + 1
        bucket, top = buckets[place], self._caption_height() + 2
        ends = (bucket.first - start).total_seconds(), (bucket.last - start).total_seconds() + 1
        left, right = (GROUP + round(room * end / length) for end in ends)
        return QRect(left, top, max(1, right - left), self.height() - self._axis_height() - top)

    def _caption_height(self) -> int:
        return self.fontMetrics().height() + TIGHT

    def _axis_height(self) -> int:
        return self.fontMetrics().height() + TIGHT

    def _place(self, x: float) -> int | None:
        buckets = self.overview.buckets
        if not buckets:
            return None
        return next(
            (place for place in range(len(buckets)) if x <= self._cell(place).right()), len(buckets) - 1
        )

    def _move(self, place: int, anchor: int | None) -> None:
        self._cursor, self._anchor = place, anchor
        self._describe()

    def _describe(self) -> None:
        selection = self.selection
        text = "" if selection is None else bucket_text(self.overview, *selection)
        self.setAccessibleDescription(text.replace("\n", ", "))
        self.update()

    def _choose(self) -> None:
        """Filters by the selected range; one that is known to be empty would leave nothing to be seen."""
        selection = self.selection
        if selection is not None and self.overview.number(*selection) != 0:
            first, last = (self.overview.buckets[place] for place in selection)
            self.span_chosen.emit(TimeSpan(first=first.first, last=last.last))

    def _request_families(self) -> None:
        self.setFocus()
        self._families.hide()
        self.families_requested.emit()

    def _place_button(self) -> None:
        """Offers to count the families where that has not been done, as it takes many calls."""
        overview, button = self.overview, self._families
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.ButtonText, QColor(self._appearance.tokens.accent))
        button.setPalette(palette)
        button.resize(button.sizeHint().width(), self._caption_height())
        button.move(self.width() - GROUP - button.width(), 1)
        button.setVisible(overview.is_counted and not overview.families and not self._faded)


def _family_name(family: EventFamily) -> str:
    """The name of a family with the sign of its shape."""
    names = {
        EventFamily.READING: tr("reading"),
        EventFamily.WRITING: tr("writing"),
        EventFamily.DELETING: tr("deleting"),
        EventFamily.FAILURE: tr("failures"),
        EventFamily.SESSION: tr("sessions"),
        EventFamily.EXPORT: tr("exports"),
        EventFamily.SYSTEM: tr("system and others"),
    }
    return f"{_SIGNS[family]} {names[family]}"


def bucket_text(overview: Overview, first: int, last: int | None = None) -> str:
    """Lines with the time of one or several buckets and their numbers of events by family."""
    end = first if last is None else last
    lines = [f"{day_and_time(overview.buckets[first].first)} – {day_and_time(overview.buckets[end].last)}"]
    if end >= len(overview.totals):
        return "\n".join((*lines, tr("counting…")))
    lines.append(_count_text(sum(overview.totals[first : end + 1])))
    for family in EventFamily:
        number = sum(overview.families.get(family, ())[first : end + 1])
        if number:
            lines.append(f"{_family_name(family)}: {number_text(number)}")
    return "\n".join(lines)


def range_text(first: datetime, last: datetime, number: int | None, *, takes_keys: bool) -> str:
    """A selected range with its number of events; ``takes_keys`` adds that Return filters by it."""
    if number == 0:
        count = tr("no events, cannot be chosen")
    else:
        count = tr("counting…") if number is None else _count_text(number)
    parts = [f"{day_and_time(first)} – {day_and_time(last)}", count]
    if takes_keys and number:
        parts.append(tr("Return sets the dates"))
    return " · ".join(parts)


def caption_text(overview: Overview) -> str:
    """How the number of events compares with the period before, if there is one."""
    if not overview.is_counted:
        return tr("counting…")
    return "" if overview.before is None else _comparison_text(sum(overview.totals), overview.before)


def _comparison_text(total: int, before: Comparison) -> str:
    period = {
        TimePreset.TODAY: tr("the day before"),
        TimePreset.YESTERDAY: tr("the day before"),
        TimePreset.THIS_WEEK: tr("the week before"),
        TimePreset.LAST_WEEK: tr("the week before"),
        TimePreset.THIS_MONTH: tr("the month before"),
        TimePreset.LAST_MONTH: tr("the month before"),
    }.get(before.preset or TimePreset.WEEK, tr("the period before"))
    if not before.total:
        return tr("none in {period}", period=period)
    percent = round(100 * (total - before.total) / before.total)
    change = f"{'+' if percent > 0 else MINUS if percent < 0 else '±'}{number_text(abs(percent))}"
    return tr(
        "{change} % against {period} ({number})",
        change=change,
        period=period,
        number=number_text(before.total),
    )


def _count_text(number: int) -> str:
    return tr("{count:1 event|{count} events}", count=number)
