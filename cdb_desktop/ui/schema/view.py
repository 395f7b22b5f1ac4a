"""What the schema page looks like: the diagram of the working version, and the pictures in its place."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.bar import ActionButton, Bar, caption
from cdb_desktop.ui.widgets.picture_view import PictureView
from cdb_desktop.ui.widgets.state_picture import Kind, StatePicture
from cdb_desktop.vocabulary.sentences import Sentence


class SchemaView(QWidget):
    """The page of the schema.

    Signals: ``again_requested`` when the way out of a failure is taken.
    """

    again_requested = Signal()

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self.diagram = PictureView(self)
        self._picture = StatePicture(appearance, self)
        self._zoom = caption(self)
        self._arrange(actions)
        self._picture.step_requested.connect(self.again_requested)
        self.diagram.zoom_changed.connect(self._show_zoom)
        actions["zoom_in"].triggered.connect(self.diagram.zoom_in)
        actions["zoom_out"].triggered.connect(self.diagram.zoom_out)
        actions["fit"].triggered.connect(self.diagram.fit)

    def show_loading(self) -> None:
        """The diagram is on its way; one that is there stays."""
        if not self.diagram.has_picture:
            text = self.tr("The service draws the tables and their links.")
            self._show_picture(Kind.LOADING, self.tr("Drawing the schema"), text, "")

    def show_diagram(self, svg: bytes) -> None:
        """The diagram as the service draws it."""
        if self.diagram.show_picture(svg):
            self._stack.setCurrentWidget(self.diagram)
        else:
            text = self.tr("The service sent a picture that cannot be shown.")
            self._show_picture(Kind.FAILED, self.tr("No diagram"), text, self.tr("Try again"))

    def show_empty(self) -> None:
        """There is no schema yet (§4.6: before the first update every version is unknown)."""
        text = self.tr("The service has no schema yet. It begins with the first version that somebody saves.")
        self._show_picture(Kind.EMPTY, self.tr("No schema"), text, self.tr("Look again"))

    def show_failure(self, said: Sentence) -> None:
        """Nothing can be shown, and why."""
        self._show_picture(Kind.FAILED, said.title, f"{said.text} {said.remedy}", self.tr("Try again"))

    def _show_picture(self, kind: Kind, title: str, text: str, step: str) -> None:
        self._picture.show_state(kind, title, text, step)
        self._stack.setCurrentWidget(self._picture)

    def _show_zoom(self, zoom: float) -> None:
        self._zoom.setText(f"{zoom * 100:.0f} %")

    def _arrange(self, actions: Actions) -> None:
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.diagram)
        self._stack.addWidget(self._picture)
        version = QLabel("HEAD", self)
        version.setFont(QFont(self.font().family(), self.font().pointSize(), QFont.Weight.DemiBold))
        told = caption(self)
        told.setText(self.tr("the version that is being worked on"))
        bar = Bar(self)
        bar.add(version)
        bar.add(told, gap=GAP)
        bar.push()
        bar.add(self._zoom)
        bar.add(
            *(ActionButton(actions[name], bar) for name in ("zoom_out", "zoom_in", "fit", "refresh")), gap=GAP
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self._stack)
