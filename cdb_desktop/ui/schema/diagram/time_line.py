"""The bar under the diagram while versions are compared: both versions, a slider, and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.diff.change import Change, summary
from cdb_desktop.ui.schema.diagram.style import BADGE, DiagramFonts, paint_badge
from cdb_desktop.ui.schema.form.fields import ChoiceField
from cdb_desktop.ui.schema.page.findings import REMOVED, Findings, sign_color
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named

_NARROW = 600  # pixels, below which the note has a line of its own
_NOTE_AT = 4  # index of the note beside the versions
_NAME = 10  # characters of a version

Choice = tuple[str, object]  # the name of a version and what identifies it


class TimeLine(QWidget):
    """The bar. With its slider focused, arrows, Home and End go through the versions.

    Signals: ``pair_chosen`` with what identifies the old and the new version · ``stepped`` with the index of
    a version · ``cancelled`` to stop reading versions · ``closed``.
    """

    pair_chosen = Signal(object, object)
    stepped = Signal(int)
    cancelled = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.timeline")
        self._appearance = appearance
        self.slider = named("schema.timeline.slider", QSlider(Qt.Orientation.Horizontal, self))
        self.old = ChoiceField("schema.timeline.old", self)
        self.new = ChoiceField("schema.timeline.new", self)
        self._previous = self._button("previous", "previous")
        self._next = self._button("next", "next")
        self._close = self._button("close", "close")
        self.cancel = named("schema.timeline.cancel", QPushButton(tr("Cancel"), self))
        self.note = named("schema.timeline.note", ElidedLabel(self))
        self.counts = SignCounts(appearance, self)
        self._arrow = Label("→", self)
        self._is_narrow = False
        self._note = self._progress = ""
        self._arrange()
        self._connect()
        self.slider.setAccessibleName(tr("Version"))
        self.old.setAccessibleName(tr("Older version"))
        self.new.setAccessibleName(tr("Newer version"))
        for button, text in (
            (self._previous, tr("Previous version")),
            (self._next, tr("Next version")),
            (self._close, tr("Back to editing (Esc)")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.hide()

    def show_versions(self, choices: Sequence[Choice], old: object, new: object) -> None:
        """Shows the versions that can be chosen, and the two that are compared.

        The last one, nothing at all, can only be the older one.
        """
        every = list(choices)
        self.old.show_choices(every, old)
        self.new.show_choices(every[:-1] if every[-1][1] == 0 else every, new)

    @property
    def text(self) -> str:
        """Which versions are compared."""
        return f"{self.old.currentText()} → {self.new.currentText()}"

    def show_place(self, index: int, count: int, text: str) -> None:
        """Shows which of ``count`` versions is the newer one; ``text`` is its name."""
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(count - 1, 0))
            self.slider.setValue(index)
        self.slider.setTickInterval(1 if count <= 60 else count // 30)
        for widget in (self.slider, self._previous, self._next):
            widget.setVisible(count > 2)
        self._previous.setEnabled(index > 0)
        self._next.setEnabled(index < count - 1)
        self.slider.setAccessibleDescription(text)
        self.slider.setToolTip(text)

    def show_note(self, text: str) -> None:
        """Shows author and time of the newer version."""
        self._note = text
        self._show_note()

    def show_progress(self, text: str) -> None:
        """Shows how many versions have been read; empty if none are being read."""
        self._progress = text
        self.cancel.setVisible(bool(text))
        self._show_note()

    def show_findings(self, findings: Findings) -> None:
        """Shows the numbers of changes."""
        self.counts.show_changes(findings.changes)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            if is_narrow:
                self._versions.removeWidget(self.note)
                self._rows.insertWidget(2, self.note)
            else:
                self._rows.removeWidget(self.note)
                self._versions.insertWidget(_NOTE_AT, self.note, 1)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._appearance.tokens.raised))
            painter.fillRect(0, 0, self.width(), 1, QColor(self._appearance.tokens.line))

    def _show_note(self) -> None:
        self.note.setText(self._progress or self._note)
        self.note.setToolTip(self._progress or self._note)

    def _button(self, name: str, picture: str) -> IconButton:
        button = IconButton(icon(picture, self._appearance), "", self)
        return named(f"schema.timeline.{name}", button)

    def _arrange(self) -> None:
        self.note.setFont(scaled(self.font(), CAPTION))
        for field in (self.old, self.new):
            field.setMinimumContentsLength(_NAME)
        self.slider.setPageStep(5)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.cancel.setAutoDefault(False)
        self.cancel.hide()
        line = QHBoxLayout()
        line.setSpacing(TIGHT)
        line.addWidget(self._previous)
        line.addWidget(self._next)
        line.addWidget(self.slider, stretch=1)
        line.addWidget(self._close)
        self._versions = versions = QHBoxLayout()
        versions.setSpacing(TIGHT)
        versions.addWidget(self.old)
        versions.addWidget(self._arrow)
        versions.addWidget(self.new)
        versions.addSpacing(GAP)
        versions.addWidget(self.note, stretch=1)
        versions.addStretch(0)
        versions.addWidget(self.cancel)
        self._rows = layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        layout.setSpacing(2)
        layout.addLayout(line)
        layout.addLayout(versions)
        layout.addWidget(self.counts)

    def _connect(self) -> None:
        self.slider.valueChanged.connect(self.stepped)
        self._previous.clicked.connect(lambda: self.stepped.emit(self.slider.value() - 1))
        self._next.clicked.connect(lambda: self.stepped.emit(self.slider.value() + 1))
        self.cancel.clicked.connect(self.cancelled)
        self._close.clicked.connect(self.closed)
        self.old.decided.connect(lambda chosen: self.pair_chosen.emit(chosen, self.new.currentData()))
        self.new.decided.connect(lambda chosen: self.pair_chosen.emit(self.old.currentData(), chosen))
        self._appearance.changed.connect(self.update)


class SignCounts(QWidget):
    """The signs of changes, what they mean, and how many there are of each."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.timeline.counts")
        self._appearance = appearance
        self._fonts = DiagramFonts(self.font())
        self._parts: list[tuple[str, str]] = []
        self.setFixedHeight(22)
        self.setAccessibleName(tr("Changes"))
        self.show_changes(())

    @property
    def texts(self) -> tuple[str, ...]:
        """What is shown, one text for each sign."""
        return tuple(text for _, text in self._parts)

    def show_changes(self, changes: Sequence[Change]) -> None:
        """Counts the changes by their signs."""
        numbers = Counter(change.sign for change in changes)
        self._parts = [
            ("+", tr("{count} added", count=numbers["+"])),
            ("~", tr("{count} changed", count=numbers["~"])),
            ("→", tr("{count} renamed", count=numbers["→"])),
            (REMOVED, tr("{count} removed", count=numbers[REMOVED])),
        ]
        whole = ", ".join(str(each) for each in summary(changes)) or tr("no changes")
        self.setToolTip(whole)
        self.setAccessibleDescription(whole)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(round(sum(map(self._width, self.texts))), self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens, left = self._appearance.tokens, 2.0
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for sign, text in self._parts:
                colors = sign_color(sign, tokens), QColor(tokens.ground)
                middle = QPointF(left + BADGE + 2, self.height() / 2)
                paint_badge(painter, middle, sign, colors, self._fonts.font(Role.MARK))
                painter.setFont(self._fonts.font(Role.TYPE))
                painter.setPen(QColor(tokens.text))
                room = QRectF(left + 2 * BADGE + GAP, 0, self._width(text), self.height())
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
                left += self._width(text)

    def _width(self, text: str) -> float:
        return 2 * BADGE + GAP + self._fonts.width(text, Role.TYPE) + GROUP
