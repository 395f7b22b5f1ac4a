"""Buttons that are shown while the browser is waited for."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named


class BrowserButtons(QWidget):
    """Opens the browser again, or another one.

    Signals: ``again_requested`` to open it again · ``copy_requested`` to copy the address for another one.
    """

    again_requested = Signal()
    copy_requested = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        """``name`` is the prefix of the object names."""
        super().__init__(parent)
        again, copy = QPushButton(tr("Open the &browser again"), self), QPushButton(tr("Cop&y address"), self)
        copy.setToolTip(tr("For another browser on this computer"))
        layout = lay_out(QHBoxLayout(self), spacing=GAP)
        for button, part, signal in (
            (again, "again", self.again_requested),
            (copy, "copy", self.copy_requested),
        ):
            named(f"{name}.browser.{part}", button).setAutoDefault(False)
            button.clicked.connect(signal)
            layout.addWidget(button)
        layout.addStretch(1)
