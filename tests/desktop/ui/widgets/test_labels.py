"""Tests of elided labels."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label, WrappedLabel
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeBar, NoticeStack
from cdb_desktop.vocabulary.error_messages import ErrorMessage

LONG = "0 hits in 13,987 of 21,093 events, another second or two, and then some more of it all"


def test_a_long_text_is_elided_and_does_not_widen_the_window(qtbot: QtBot) -> None:
    """The complete text is its tooltip and its accessible name."""
    window = QWidget()
    qtbot.addWidget(window)
    label, beside = ElidedLabel(window), QLabel("beside", window)
    layout = QHBoxLayout(window)
    layout.addWidget(label)
    layout.addWidget(beside)
    window.resize(200, 40)
    window.show()
    short = label.grab().toImage()
    label.setText(LONG)
    assert window.minimumSizeHint().width() < 200
    assert label.sizeHint().width() > 200
    assert (label.text(), label.toolTip()) == (LONG, LONG)
    assert label.grab().toImage() != short
    assert beside.geometry().right() < window.width()


def test_links_follow_a_change_of_colors(qtbot: QtBot, appearance: Appearance) -> None:
    """QLabel keeps the color that links had when their text was set."""
    label = Label()
    qtbot.addWidget(label)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setText('<a href="x">MMMM</a>')
    label.show()
    for choice in ("dark", "light"):
        appearance.choose(choice)
        qtbot.waitUntil(lambda: appearance.tokens.accent.lower() in _colors(label))


def _colors(label: QLabel) -> set[str]:
    image = label.grab().toImage()
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in places}


WIDTH = 900
PATHS = (
    f"/home/{'x' * 400}/events.csv",
    "/home/" + "/".join(["a_folder_of_the_museum"] * 40) + "/events.csv",
    "C:\\" + "\\".join(["Ereignisse_"] * 60) + "\\sammlung.csv",
    "/home/" + "😀" * 200 + "/events.csv",
)


@pytest.fixture
def show_notice(qtbot: QtBot, appearance: Appearance) -> Callable[[str], ActionNotice]:
    """Returns a function that shows a notice with two buttons in a window."""
    window = QWidget()
    qtbot.addWidget(window)

    def show(text: str) -> ActionNotice:
        layout = QVBoxLayout(window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addStretch(1)
        bars = NoticeStack(appearance, NoticeBar(appearance, window))
        layout.addWidget(bars)
        window.resize(WIDTH, 300)
        window.show()
        bar = bars.add()
        bar.show_message("warning", ErrorMessage("Not exported to the end", text, ""))
        for name in ("Continue", "Throw away"):
            bar.add_button(name, name, bar.hide)
        qtbot.waitUntil(lambda: all(button.isVisible() for button in bar.buttons))
        QApplication.processEvents()
        assert window.width() == WIDTH
        return bar

    return show


def _label(bar: ActionNotice) -> WrappedLabel:
    (label,) = bar.findChildren(WrappedLabel)
    return label


@pytest.mark.parametrize("path", PATHS)
def test_a_long_path_is_elided_in_the_middle(show_notice: Callable[[str], ActionNotice], path: str) -> None:
    """The text around it is shown, in few lines; the tooltip and the accessible name are complete."""
    text = f"An export to {path} was interrupted at 14,986 of 111,263 rows."
    bar = show_notice(text)
    label = _label(bar)
    shown = QLabel.text(label)
    assert shown.startswith(f"An export to {path[:8]}")
    assert shown.endswith(f"{path[-6:]} was interrupted at 14,986 of 111,263 rows.")
    # A font without some characters may show them without a width.
    assert "…" in shown or QFontMetrics(label.font()).horizontalAdvance(path) <= 2 * label.width()
    assert label.heightForWidth(label.width()) <= label.height() <= 6 * label.fontMetrics().lineSpacing()
    assert max(map(QFontMetrics(label.font()).horizontalAdvance, shown.split())) <= 2 * label.width()
    elided = text if "…" in shown else ""
    assert (bar.text, label.toolTip(), label.accessibleDescription()) == (text, elided, elided)


def test_a_wider_window_shows_more(qtbot: QtBot, show_notice: Callable[[str], ActionNotice]) -> None:
    """The complete text needs no tooltip."""
    text = f"An export to /home/{'x' * 300}/events.csv was interrupted."
    bar = show_notice(text)
    before = QLabel.text(_label(bar))
    bar.window().resize(2 * WIDTH, 300)
    qtbot.waitUntil(lambda: len(QLabel.text(_label(bar))) > len(before))
    bar.window().resize(4 * WIDTH, 300)
    qtbot.waitUntil(lambda: QLabel.text(_label(bar)) == text)
    assert _label(bar).toolTip() == ""
    bar.window().resize(WIDTH, 300)
    qtbot.waitUntil(lambda: QLabel.text(_label(bar)) == before)


def test_usual_texts_are_wrapped(show_notice: Callable[[str], ActionNotice]) -> None:
    """They are not elided."""
    text = "Words that are " + "wrapped " * 80
    label = _label(show_notice(text))
    assert QLabel.text(label) == text
    assert label.toolTip() == ""
