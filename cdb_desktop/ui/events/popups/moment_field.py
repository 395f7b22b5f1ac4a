"""A field for a time to type or to pick from a calendar, with its meaning on the line below."""

from datetime import UTC, datetime

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPalette, QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QLineEdit, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import TIGHT
from cdb_desktop.ui.widgets.labels import caption, color_text
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import PopupFrame
from cdb_desktop.vocabulary.time_input import (
    MAX_YEAR,
    MIN_YEAR,
    TimeFault,
    TimeInputError,
    TimeUnit,
    in_largest_unit,
    parse_seconds_ago,
    parse_time,
    step_time,
)
from cdb_desktop.vocabulary.times import day_and_time, exact_time, in_zone

_FORMAT = QLocale.FormatType.ShortFormat
_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_CALENDAR_KEYS = ((Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier), (Qt.Key.Key_F4, _PLAIN[0]))
# Where in 2026-11-20 14:02:11 each part ends.
_PARTS = (
    (4, TimeUnit.YEAR),
    (7, TimeUnit.MONTH),
    (10, TimeUnit.DAY),
    (13, TimeUnit.HOUR),
    (16, TimeUnit.MINUTE),
    (19, TimeUnit.SECOND),
)
_WIDTH = 320
_CALENDAR = """
#qt_calendar_navigationbar { background: palette(window); }
QToolButton { color: palette(window-text); }
"""


def fault_text(fault: TimeFault) -> str:
    """Why a text is not a time."""
    return {
        TimeFault.NONSENSE: tr("Not a time. Try 2026-11-20 14:02, or 2h for two hours ago."),
        TimeFault.NO_SUCH_DAY: tr("This day does not exist."),
        TimeFault.NO_SUCH_TIME: tr("This time does not exist."),
        TimeFault.YEAR: tr(
            "Years must be between {min_year} and {max_year}.", min_year=str(MIN_YEAR), max_year=str(MAX_YEAR)
        ),
    }[fault]


def moment_text(moment: datetime, now: datetime) -> str:
    """The time in full with its weekday, and whether it is in the future."""
    day = QLocale().dayName(in_zone(moment).isoweekday(), _FORMAT)
    text = f"{day} {exact_time(moment)}"
    coming = tr("{text}, in the future", text=text)
    return coming if moment > now else text


class MomentLine(QLineEdit):
    """A line for a time; Up and Down change the part at the cursor.

    Signals: ``calendar_requested`` by Alt+Down or F4.
    """

    calendar_requested = Signal()
    day_ends = False  # whether a bare date means its last second

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if (event.key(), event.modifiers()) in _CALENDAR_KEYS:
            self.calendar_requested.emit()
        elif event.key() in _STEPS and event.modifiers() in _PLAIN:
            self._step(_STEPS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        now = datetime.now(UTC)
        try:
            start = parse_time(self.text(), now, day_ends=self.day_ends) if self.text().strip() else now
        except TimeInputError:
            return
        # An incomplete time has no parts: the day is changed.
        place = self.cursorPosition() if self.text() == day_and_time(start) else 10
        unit = next((unit for end, unit in _PARTS if place <= end), TimeUnit.SECOND)
        self.setText(day_and_time(step_time(start, unit, by)))
        self.setCursorPosition(place)


class MomentField(QWidget):
    """``hint`` is the placeholder of the empty line, which means no time.

    Signals: ``changed`` when the line contains another time, no time or an invalid text.
    """

    changed = Signal()

    def __init__(
        self,
        appearance: Appearance,
        name: str,
        hint: str,
        parent: QWidget,
        *,
        day_ends: bool = False,
        may_move: bool = False,
    ) -> None:
        """``may_move``: a relative time stays relative to now; otherwise it is converted to a fixed time."""
        super().__init__(parent)
        self._appearance = appearance
        self._now = datetime.now(UTC)
        self._day_ends, self._may_move = day_ends, may_move
        self.moment: datetime | None = None
        self.ago: int | None = None  # seconds, for a time relative to now
        self.fault: TimeFault | None = None
        self.line = named(f"{name}.line", MomentLine(self, placeholderText=hint))
        self.line.day_ends = day_ends
        self._note = caption(self)
        self._note.setObjectName(f"{name}.note")
        # A popup that became wider with an error would move its contents.
        faults = (self._note.fontMetrics().horizontalAdvance(fault_text(fault)) for fault in TimeFault)
        self.line.setMinimumWidth(max(_WIDTH, *faults) + TIGHT)
        at_end = QLineEdit.ActionPosition.TrailingPosition
        self.pick = self.line.addAction(icon("calendar", appearance), at_end)
        self.pick.setToolTip(tr("Calendar (Alt+Down)"))
        self.pick.triggered.connect(self.open_calendar)
        self.line.calendar_requested.connect(self.open_calendar)
        self.line.textChanged.connect(self._read)
        lay_out(QVBoxLayout(self), self.line, self._note, spacing=TIGHT)
        self.setFocusProxy(self.line)
        self._read()

    @property
    def message(self) -> str:
        """The text below the line."""
        return self._note.text().strip()

    def show_moment(self, moment: datetime | None, ago: int | None = None) -> None:
        """Writes a time into the line, None for none; with ``ago`` a relative one."""
        number, unit = in_largest_unit(ago or 0)
        self.line.setText(day_and_time(moment) if ago is None else f"{number} {unit}")

    def show_message(self, text: str, tone: str = "muted") -> None:
        """Shows a text below the line."""
        self._note.setText(text or " ")
        color_text(self._note, getattr(self._appearance.tokens, tone), QPalette.ColorRole.PlaceholderText)
        self.line.setAccessibleDescription(text)

    def show_meaning(self) -> None:
        """Shows what the text in the line means."""
        if self.fault is not None:
            self.show_message(fault_text(self.fault), "danger")
        elif self.moment is None:
            self.show_message("")
        else:
            text = moment_text(self.moment, self._now)
            self.show_message(text if self.ago is None else tr("{text}, relative to now", text=text))

    def open_calendar(self) -> None:
        """Opens the calendar below the line."""
        if not self.pick.isVisible():
            return
        popup = _CalendarPopup(self._appearance, self)
        shown = in_zone(self.moment or self._now)
        popup.calendar.setSelectedDate(QDate(shown.year, shown.month, shown.day))
        popup.calendar.activated.connect(lambda day: self._take_day(day, popup))
        popup.calendar.clicked.connect(lambda day: self._take_day(day, popup))
        popup.move(self.line.mapToGlobal(QPoint(0, self.line.height() + 2)))
        popup.show()
        popup.calendar.setFocus()

    def _take_day(self, day: QDate, popup: QWidget) -> None:
        if not popup.isVisible():
            return  # a double click is a click and an activation
        popup.close()
        clock = "23:59:59" if self._day_ends else "00:00:00"
        if self.moment is not None:
            clock = day_and_time(self.moment)[11:]
        self.line.setText(f"{day.toString('yyyy-MM-dd')} {clock}")
        self.line.setFocus()

    def _read(self) -> None:
        text = self.line.text().strip()
        self.moment = self.ago = self.fault = None
        try:
            self.moment = parse_time(text, self._now, day_ends=self._day_ends) if text else None
            self.ago = parse_seconds_ago(text) if self._may_move else None
        except TimeInputError as error:
            self.fault = error.fault
        self.show_meaning()
        self.changed.emit()


class _CalendarPopup(PopupFrame):
    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.calendar = named("events.dates.calendar", QCalendarWidget(self))
        self.calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.calendar.setDateRange(QDate(MIN_YEAR, 1, 1), QDate(MAX_YEAR, 12, 31))
        self.calendar.setStyleSheet(_CALENDAR)
        for name, picture in (("prevmonth", "previous"), ("nextmonth", "next")):
            # Qt's own arrows are black in every theme.
            button = self.calendar.findChild(QToolButton, f"qt_calendar_{name}")
            if button is not None:
                button.setIcon(icon(picture, appearance))
        # Qt shows weekends in red by default, which means an error here.
        plain = QTextCharFormat()
        plain.setForeground(QColor(appearance.tokens.text))
        for day in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.calendar.setWeekdayTextFormat(day, plain)
        lay_out(QVBoxLayout(self), self.calendar, margins=(TIGHT, TIGHT, TIGHT, TIGHT))
        self.adjustSize()
