"""First steps: a bar above each page of the demo with three topics, until it is closed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.help import MANUAL, SHOW
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.notice import WrappedBar
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.manual import contents, topic_title


class FirstStepsBar(WrappedBar):
    """The titles of topics as links, each with a link that starts an action.

    Signals: ``appeared`` with whether it is visible, also when the page around it is shown or hidden.
    """

    appeared = Signal(bool)

    def __init__(self, appearance: Appearance, page: str, steps: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setObjectName(f"first_steps.{page}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = named(f"first_steps.{page}.text", Label(self, wordWrap=True))
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setText(_links(steps))
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.text.linkActivated.connect(QDesktopServices.openUrl)
        tip = tr("Close the first steps of this page for good")
        self.close_button = named(
            f"first_steps.{page}.close", IconButton(icon("close", appearance), tip, self)
        )
        self.close_button.clicked.connect(self.close)
        line = QHBoxLayout(self)
        line.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        line.addWidget(self.text, stretch=1)
        line.addWidget(self.close_button)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.appeared.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.appeared.emit(False)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self.palette().alternateBase())


def add_first_steps(appearance: Appearance, settings: QSettings, pages: Mapping[str, QWidget]) -> None:
    """Adds the bars to pages, given by the names of their actions, unless they were closed before.

    The live feed is beside other pages; its bar is hidden while theirs is visible.
    """
    bars: dict[str, FirstStepsBar] = {}
    for name, steps in contents().first_steps.items():
        key, page = f"manual/first_steps_{name}", pages[name]
        layout = page.layout()
        if settings.value(key, True, type=bool) is not True or not isinstance(layout, QBoxLayout):
            continue
        bar = bars[name] = FirstStepsBar(appearance, name, steps)
        bar.close_button.clicked.connect(lambda _checked=False, key=key: settings.setValue(key, False))
        layout.insertWidget(0, bar)
    feed = bars.pop("live", None)
    for bar in bars.values():
        if feed is not None:
            bar.appeared.connect(feed.setHidden)


def _links(steps: Sequence[tuple[str, str]]) -> str:
    show = escape(tr("Show me"))
    parts = [
        f'<a href="{MANUAL}:{topic}">{escape(topic_title(topic, language()))}</a>'
        f' (<a href="{SHOW}:{action}">{show}</a>)'.replace(" ", "&nbsp;").replace("<a&nbsp;", "<a ")
        for topic, action in steps
    ]
    return f"<b>{escape(tr('First steps'))}</b> &nbsp; {' · '.join(parts)}"
