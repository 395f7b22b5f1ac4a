"""Tests of the splitter, the layout boundary, the scroll corner and the lazy text."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.layout import LayoutBoundary, LazyText, ScrollCorner, Splitter


class LayoutRequests(QObject):
    """Counts the layout requests of a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.requests = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Counts layout requests and filters no event."""
        self.requests += event.type() == QEvent.Type.LayoutRequest
        return False


def test_a_layout_boundary_isolates_its_content(qtbot: QtBot) -> None:
    """New content is laid out in the whole area; the window is not laid out again."""
    window, part = QWidget(), LayoutBoundary()
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(part)
    label = QLabel("short")
    QVBoxLayout(part.content).addWidget(label)
    with qtbot.waitExposed(window):
        window.show()
    inside, outside = LayoutRequests(part.content), LayoutRequests(window)
    label.setText("much longer\nand higher")
    qtbot.waitUntil(lambda: inside.requests > 0)
    assert (outside.requests, part.content.size()) == (0, part.size())
    window.resize(300, 200)
    assert part.content.size() == part.size()


@pytest.fixture(params=[Qt.Orientation.Horizontal, Qt.Orientation.Vertical])
def split(request: pytest.FixtureRequest, qtbot: QtBot) -> Splitter:
    """Two white widgets of the same size with red separators."""
    made = Splitter(request.param)
    qtbot.addWidget(made)
    palette = made.palette()
    palette.setColor(QPalette.ColorRole.Mid, QColor("red"))
    palette.setColor(QPalette.ColorRole.Window, QColor("white"))
    made.setPalette(palette)
    for _ in range(2):
        made.addWidget(QWidget())
    made.resize(101, 101)
    made.setSizes([50, 50])
    made.show()
    return made


def test_a_separator_is_one_pixel_wide(split: Splitter) -> None:
    """It has the color of separators, from edge to edge."""
    image = split.grab().toImage()
    across = split.orientation() == Qt.Orientation.Horizontal
    red = [
        place
        for place in range(101)
        if _is_red(image.pixelColor(place, 7) if across else image.pixelColor(7, place))
    ]
    assert red == [50]


def test_no_part_can_be_collapsed(split: Splitter) -> None:
    """Not by setting sizes either."""
    first = split.widget(0)
    assert first is not None
    first.setMinimumSize(20, 20)
    split.setSizes([0, 100])
    assert min(split.sizes()) >= 20


def _is_red(colour: QColor) -> bool:
    return colour == QColor("red")


def test_a_text_is_laid_out_when_it_is_shown(qtbot: QtBot) -> None:
    """A hidden text costs no time; a visible text changes immediately."""
    text = LazyText()
    qtbot.addWidget(text)
    text.show_text("one")
    assert (text.text, text.toPlainText()) == ("one", "")
    with qtbot.waitExposed(text):
        text.show()
    assert text.toPlainText() == "one"
    text.show_text("two")
    assert text.toPlainText() == "two"


def test_the_corner_has_the_color_of_the_page_and_no_frame(qtbot: QtBot, appearance: Appearance) -> None:
    """If there are two scroll bars; otherwise the text has the space."""
    text = QPlainTextEdit()
    qtbot.addWidget(text)
    text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
    text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    ScrollCorner(text)
    text.resize(200, 100)
    text.show()
    text.setPlainText("\n".join(["a long line " * 20] * 40))
    qtbot.waitUntil(lambda: text.horizontalScrollBar().isVisible() and text.verticalScrollBar().isVisible())
    image = text.grab().toImage()
    corner = {
        image.pixelColor(image.width() - x, image.height() - y).name()
        for x in range(1, 12)
        for y in range(1, 12)
    }
    assert corner == {QColor(appearance.tokens.ground).name()}
    text.setPlainText("a long line " * 20)
    qtbot.waitUntil(lambda: not text.verticalScrollBar().isVisible())
    assert text.horizontalScrollBar().width() == 200
    text.setPlainText("short")
    qtbot.waitUntil(lambda: not text.horizontalScrollBar().isVisible())
    assert text.viewport().width() == 200
