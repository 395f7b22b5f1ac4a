"""Tests of the position and size of the inspector."""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QSplitter
from pytestqt.qtbot import QtBot

from cdb_desktop.events.event_details import event_details
from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.labels import ElidedLabel
from tests.desktop.ui.widgets.builders import event


def sized(view: EventsView, width: int, height: int = 640) -> EventsView:
    """Shows rows and one of the events in a window of this size."""
    if not view.has_rows:
        view.show_result(QueryResult(ResolvedQuery(), [event(number) for number in range(100, 0, -1)]))
    if view.inspector.is_empty:
        view.inspector.show_details(event_details(event(1), is_whole=True))
    view.resize(width, height)
    QApplication.processEvents()
    return view


def is_below(view: EventsView) -> bool:
    """Whether the inspector is below the rows, not beside them."""
    table, inspector = view.table.geometry(), view.inspector.geometry()
    return inspector.top() >= table.bottom() and inspector.left() == table.left()


def type_is_visible(view: EventsView) -> bool:
    """Whether the type column is completely visible."""
    place = [column.name for column in view.model.columns].index("type")
    header = view.table.horizontalHeader()
    return header.sectionViewportPosition(place) + header.sectionSize(place) <= view.table.viewport().width()


def drag(view: EventsView, by: QPoint) -> None:
    """Moves the splitter handle between rows and inspector."""
    splitter = view.table.parentWidget()
    assert isinstance(splitter, QSplitter)
    handle = splitter.handle(1)
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle + by)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle + by)
    QApplication.processEvents()


def test_types_stay_visible_in_narrow_windows(view: EventsView) -> None:
    """The inspector is below the rows and takes at most half of the height; in a low window beside them."""
    for width, below in ((640, True), (732, True), (799, True), (800, False), (1000, False)):
        sized(view, width)
        assert type_is_visible(view), width
        assert is_below(view) is below, width
        if below:
            assert view.table.height() >= view.inspector.height() - 1  # of an odd height
    sized(view, 732, 380)
    assert not is_below(view)
    assert view.inspector.minimumWidth() <= view.inspector.width() < 260
    assert type_is_visible(view)


def test_the_inspector_gives_way_to_the_last_column(qtbot: QtBot, view: EventsView) -> None:
    """It shrinks to its minimum width, then rows scroll; a size set by the user is not changed."""
    header = view.table.horizontalHeader()
    place = [column.name for column in view.model.columns].index("summary")
    # Where that begins depends on the font.
    next(width for width in range(1060, 900, -10) if sized(view, width).inspector.width() < 400)
    assert view.inspector.minimumWidth() < view.inspector.width() < 400
    qtbot.waitUntil(lambda: view.table.horizontalScrollBar().maximum() == 0)
    assert header.sectionSize(place) > 100
    sized(view, 1400)
    assert view.inspector.width() == 400
    sized(view, 820)
    assert view.inspector.width() == view.inspector.minimumWidth()
    assert header.sectionSize(place) > 70
    assert view.table.horizontalScrollBar().maximum() > 0
    sized(view, 1400)
    assert header.sectionSize(place) > 200


def test_a_wide_window_restores_the_inspector(view: EventsView) -> None:
    """After being narrow the inspector has the width set by the user."""
    sized(view, 1300)
    drag(view, QPoint(-100, 0))
    wide = view.inspector.width()
    assert abs(wide - 500) < 4
    sized(view, 700)
    assert is_below(view)
    sized(view, 900)
    assert (view.inspector.width() < wide, type_is_visible(view)) == (True, True)
    sized(view, 1300)
    assert view.inspector.width() == wide


def test_both_sizes_are_remembered(view: EventsView, again: Callable[[], EventsView]) -> None:
    """The width beside the rows, and the height below them."""
    drag(sized(view, 1300), QPoint(-60, 0))
    width = view.inspector.width()
    drag(sized(view, 700), QPoint(0, 50))
    height = view.inspector.height()
    second = sized(again(), 1300)
    assert second.inspector.width() == width
    sized(second, 700)
    assert (is_below(second), second.inspector.height()) == (True, height)


def test_an_inspector_without_an_event_is_hidden(view: EventsView) -> None:
    """The rows have all the space until an event is selected, and again when none is selected."""
    sized(view, 1300)
    assert view.inspector.isVisible()
    assert view.table.width() < 1000
    view.inspector.show_waiting()
    assert view.inspector.isVisible()
    view.inspector.show_nothing()
    QApplication.processEvents()
    assert not view.inspector.isVisible()
    assert view.table.width() == view.rows_area.width()
    assert view.actions_by_name["inspector"].isChecked()


def test_a_closed_inspector_opens_where_it_fits(view: EventsView) -> None:
    """The window may have become narrower meanwhile."""
    shown = view.actions_by_name["inspector"]
    sized(view, 1300)
    shown.setChecked(False)
    sized(view, 700)
    shown.setChecked(True)
    QApplication.processEvents()
    assert is_below(view)
    assert view.inspector.isVisible()


def test_below_the_rows_one_field_stays_visible(view: EventsView) -> None:
    """At the minimum height; beside the rows the inspector has their height."""
    sized(view, 640)
    line = view.fontMetrics().height()
    drag(view, QPoint(0, 400))
    assert is_below(view)
    assert view.inspector.height() >= 8 * line
    view.inspector.show_details(event_details(event(1), is_whole=True))
    sized(view, 640, 500)
    assert is_below(view)
    assert view.inspector.height() >= 8 * line
    assert view.inspector.fields.height() >= 1.7 * line
    sized(view, 1000, 300)
    assert view.inspector.minimumHeight() < 8 * line


def test_a_long_type_may_take_the_space_of_the_id(qtbot: QtBot, appearance: Appearance) -> None:
    """It is in one line with the buttons; the tooltip is complete."""
    inspector = Inspector(appearance)
    qtbot.addWidget(inspector)
    name = "ASSET_VERSION_PREVIEW_RENDERING_FAILED"
    inspector.show_details(event_details(replace(event(1_234_567), type=name), is_whole=True))
    inspector.show()
    (title,) = (one for one in inspector.findChildren(ElidedLabel) if one.text() == name)
    (number,) = (one for one in inspector.findChildren(QLabel) if one.text().replace(",", "") == "1234567")
    line = inspector.fontMetrics().height()
    inspector.resize(240, 7 * line)
    qtbot.waitUntil(lambda: not number.isVisible())
    qtbot.waitUntil(lambda: title.width() > 80)
    assert title.toolTip() == name
    for width, lines in ((240, 9), (400, 7), (700, 5)):
        inspector.resize(width, lines * line)
        qtbot.waitUntil(number.isVisible)
        QApplication.processEvents()
        qtbot.waitUntil(lambda: number.width() >= number.sizeHint().width())


def test_a_note_is_never_clipped(qtbot: QtBot, appearance: Appearance) -> None:
    """In a low inspector it is one elided line with a tooltip; otherwise it is wrapped."""
    inspector = Inspector(appearance)
    qtbot.addWidget(inspector)
    text = "Not among these rows because of the filter Type: LOGIN_FAILED."
    shown = event_details(event(1), is_whole=True)
    line = inspector.fontMetrics().height()
    inspector.resize(240, 11 * line)
    inspector.show_outside(shown, text, "Remove this filter and show it")
    inspector.show()
    (note,) = (one for one in inspector.findChildren(ElidedLabel) if one.text() == text)
    for lines in (9.5, 11, 28, 9.5):
        inspector.resize(240, round(lines * line))
        QApplication.processEvents()
        wanted = note.heightForWidth(note.width()) if note.wordWrap() else note.sizeHint().height()
        assert note.height() >= wanted
        assert note.toolTip() == text


def test_who_and_why_are_seen_at_once(qtbot: QtBot, appearance: Appearance) -> None:
    """On a laptop: the reason in a sentence of at most three lines, and the user without scrolling."""
    inspector = Inspector(appearance)
    qtbot.addWidget(inspector)
    denied = msgspec.Raw(
        b'{"error": {"code": "error.user.no_system_right", "parameters": {"right": "system.root"}}}'
    )
    failed = replace(
        event(1),
        type="EXPORT_FAILED",
        info=denied,
        objecttype="export",
        object_id=7,
        object_version=2,
        user_id=3,
        user_displayname="Alexandra Someone-Name",
    )
    inspector.show_details(event_details(failed, is_whole=True))
    inspector.resize(400, 328)  # beside the rows and above the live feed at 1366×768
    inspector.show()
    sentence = inspector.sentence
    qtbot.waitUntil(lambda: sentence.isVisible() and "\n" in sentence.text())
    assert sentence.text().count("\n") < 3
    shown = sentence.text().replace("\n", " ")
    assert shown.startswith("Alexandra Someone-Name could not export export 7 v2. System right missing: ")
    assert shown.endswith(".")
    assert sentence.accessibleName() == sentence.toolTip() != shown
    fields = inspector.fields
    (user,) = (item for item in fields.findItems("User", Qt.MatchFlag.MatchExactly))
    assert user.text(1) == "Alexandra Someone-Name"
    assert fields.visualItemRect(user).bottom() < fields.viewport().height()
    inspector.resize(400, 10 * inspector.fontMetrics().height())
    qtbot.waitUntil(lambda: not sentence.isVisible())
