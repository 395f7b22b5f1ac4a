"""The popup in which the user names a mark."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.saved_views import single_line
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup

_WIDTH = 240
_LONGEST = 60  # characters


class MarkPopup(Popup):
    """Asks for the name of a mark that exists already; Escape leaves it without a name."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, tr("Mark"), tr("Name it"), parent)
        self.setObjectName("live.mark")
        self.line = named("live.mark.name", QLineEdit(self))
        self.line.setMaxLength(_LONGEST)
        self.line.setMinimumWidth(_WIDTH)
        self.line.setPlaceholderText(tr("What happens now"))
        self.line.setAccessibleName(tr("Name of the mark"))
        self.add(self.line)
        self.finish(self.line)

    @property
    def name(self) -> str:
        """The entered name, in one line; empty for none."""
        return single_line(self.line.text())
