"""Tests of the table model of a feed."""

from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.live.feed_model import FeedModel
from tests.desktop.ui.widgets.builders import event


def test_many_events_are_one_change_of_rows(qtbot: QtBot) -> None:
    """Qt's own checks of the model pass."""
    model = FeedModel(Feed(capacity=100, step=10))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    changes: list[tuple[str, int, int]] = []
    model.rowsInserted.connect(lambda _parent, first, last: changes.append(("in", first, last)))
    model.rowsRemoved.connect(lambda _parent, first, last: changes.append(("out", first, last)))
    model.append([event(number) for number in range(100)])
    model.append([event(number) for number in range(100, 105)])
    assert changes == [("in", 0, 99), ("out", 0, 9), ("in", 90, 94)]
    assert (model.event_at(0).id, model.event_at(94).id) == (10, 104)
