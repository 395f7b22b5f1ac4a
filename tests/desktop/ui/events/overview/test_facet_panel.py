"""Tests of the facet panel with and without events."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from cdb_desktop.events.facets import (
    Estimate,
    FacetCounts,
    FacetValue,
    toggled_exclusion,
    toggled_value,
)
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.finding import child_of

LONG = "COLLECTION_OWNER_RIGHTS_ERROR"


@pytest.fixture
def again(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Callable[[], FacetPanel]:
    """Returns a function that makes a panel of its preferred width, as at each start."""

    def make() -> FacetPanel:
        panel = FacetPanel(appearance, settings)
        qtbot.addWidget(panel)
        panel.resize(panel.sizeHint().width(), 400)
        panel.show()
        return panel

    return make


@pytest.fixture
def panel(again: Callable[[], FacetPanel]) -> FacetPanel:
    """The first panel."""
    return again()


def counts(
    part: QueryPart, numbers: dict[str, int], rest: int = 0, *, whole: bool = False
) -> dict[QueryPart, FacetCounts]:
    """Counts of one section, with a remainder."""
    return {part: FacetCounts(numbers, sum(numbers.values()) + rest, is_whole=whole)}


def show(panel: FacetPanel, types: dict[str, int]) -> None:
    """Shows the counts of types."""
    panel.show_counts(Query(), counts(QueryPart.TYPE, types, whole=True), FacetCounts(), str)


def lines(panel: FacetPanel) -> list[QTreeWidgetItem]:
    """The titles and the values below them."""
    return panel.tree.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)


def test_usual_names_and_large_numbers_fit(panel: FacetPanel) -> None:
    """Elided names have a tooltip."""
    show(panel, dict.fromkeys(("OBJECT_UPDATE", "EXPORT_FINISH", LONG), 236_405))
    metrics = panel.tree.fontMetrics()
    _section, *items = lines(panel)
    for item in items:
        room = panel.tree.visualItemRect(item).right()
        beside = 45  # check box, icon and the space between them
        is_whole = metrics.horizontalAdvance(item.text(0)) + beside <= room - panel.tree.columnWidth(1)
        assert is_whole or item.text(0) == LONG
        assert item.toolTip(0).startswith(item.text(0))


def test_titles_are_aligned_with_their_values(panel: FacetPanel) -> None:
    """Neither titles nor check boxes touch the edge of the panel."""
    show(panel, {"SEARCH": 3})
    lefts = [panel.tree.visualItemRect(item).left() for item in lines(panel)]
    assert lefts[0] == lefts[1]
    assert panel.tree.mapTo(panel, QPoint(lefts[0], 0)).x() >= 8


def test_an_empty_log_has_a_message(panel: FacetPanel) -> None:
    """The panel is not blank."""
    note = child_of(panel, QLabel)
    panel.show_counts(Query(), {}, FacetCounts(), str)
    assert (note.text(), note.isVisible()) == ("No events to count", True)
    show(panel, {"SEARCH": 3})
    assert not note.isVisible()


def texts(panel: FacetPanel) -> list[tuple[str, str]]:
    """The texts of the lines."""
    return [(item.text(0), item.text(1)) for item in lines(panel)]


def click(panel: FacetPanel, text: str, *, twice: bool = False) -> None:
    """Clicks the line with this text."""
    (item,) = (one for one in lines(panel) if one.text(0) == text)
    panel.tree.scrollToItem(item)
    place = panel.tree.visualItemRect(item).center()
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    if twice:
        QTest.mouseDClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_missing_users_have_a_button(panel: FacetPanel, qtbot: QtBot) -> None:
    """Unknown users are not omitted silently; when all are known, the rest has no user."""
    panel.show_counts(
        Query(), counts(QueryPart.USER, {"7": 40, "8": 60}, 512), FacetCounts(), "user {}".format
    )
    assert texts(panel) == [
        ("User, 2 found so far", ""),
        ("user 8", "60"),
        ("user 7", "40"),
        ("Others, or without a user", "512"),
        ("Search for other values", ""),
    ]
    with qtbot.waitSignal(panel.others_requested) as blocker:
        click(panel, "Search for other values")
    assert blocker.args == [QueryPart.USER]
    panel.others_requested.connect(panel.show_search)
    click(panel, "Search for other values", twice=True)
    assert texts(panel)[-1] == ("Stop searching", "")
    panel.tree.setCurrentItem(lines(panel)[-1])
    with qtbot.waitSignal(panel.others_given_up):
        QTest.keyClick(panel.tree, Qt.Key.Key_Return)
    panel.show_search(None)
    panel.show_counts(Query(), counts(QueryPart.USER, {"7": 40}, 12, whole=True), FacetCounts(), str)
    assert texts(panel) == [("User", ""), ("7", "40"), ("Without a user", "12")]


def test_all_values_are_shown_on_request(panel: FacetPanel, again: Callable[[], FacetPanel]) -> None:
    """The most frequent first, with users visible below; the choice is remembered."""
    numbers = {f"TYPE_{n:02d}": 1000 - n for n in range(32)}
    panel.show_counts(Query(types=("TYPE_20",)), counts(QueryPart.TYPE, numbers), FacetCounts(), str)
    few = [f"TYPE_{n:02d}" for n in (*range(8), 20)]
    assert [text for text, _number in texts(panel)] == ["Type", *few, "All 32…"]
    click(panel, "All 32…")
    assert [text for text, _number in texts(panel)] == ["Type", *numbers, "Only the most frequent"]
    other = again()
    other.show_counts(Query(), counts(QueryPart.TYPE, numbers), FacetCounts(), str)
    assert len(lines(other)) == 34


def test_a_section_collapses_and_stays_collapsed(panel: FacetPanel, again: Callable[[], FacetPanel]) -> None:
    """By click and by key."""
    panel.show_counts(Query(), counts(QueryPart.TYPE, {"SEARCH": 3}), FacetCounts(), str)
    click(panel, "Type")
    other = again()
    other.show_counts(Query(), counts(QueryPart.TYPE, {"SEARCH": 3}), FacetCounts(), str)
    for one in (panel, other):
        assert not lines(one)[0].isExpanded()
    other.tree.setCurrentItem(lines(other)[0])
    QTest.keyClick(other.tree, Qt.Key.Key_Space)
    assert lines(other)[0].isExpanded()


def test_new_counts_keep_the_scroll_position(panel: FacetPanel) -> None:
    """The panel does not scroll back to the top after each count."""
    numbers = {str(n): 1000 - n for n in range(12)}
    shown = counts(QueryPart.TYPE, numbers) | counts(QueryPart.USER, numbers)
    panel.show_counts(Query(), shown, FacetCounts(), str)
    bar = panel.tree.verticalScrollBar()
    bar.setValue(bar.maximum())
    place = bar.value()
    assert place > 0
    panel.show_counts(Query(), shown, FacetCounts(), str)
    assert bar.value() == place


def test_a_click_filters_and_the_minus_excludes(panel: FacetPanel, qtbot: QtBot) -> None:
    """Also with keys; an excluded value stays in the list, so that it can be included again."""
    asked: list[Query] = []
    panel.query_requested.connect(asked.append)
    panel.query_requested.connect(panel.show_query)
    show(panel, {"SEARCH": 3, "API_CALL": 2})
    click(panel, "SEARCH")
    assert asked[-1] == Query(types=("SEARCH",))
    click(panel, "API_CALL")
    assert asked[-1].types == ("SEARCH", "API_CALL")
    (item,) = (one for one in lines(panel) if one.text(0) == "SEARCH")
    minus = panel.tree.visualRect(panel.tree.indexFromItem(item, 2)).center()
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=minus)
    value = FacetValue(QueryPart.TYPE, "SEARCH")
    assert asked[-1] == toggled_exclusion(Query(types=("API_CALL",)), value)
    assert item.font(0).strikeOut()
    panel.show_counts(asked[-1], counts(QueryPart.TYPE, {"API_CALL": 2}, whole=True), FacetCounts(), str)
    assert texts(panel)[1:] == [("API_CALL", "2"), ("SEARCH", "")]
    panel.tree.setCurrentItem(lines(panel)[2])
    QTest.keyClick(panel.tree, Qt.Key.Key_Minus)
    assert asked[-1] == Query(types=("API_CALL",))
    assert not lines(panel)[2].font(0).strikeOut()


def test_object_types_filter_too(panel: FacetPanel) -> None:
    """By a condition, as the service does not."""
    asked: list[Query] = []
    panel.query_requested.connect(asked.append)
    panel.show_counts(Query(), {}, FacetCounts({"work": 5, "place": 2}, 10), str)
    assert texts(panel)[0] == ("Object type, in loaded rows", "")
    click(panel, "place")
    assert asked == [toggled_value(Query(), FacetValue(None, "place"))]


def test_estimates_are_marked(panel: FacetPanel) -> None:
    """With their bounds; those in view are the ones to be counted."""
    estimates = {"SEARCH": Estimate(412_345, 21_000), "API_CALL": Estimate(90, 400)}
    shown = FacetCounts({}, 500_000, estimates=estimates, sampled=4_000)
    panel.show_counts(Query(), {QueryPart.TYPE: shown}, FacetCounts(), str)
    assert texts(panel)[1:4] == [
        ("SEARCH", f"≈ {number_text(410_000)}"),
        ("API_CALL", "≈ 90"),
        ("Others, or without a type", f"≈ {number_text(88_000)}"),
    ]
    tip = lines(panel)[1].toolTip(1)
    assert f"between {number_text(391_345)} and {number_text(433_345)}" in tip
    assert f"{number_text(4_000)} of {number_text(500_000)}" in tip
    assert [value.value for value in panel.uncounted_values()] == ["SEARCH", "API_CALL"]
    exact = shown.with_number("SEARCH", 412_000)
    panel.show_counts(Query(), {QueryPart.TYPE: exact}, FacetCounts(), str)
    assert [value.value for value in panel.uncounted_values()] == ["API_CALL"]
    assert texts(panel)[1] == ("SEARCH", number_text(412_000))
