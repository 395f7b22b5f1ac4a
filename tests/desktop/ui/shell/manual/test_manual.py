"""Tests of the manual in a window."""

from functools import partial

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.live.alarm_rules import AlarmRule
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.filters.controller import OrderPopup
from cdb_desktop.ui.events.views import AlertPopup
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.manual.first_steps import FirstStepsBar
from cdb_desktop.ui.shell.manual.markup import MarkerNames
from cdb_desktop.ui.shell.manual.topics import ManualSource, topic_pages
from cdb_desktop.ui.shell.manual.window import ManualWindow
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.help import FailureButtons
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import fault_message
from cdb_desktop.vocabulary.manual import contents, search, written_topics
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.builders import open_workspace


@pytest.fixture
def window(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> MainWindow:
    """A main window that is connected to nothing."""
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window, before_close_func=lambda _window: window.manual.close_window())
    with qtbot.waitActive(window):
        window.show()
    return window


def manual() -> ManualWindow:
    """The open window of the manual."""
    (found,) = (one for one in QApplication.topLevelWidgets() if isinstance(one, ManualWindow))
    return found


def shown_topic() -> str:
    """The topic in the window of the manual."""
    return manual().browser.source().path()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_topic_is_written(language: Language) -> None:
    """No name in the contents lacks its file."""
    assert list(written_topics(language)) == [topic.name for topic in contents().topics]


@pytest.mark.parametrize(
    ("focus", "topic"),
    [
        ("rail.schema", "schema-page"),  # not the topic of the rail
        ("status.zone", "settings"),
        ("schema.merge.dialog", "merge"),
        ("events.dates.from", "time-ranges"),
        ("anything", "schema-page"),
    ],
)
def test_f1_opens_the_topic_of_the_focus(
    window: MainWindow, appearance: Appearance, settings: QSettings, focus: str, topic: str
) -> None:
    """Or that of the page, if no topic explains the widget."""
    open_workspace(window, appearance, settings)
    window.actions_by_name["schema"].trigger()
    widget = named(focus, QWidget(window))
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.show()
    widget.setFocus()
    QTest.keyClick(widget, Qt.Key.Key_F1)
    assert shown_topic() == topic


def test_help_of_a_dialog_opens_its_topic(window: MainWindow, appearance: Appearance) -> None:
    """The window can be used while the dialog is open."""
    dialog = BaseDialog(appearance, "events.delete", window)
    dialog.set_texts("Delete", "All of them?", "Delete")
    dialog.open()
    button = next(
        one for one in dialog.findChildren(QToolButton) if one.toolTip() == "Help (F1)" and one.isVisible()
    )
    button.click()
    assert shown_topic() == "delete-events"
    assert dialog.isVisible()


def test_errors_lead_to_the_topic_on_their_cause(
    window: MainWindow, qtbot: QtBot, appearance: Appearance
) -> None:
    """Codes of the service are explained elsewhere."""
    buttons = FailureButtons(appearance, window)
    button = child_of(buttons, QToolButton, "failure.help")
    buttons.show_failure(fault_message("proxy.login"))
    button.click()
    assert shown_topic() == "proxies-and-certificates"
    buttons.show_failure(None)
    assert button.isHidden()
    assert buttons.isHidden()


def test_links_show_a_section_and_back_returns(window: MainWindow, qtbot: QtBot) -> None:
    """Text that contains an address of the manual opens it."""
    window.manual.open_topic("welcome")
    QDesktopServices.openUrl(QUrl("manual:export#s1"))
    assert manual().browser.source() == QUrl("manual:export#s1")
    (current,) = manual().tree.selectedItems()
    assert current.text(0) == topic_pages("en")["export"].title
    with qtbot.waitActive(manual()):
        manual().activateWindow()
    QTest.keyClick(manual().browser, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert shown_topic() == "welcome"
    opened = manual()
    QTest.keyClick(opened.browser, Qt.Key.Key_Escape)
    assert not isValid(opened) or not opened.isVisible()


def test_f1_does_not_apply_a_popup(window: MainWindow, appearance: Appearance, qtbot: QtBot) -> None:
    """Nobody who asks what an alarm is sets one."""
    popup = AlertPopup(appearance, "Failures", AlarmRule("Failures"), window)
    applied: list[None] = []
    popup.accepted.connect(lambda: applied.append(None))
    with qtbot.waitExposed(popup):
        popup.open_below(window)
    with qtbot.waitSignal(popup.closed):
        QTest.keyClick(popup, Qt.Key.Key_F1)
    assert shown_topic() == "alarms"
    assert applied == []


def test_a_click_outside_applies_filters_alone(
    window: MainWindow, appearance: Appearance, qtbot: QtBot
) -> None:
    """They are seen and easily removed; an alarm is stored."""
    applied: list[QWidget] = []
    order = OrderPopup(appearance, Query(), window)
    for popup in (order, AlertPopup(appearance, "Failures", AlarmRule("Failures"), window)):
        popup.accepted.connect(partial(applied.append, popup))
        with qtbot.waitExposed(popup):
            popup.open_below(window)
        with qtbot.waitSignal(popup.closed):
            QTest.mouseClick(popup, Qt.MouseButton.LeftButton, pos=QPoint(-9, -9))
    assert applied == [order]


def test_search_prefers_every_word_and_titles() -> None:
    """Case and punctuation do not count; a question finds the topics with most of its words."""
    hits = search(topic_pages("en").values(), "DELETE events")
    assert hits[0].topic == "delete-events"
    assert len(hits) < len(contents().topics)
    assert search(topic_pages("en").values(), "delete events xylophone") == hits
    asked = search(topic_pages("en").values(), "Why is an id missing in the live feed?")
    assert "gaps-in-ids" in [hit.topic for hit in asked[:3]]
    assert not search(topic_pages("en").values(), "xylophone")


QUESTIONS = {
    "who deleted work 477?": "object-history",
    "failed log-ins": "find-events",
    "jump": "find-events",
    "highlights": "find-events",
    "how do I get last week into Excel": "export",
    "what happens to values when I delete a column": "edit-tables",
    "can I undo a commit": "revert-a-commit",
    "how do I sign in behind a proxy": "proxies-and-certificates",
    "how do I compare two models": "compare-versions",
    "who may delete events": "delete-events",
    "how do I get an alarm by mail or sound": "alarms",
    "how do I back up the server": "backup-and-failover",
    "how do I merge a colleague's model": "merge",
    "what is the difference between HEAD and CURRENT": "versions-of-the-schema",
    "why is a search slow": "find-events",
}


def test_search_knows_other_words_for_topics() -> None:
    """Those of the contents, which the text need not contain."""
    pages = topic_pages("en").values()
    assert {typed: search(pages, typed)[0].topic for typed in QUESTIONS} == QUESTIONS


def test_another_topic_ends_a_search_unless_it_is_a_link_of_the_page(window: MainWindow) -> None:
    """What was found stays while links are followed; F1 elsewhere shows the contents again."""
    window.manual.open_topic("export")
    manual().search.setText("excel")
    manual().browser.anchorClicked.emit(QUrl("manual:time-ranges"))
    assert (shown_topic(), manual().search.text()) == ("time-ranges", "excel")
    QDesktopServices.openUrl(QUrl("manual:alarms"))
    assert (shown_topic(), manual().search.text()) == ("alarms", "")


def test_the_window_opens_beside_the_program(window: MainWindow) -> None:
    """As far as the screen is wide enough, and where it was left after that."""
    screen = window.screen().availableGeometry()
    window.setGeometry(screen)
    window.manual.open_topic("welcome")
    assert manual().x() > screen.width() // 3
    assert manual().geometry().right() <= screen.right()
    manual().move(40, 60)
    window.manual.close_window()
    window.manual.open_topic("welcome")
    assert manual().x() == 40


def test_the_program_is_quit_from_the_manual(window: MainWindow, qtbot: QtBot) -> None:
    """The window of the manual closes with it."""
    window.manual.open_topic("welcome")
    with qtbot.waitActive(manual()):
        manual().activateWindow()
    QTest.keyClick(manual().browser, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, ManualWindow)]


def test_news_are_shown_once_after_an_upgrade(window: MainWindow, settings: QSettings) -> None:
    """Not at the first start of all, when no geometry is stored; version 0.1 stored no version."""
    window.manual.show_news("0.2.0")
    settings.setValue("window/geometry", window.saveGeometry())
    window.manual.show_news("0.2.0")
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, ManualWindow)]
    for stored in (None, "0.1.0"):
        settings.setValue("window/version", stored)
        window.manual.show_news("0.2.0")
        assert shown_topic() == "whats-new"
        window.manual.open_topic("welcome")
        window.manual.show_news("0.2.0")
        assert shown_topic() == "welcome"


def test_found_words_are_marked_where_they_begin(window: MainWindow) -> None:
    """Not inside of other words, nor short words beside telling ones."""
    QDesktopServices.openUrl(QUrl("manual:gaps-in-ids"))
    manual().search.setText("in the?")
    manual().search.textChanged.emit(manual().search.text())
    text, marked = manual().browser.toPlainText(), manual().browser.extraSelections()
    assert {one.cursor.selectedText().casefold() for one in marked} == {"the"}
    assert not any(text[one.cursor.selectionStart() - 1].isalnum() for one in marked)


def test_palette_finds_topics_and_headings(window: MainWindow, appearance: Appearance) -> None:
    """A row opens the place."""
    rows = list(ManualSource(icon("help", appearance)).rows("delete events"))
    row = min(rows, key=lambda one: one.fit)
    assert row.title == topic_pages("en")["delete-events"].title
    row.run()
    assert shown_topic() == "delete-events"


def test_what_is_shown_starts_on_the_demo_only(
    window: MainWindow, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """Nothing is open: the demo is opened here; a service is open: in another instance; else here."""
    with qtbot.waitSignal(window.actions_by_name["demo"].triggered):
        QDesktopServices.openUrl(QUrl("show:highlight"))
    workspace = open_workspace(window, appearance, settings)
    with qtbot.waitSignal(window.manual.demo_requested, check_params_cb=lambda name: name == "overview"):
        QDesktopServices.openUrl(QUrl("show:overview"))
    window.manual.enter_demo({**workspace.pages, "live": workspace.feed})
    window.actions_by_name["schema"].trigger()
    with (
        qtbot.assertNotEmitted(window.manual.demo_requested),
        qtbot.waitSignal(window.actions_by_name["overview"].triggered),
    ):
        QDesktopServices.openUrl(QUrl("show:overview"))
    assert window.actions_by_name["events"].isChecked()


def test_first_steps_are_closed_for_good(
    window: MainWindow, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """Page by page."""
    workspace = open_workspace(window, appearance, settings)
    pages = {**workspace.pages, "live": workspace.feed}
    window.manual.enter_demo(pages)
    bar, feed = (window.findChild(FirstStepsBar, f"first_steps.{page}") for page in ("events", "live"))
    assert isinstance(bar, FirstStepsBar)
    assert isinstance(feed, FirstStepsBar)
    qtbot.waitUntil(bar.isVisible)
    assert feed.isHidden()  # two bars at once would take too much room
    bar.close_button.click()
    assert bar.isHidden()
    assert not feed.isHidden()
    window.leave()
    again = open_workspace(window, appearance, settings)
    window.manual.enter_demo({**again.pages, "live": again.feed})
    names = {one.objectName() for one in again.pages["events"].findChildren(FirstStepsBar)}
    names |= {one.objectName() for one in again.feed.findChildren(FirstStepsBar)}
    assert names == {"first_steps.live"}


def test_names_from_the_program_have_no_marks_of_markdown() -> None:
    """Whatever a name contains, and in texts of pictures, where keys are no code."""
    shown, page = MarkerNames().markdown("text", "a *b* [c] d_e_f"), QTextDocument()
    page.setMarkdown(f"{shown} and {MarkerNames().markdown('key', 'manual')}")
    assert page.toPlainText() == "a *b* [c] d_e_f and F1"


def test_a_picture_fits_the_width_of_the_window(window: MainWindow, qtbot: QtBot) -> None:
    """Also after the window was made narrower; nothing is blank below it."""
    QDesktopServices.openUrl(QUrl("manual:find-events"))
    manual().resize(1000, 600)
    browser = manual().browser
    qtbot.waitUntil(lambda: browser.viewport().width() > 600)
    manual().resize(manual().minimumSizeHint())
    qtbot.waitUntil(lambda: browser.horizontalScrollBar().maximum() == 0)
    block = browser.document().begin()
    while not block.begin().fragment().charFormat().isImageFormat():
        block = block.next()
    picture = QImage(str(resource("manual/pictures/en/events.png")))
    shown = browser.document().documentLayout().blockBoundingRect(block)
    assert shown.height() < 1.15 * shown.width() * picture.height() / picture.width()
