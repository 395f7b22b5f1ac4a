"""Tests of texts that are set once and painted often."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.widgets.event_table.paint_cache import TextCache

LINE = QRect(5, 3, 120, 24)
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


def picture(texts: TextCache, text: str, font: QFont, *, right: bool) -> QImage:
    """The text as it is painted."""
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


def as_qt_does(text: str, font: QFont, *, right: bool) -> QImage:
    """The text as Qt paints it by itself."""
    image = QImage(140, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.setFont(font)
        told = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, LINE.width())
        painter.drawText(LINE, RIGHT if right else LEFT, told)
    return image


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("text", ["SEARCH", "<b>René</b> & <i>", "a long name of somebody, cut at its end"])
def test_a_text_looks_as_if_it_were_not_kept(qapp: QApplication, text: str, right: bool) -> None:
    """Whatever stands in it, at the first time and at the second, and in another font."""
    texts, large = TextCache(), QFont(qapp.font())
    large.setPointSizeF(1.3 * large.pointSizeF())
    for font in (qapp.font(), qapp.font(), large):
        assert picture(texts, text, font, right=right) == as_qt_does(text, font, right=right)


def test_texts_of_long_ago_are_forgotten(qapp: QApplication) -> None:
    """However many are painted, a bounded number is kept, and those that are painted again and again stay."""
    texts = TextCache()
    before = picture(texts, "SEARCH", qapp.font(), right=False)
    for number in range(2500):
        picture(texts, str(number), qapp.font(), right=False)
        kept = len(texts._recent) + len(texts._older)
        assert kept <= 2000
    assert picture(texts, "SEARCH", qapp.font(), right=False) == before
