"""Labels, the colored dot beside them, and entries of lists with a muted text at the right."""

from __future__ import annotations

import re
from typing import Literal

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from cdb_desktop.foundation.i18n import visible
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import CAPTION, GAP, TIGHT, scaled

_NARROWEST = 40
_MOST_LINES = 2  # of one word: a path may be wrapped at its slashes
_BETWEEN_WORDS = re.compile(r"(\s+)")
_ENCODING = "utf-16-le"  # Qt counts in its units
DotTone = Literal["accent", "good", "warning", "danger", "muted"]
_SIZE = 8


class Label(QLabel):
    """A QLabel for plain text; every label of this program is one.

    QLabel guesses by the text whether it is HTML, and HTML from a service could load files of this machine or
    contact other hosts. Labels with rich text of our own call ``setTextFormat`` and escape all values. Labels
    and tooltips that Qt makes itself become plain in ``RowHighStyle.polish``; that alone would be too late
    here, since a layout may measure a label before it is polished.
    """

    def __init__(
        self,
        text: str | QWidget | None = None,
        parent: QWidget | None = None,
        *,
        wordWrap: bool = False,  # noqa: N803 - the name of Qt's property
    ) -> None:
        """Takes the text, the parent, or both, as QLabel does."""
        super().__init__(parent if text is None or isinstance(text, str) else text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wordWrap)
        if isinstance(text, str):
            self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        """Shows a text; characters that would change its direction are shown as marks."""
        super().setText(visible(text))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Gives links the color of another theme, which QLabel does not do while the text stays the same."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.textFormat() == Qt.TextFormat.RichText:
            text = self.text()
            self.clear()
            super().setText(text)


class ElidedLabel(Label):
    """A label that is elided instead of making its window wider; the tooltip has the whole text.

    With word wrap it is an ordinary label.
    """

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self.setToolTip(text.strip())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Leaves space for the beginning of the text only."""
        wanted = super().minimumSizeHint()
        if self.wordWrap():
            return wanted
        return QSize(min(_NARROWEST, wanted.width()), wanted.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self.wordWrap():
            super().paintEvent(event)
            return
        rect = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, rect.width())
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(rect, self.alignment(), text)


class WrappedLabel(Label):
    """A label of several lines in which no word is cut off at the edge.

    Words that take more than two lines, such as paths, are elided in the middle; so is what cannot be
    wrapped. While anything is elided, tooltip and accessible description have the whole text. The owner calls
    `elide` after the layout.

    Signals: ``resized`` after the width has changed.
    """

    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, wordWrap=True)
        self._whole = ""

    def text(self) -> str:
        """The whole text."""
        return self._whole

    def setText(self, text: str) -> None:  # noqa: N802
        self._whole = text
        self._show(text)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Ignores the longest word, which is elided."""
        wanted = super().minimumSizeHint()
        return QSize(min(_NARROWEST, wanted.width()), wanted.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()

    def elide(self) -> bool:
        """Elides for the current width; returns whether the shown text has changed."""
        before = super().text()
        width = self.contentsRect().width() - 2 * self.margin()
        self._show("\n".join(self._fitted(line, width) for line in self._whole.split("\n")))
        return super().text() != before

    def _show(self, shown: str) -> None:
        if shown != super().text():
            super().setText(shown)
        whole = "" if shown == self._whole else self._whole
        self.setToolTip(whole)
        self.setAccessibleDescription(whole)

    def _fitted(self, text: str, width: int) -> str:
        """A paragraph with everything too long for ``width`` elided."""
        words = (self._elided(word, _MOST_LINES * width) for word in _BETWEEN_WORDS.split(text))
        text = "".join(words)
        units = text.encode(_ENCODING, "surrogatepass")
        layout = QTextLayout(text, self.font())
        layout.setTextOption(QTextOption(self.alignment()))
        layout.beginLayout()
        parts: list[str] = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            start, end = 2 * line.textStart(), 2 * (line.textStart() + line.textLength())
            part = units[start:end].decode(_ENCODING, "surrogatepass")
            if line.naturalTextWidth() > width:
                part = self._elided(part, width)
            parts.append(part)
        layout.endLayout()
        return "".join(parts)

    def _elided(self, text: str, width: int) -> str:
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width)


class StatusDot(QWidget):
    """A small dot whose color shows a state; text beside it describes the same."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tone: DotTone = "muted"
        self.setFixedSize(QSize(_SIZE, _SIZE))

    def show_tone(self, tone: DotTone) -> None:
        """Changes the color."""
        self._tone = tone
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(self._appearance.tokens, self._tone)))
            painter.drawEllipse(QRectF(0, 0, _SIZE, _SIZE))


def caption(parent: QWidget | None = None) -> QLabel:
    """A muted label for secondary text."""
    label = Label(parent)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def color_text(
    widget: QWidget, color: QColor | str, role: QPalette.ColorRole = QPalette.ColorRole.WindowText
) -> None:
    """Gives the text of a widget another color; the same one again does not lay it out again."""
    palette = QPalette(widget.palette())
    if palette.color(role) != QColor(color):
        palette.setColor(role, QColor(color))
        widget.setPalette(palette)


Tone = Literal["muted", "good", "warning", "danger"]

# Not by color alone.
_SIGNS: dict[Tone, str] = {"muted": "", "good": "✓ ", "warning": "△ ", "danger": "△ "}


class Hint(Label):
    """A text below a field: a hint, a warning or an error. It occupies one line even while it is empty."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.tone: Tone = "muted"
        self.setFont(scaled(self.font(), CAPTION))
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setMinimumHeight(self.fontMetrics().height())
        self.setForegroundRole(QPalette.ColorRole.WindowText)  # also on a ground with another role
        appearance.changed.connect(self._paint)
        self._paint()

    def show_hint(self, tone: Tone, text: str) -> None:
        """Shows ``text`` in the color of ``tone``."""
        self.tone = tone
        self.setText(f"{_SIGNS[tone]}{text}" if text else "")
        self._paint()

    def _paint(self) -> None:
        color_text(self, getattr(self._appearance.tokens, self.tone))


BESIDE = Qt.ItemDataRole.UserRole + 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CHECK = 32  # width in pixels of the box before a text

_Index = QModelIndex | QPersistentModelIndex


class SideTextDelegate(QStyledItemDelegate):
    """Paints a muted text at the right of an entry; the entry is elided before it."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:  # noqa: N802
        """Elides the text before the side text."""
        super().initStyleOption(option, index)
        beside = index.data(BESIDE)
        if beside:
            metrics = option.fontMetrics
            room = option.rect.width() - metrics.horizontalAdvance(beside) - 2 * GAP - _CHECK
            if option.features & QStyleOptionViewItem.ViewItemFeature.HasDecoration:
                room -= option.decorationSize.width() + TIGHT
            option.text = metrics.elidedText(option.text, Qt.TextElideMode.ElideMiddle, room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        beside = index.data(BESIDE)
        if beside:
            painter.setFont(option.font)
            painter.setPen(QColor(self._appearance.tokens.muted))
            painter.drawText(option.rect.adjusted(0, 0, -GAP, 0), _RIGHT, beside)
