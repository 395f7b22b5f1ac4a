"""Tests of the cache of painted texts."""

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.widgets.event_table.paint_cache import TextCache

LINE = QRect(5, 3, 120, 24)
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


def picture(texts: TextCache, text: str, font: QFont, *, right: bool) -> QImage:
    """The text as painted by the cache."""
    image = QImage(140, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.setFont(font)
        texts.follow(painter)
        found, left = texts.find(text, LINE.width(), right=right)
        assert found is not None
        painter.setPen(QColor("black"))
        painter.drawStaticText(QPointF(LINE.left() + left, texts.top(LINE.top(), LINE.height())), found)
    return image


def painted_by_qt(text: str, font: QFont, *, right: bool) -> QImage:
    """The text as painted by Qt."""
    image = QImage(140, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.setFont(font)
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, LINE.width())
        painter.drawText(LINE, RIGHT if right else LEFT, elided)
    return image


def test_a_cached_text_looks_as_painted_by_qt(qapp: QApplication) -> None:
    """Any text, on the first and on the second painting, and with another font."""
    texts, large = TextCache(), QFont(qapp.font())
    large.setPointSizeF(1.3 * large.pointSizeF())
    for font in (qapp.font(), qapp.font(), large):
        for text in ("SEARCH", "<b>René</b> & <i>", "a long name of somebody, cut at its end"):
            for right in (False, True):
                expected = painted_by_qt(text, font, right=right)
                assert picture(texts, text, font, right=right) == expected, (text, right)


def test_the_end_of_a_cut_text_is_shown(qapp: QApplication) -> None:
    """A column may cut the middle of its texts, such as the name in front of the id of an object."""
    texts = TextCache()
    cut, _ = texts.find("condition_report 20393", 90, right=False, ends=True)
    other, _ = texts.find("condition_report 20393", 90, right=False)
    assert cut is not None
    assert other is not None
    assert cut.text().endswith("393")
    assert other.text().startswith("condition")


def test_least_recently_used_texts_are_removed(qapp: QApplication) -> None:
    """The cache is bounded, and texts that are painted often stay."""
    texts = TextCache()
    before = picture(texts, "SEARCH", qapp.font(), right=False)
    for number in range(2500):
        picture(texts, str(number), qapp.font(), right=False)
        kept = len(texts._recent) + len(texts._older)
        assert kept <= 2000
    assert picture(texts, "SEARCH", qapp.font(), right=False) == before
