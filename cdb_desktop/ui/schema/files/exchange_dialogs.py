"""The dialog about what an export to another tool lacks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QApplication, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.exchange.relational import Loss
from cdb_desktop.ui.schema.form.dialogs import text_list
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog

_WIDTH = 640


class LossDialog(BaseDialog):
    """Lists what has no counterpart in a file that was written."""

    def __init__(self, appearance: Appearance, parent: QWidget, file: str, losses: Sequence[Loss]) -> None:
        super().__init__(appearance, "schema.losses", parent)
        text = tr("The file lacks the following, since its format has no counterpart for it.")
        self.setMinimumWidth(_WIDTH)
        self.set_texts(tr("Without a counterpart in {file}", file=file), text, tr("Close"))
        self.body.addWidget(loss_list(losses, self))
        copy = self.add_button(tr("Copy list"), lambda: _copy(losses))
        copy.setObjectName("schema.losses.copy")
        self.cancel_button.hide()
        self.accept_button.clicked.connect(self.accept)


def loss_list(losses: Sequence[Loss], parent: QWidget) -> QWidget:
    """The losses as a list."""
    found = text_list([str(loss) for loss in losses], parent)
    found.setObjectName("schema.losses.list")
    found.setAccessibleName(tr("Without a counterpart"))
    return found


def _copy(losses: Sequence[Loss]) -> None:
    lines = (
        f"{loss.what}: {', '.join(loss.elements)}" if loss.elements else str(loss.what) for loss in losses
    )
    QApplication.clipboard().setText("\n".join(lines))
