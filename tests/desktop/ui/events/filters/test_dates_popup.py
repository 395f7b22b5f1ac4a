"""Tests of the dates popup, with the reference server."""

from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QDate, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCalendarWidget, QLabel, QLineEdit, QPushButton, QWidget

from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.events.filters.controller import DatesPopup
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, active_popup
from tests.desktop.ui.finding import child_of, open_popup

RETURN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape


def open_dates(view: EventsView) -> DatesPopup:
    """Opens the popup."""
    view.filter_controller.edit(QueryPart.DATE, view.filter_bar.chip(QueryPart.DATE))
    return open_popup(DatesPopup)


def line(popup: QWidget, bound: str) -> QLineEdit:
    """The line edit of a bound."""
    return child_of(popup, QLineEdit, f"events.dates.{bound}.line")


def note(popup: QWidget, bound: str) -> str:
    """The message below a bound."""
    return child_of(popup, QLabel, f"events.dates.{bound}.note").text().strip()


def click_button(popup: QWidget, name: str) -> None:
    """Clicks a button."""
    button = child_of(popup, QPushButton, f"events.dates.{name}")
    button.click()


async def test_a_preset_is_one_click_and_bounds_are_local_times(browse: Browse) -> None:
    """Both set the same kind of chip; a date without a time as upper bound includes the whole day."""
    async with browse() as (view, controller):
        click_button(open_dates(view), "week")
        assert controller.query.span == TimeSpan(TimePreset.WEEK)
        assert view.filter_bar.summaries == {QueryPart.DATE: "last 7 days"}
        popup = open_dates(view)
        line(popup, "from").setText("2026-01-02 03:04:05")
        line(popup, "to").setText("2026-03-04")
        assert note(popup, "to").endswith("2026-03-04 23:59:59 +0000")
        popup.close()
        assert view.filter_bar.summaries == {QueryPart.DATE: "2026-01-02 03:04:05 – 2026-03-04 23:59:59"}
        popup = open_dates(view)
        popup.close()
        assert view.filter_bar.summaries == {QueryPart.DATE: "2026-01-02 03:04:05 – 2026-03-04 23:59:59"}


async def test_minutes_around_the_current_event_and_from_now_on(browse: Browse) -> None:
    """Each is one click; without a current event the first one is hidden."""
    async with browse() as (view, controller):
        popup = open_dates(view)
        assert popup.findChild(QPushButton, "events.dates.around_5") is None
        QTest.keyClick(popup, ESCAPE)
        view.table.go_to(30)
        event = view.table.current_event
        assert event is not None
        assert event.timestamp is not None
        click_button(open_dates(view), "around_5")
        reach = timedelta(minutes=5)
        assert controller.query.span == TimeSpan(first=event.timestamp - reach, last=event.timestamp + reach)
        await until(lambda: "of" in view.count.text)
        assert view.model.result is not None
        assert view.model.result.row_of(event.id) is not None
        before = datetime.now(UTC).replace(microsecond=0)
        click_button(open_dates(view), "from_now")
        first = controller.query.span.first
        assert first is not None
        assert before <= first <= datetime.now(UTC)


INVALID = (
    ("2026-03-04", "2026-03-03", "to", "“To” is before “From”."),
    ("0001-01-01", "", "from", "Years must be between 1980 and 2199."),
    ("", "9999-12-31 23:59", "to", "Years must be between 1980 and 2199."),
    ("", "2026-02-30", "to", "This day does not exist."),
    ("2026-02-03 25:61", "", "from", "This time does not exist."),
    ("soon", "2026-05-03", "from", "Not a time. Try 2026-11-20 14:02, or 2h for two hours ago."),
)


async def test_invalid_dates_are_reported_at_their_field(browse: Browse) -> None:
    """The popup keeps the input and no query runs; corrected dates apply; Escape cancels."""
    async with browse() as (view, controller):
        for first, last, place, words in INVALID:
            popup = open_dates(view)
            line(popup, "from").setText(first)
            line(popup, "to").setText(last)
            assert note(popup, place) == words
            popup.apply.click()
            QTest.keyClick(line(popup, "from"), RETURN)
            assert popup.isVisible(), words
            assert line(popup, place).hasFocus(), words
            assert (line(popup, "from").text(), line(popup, "to").text()) == (first, last)
            assert controller.query == Query(), words
            line(popup, place).setText("2026-03-04 12:00")
            assert note(popup, place) == "Wed 2026-03-04 12:00:00 +0000"
            QTest.keyClick(line(popup, place), RETURN)
            assert QApplication.activePopupWidget() is None, words
            assert controller.query.span != TimeSpan(), words
            controller.show_query(Query())


async def test_a_preset_overrides_invalid_bounds(browse: Browse) -> None:
    """Escape discards invalid dates."""
    async with browse() as (view, controller):
        popup = open_dates(view)
        line(popup, "from").setText("9999-01-01")
        QTest.keyClick(popup, ESCAPE)
        assert controller.query == Query()
        popup = open_dates(view)
        line(popup, "from").setText("9999-01-01")
        click_button(popup, "today")
        assert controller.query.span == TimeSpan(TimePreset.TODAY)


async def test_keys_step_and_open_the_calendar(browse: Browse) -> None:
    """Up and Down change the part at the cursor; choosing a day keeps the time."""
    async with browse() as (view, _controller):
        popup = open_dates(view)
        first = line(popup, "from")
        first.setFocus()
        QTest.keyClicks(first, "2026-03-31 10:20:30")
        first.setCursorPosition(6)
        QTest.keyClick(first, Qt.Key.Key_Down)
        assert first.text() == "2026-02-28 10:20:30"
        first.setCursorPosition(12)
        QTest.keyClick(first, Qt.Key.Key_Up)
        assert first.text() == "2026-02-28 11:20:30"
        QTest.keyClick(first, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        calendar = child_of(active_popup(), QCalendarWidget)
        assert calendar.selectedDate() == QDate(2026, 2, 28)
        focus = active_popup().focusWidget()
        assert focus is not None
        QTest.keyClick(focus, Qt.Key.Key_Left)
        QTest.keyClick(focus, RETURN)
        assert first.text() == "2026-02-27 11:20:30"
        assert popup.isVisible()


async def test_the_selected_preset_has_a_check_mark(browse: Browse) -> None:
    """In the dark theme a pressed button alone is not distinguishable. Errors do not widen the popup."""
    async with browse() as (view, controller):
        controller.show_query(Query(span=TimeSpan(TimePreset.WEEK)))
        popup = open_dates(view)
        assert checked_buttons(popup) == ["events.dates.week"]
        await until(popup.isVisible)
        before = popup.width()
        line(popup, "from").setText("2h")
        assert checked_buttons(popup) == []
        line(popup, "from").setText("soon")
        line(popup, "to").setText("9999-01-01")
        QApplication.sendPostedEvents()
        assert (popup.width(), popup.sizeHint().width() <= before) == (before, True)
        QTest.keyClick(popup, ESCAPE)


def checked_buttons(popup: QWidget) -> list[str]:
    """The names of the buttons with a check mark."""
    buttons = popup.findChildren(QPushButton)
    assert all(button.icon().isNull() != button.isChecked() for button in buttons)
    return [button.objectName() for button in buttons if button.isChecked()]


async def test_a_typed_duration_is_relative_to_now(browse: Browse) -> None:
    """Also in the chip and in the reopened popup; a point in time is absolute."""
    async with browse() as (view, controller):
        popup = open_dates(view)
        line(popup, "from").setText("120 min")
        line(popup, "to").setText("1m")
        assert note(popup, "from").endswith("relative to now")
        line(popup, "to").setFocus()
        QTest.keyClick(line(popup, "to"), RETURN)
        span = controller.query.span
        assert span == TimeSpan(first_ago=7200, last_ago=60)
        later = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
        assert span.bounds(later) == (later - timedelta(hours=2), later - timedelta(minutes=1))
        assert view.filter_bar.summaries == {QueryPart.DATE: "2 h ago – 1 min ago"}
        popup = open_dates(view)
        assert (line(popup, "from").text(), line(popup, "to").text()) == ("2 h", "1 min")
        line(popup, "to").clear()
        line(popup, "to").setFocus()
        QTest.keyClick(line(popup, "to"), RETURN)
        assert view.filter_bar.summaries == {QueryPart.DATE: "last 2 h"}
