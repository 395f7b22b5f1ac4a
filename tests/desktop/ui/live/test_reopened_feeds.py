"""Tests of feeds that are opened again at the next start."""

from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import EarlierFilter, with_only_type
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.controller import SavedFeeds
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey

HOME = ProfileKey("https://museum.example", "root")


def _view(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> tuple[LiveView, Actions]:
    actions = Actions(appearance)
    actions.offer(lambda _right: True)
    view = LiveView(appearance, settings, actions)
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    view.resize(1200, 240)
    view.show()
    return view, actions


def _choices(view: LiveView) -> list[Query]:
    return [feed.model.feed.filter for feed in view.panes]


def test_feeds_are_opened_again_with_their_filters(
    qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """With their widths and notifications; the first one is current."""
    view, actions = _view(qtbot, appearance, settings)
    SavedFeeds(view, settings, HOME)
    view.set_filter(with_only_type(Query(), "USER_LOGIN"))
    view.open_feed(EarlierFilter(user="anna").query)
    actions["live_notify"].trigger()
    view.splitter.moveSplitter(800, 1)
    view.splitter.splitterMoved.emit(800, 1)
    before = view.splitter.sizes()
    # Widths are written once the line between the feeds has come to rest.
    file = Path(settings.fileName()).with_name("feeds-2.json")
    qtbot.waitUntil(lambda: f'"width":{before[0]}' in file.read_text())
    again, actions = _view(qtbot, appearance, settings)
    SavedFeeds(again, settings, HOME)
    assert _choices(again) == [with_only_type(Query(), "USER_LOGIN"), EarlierFilter(user="anna").query]
    assert [feed.notifications.is_on for feed in again.panes] == [False, True]
    assert again.current is again.panes[0]
    assert not any(feed.table.hasFocus() for feed in again.panes)
    QApplication.processEvents()
    assert all(abs(one - other) <= 2 for one, other in zip(again.splitter.sizes(), before, strict=True))


def test_each_user_of_each_service_has_own_feeds(
    qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    view, _ = _view(qtbot, appearance, settings)
    SavedFeeds(view, settings, HOME)
    view.set_filter(with_only_type(Query(), "USER_LOGIN"))
    for other in (ProfileKey(HOME.service, "anna"), ProfileKey("https://archive.example", "root")):
        again, _ = _view(qtbot, appearance, settings)
        SavedFeeds(again, settings, other)
        assert _choices(again) == [Query()]


def test_closed_feeds_are_not_opened_again(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> None:
    """At most as many feeds as there is room for are opened."""
    view, actions = _view(qtbot, appearance, settings)
    SavedFeeds(view, settings, HOME)
    for _ in range(6):
        view.open_feed(EarlierFilter(user="anna").query)
    assert not actions["live_new"].isEnabled()
    assert "There is room for 4 feeds side by side." in actions["live_new"].toolTip()
    again, actions = _view(qtbot, appearance, settings)
    SavedFeeds(again, settings, HOME)
    assert len(again.panes) == 4
    assert not actions["live_new"].isEnabled()
    for _ in range(3):
        actions["live_close"].trigger()
    again.set_filter(Query())
    last, _ = _view(qtbot, appearance, settings)
    SavedFeeds(last, settings, HOME)
    assert _choices(last) == [Query()]
