"""Dialogs: what a removal also removes, and the target of a link."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.names import is_column_name
from cdb_desktop.ui.schema.form.fields import FilterField, TextField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field

_SPACE = 2
_MOST_LINES = 10


class RemovalDialog(BaseDialog):
    """Lists what is removed together with an element."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        name: str,
        dependents: Sequence[str],
        remove: Callable[[], None],
    ) -> None:
        super().__init__(appearance, "schema.removal", parent)
        text = tr("This is deleted along with it. Undo brings all of it back until you save.")
        self.set_texts(tr("Delete {name}", name=name), text, tr("Delete all"))
        self.body.addWidget(text_list(list(dependents), self))
        self.accept_button.clicked.connect(self.accept)
        self.accepted.connect(remove)


class LinkDialog(BaseDialog):
    """Asks for the target of a link, and for its name unless ``name`` is given.

    No target is preselected: an unintended link looks like any other.
    """

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        targets: list[tuple[str, object]],
        name: str,
        link: Callable[[str, int], None],
    ) -> None:
        super().__init__(appearance, "schema.link", parent)
        self._link_to = link
        self.set_texts(tr("Link to a table"), "", tr("Link", context="verb"))
        self.target = FilterField("schema.link.target")
        self.target.setPlaceholderText(tr("Choose a table or type its name"))
        self.target.show_choices(targets, None)
        self.name = TextField()
        self.name.setText(name)
        self._is_named = bool(name)
        self.add_form(
            Field("target", self.target, tr("Links to")),
            Field("name", self.name, tr("Name"), visible_if=lambda: not name),
        )
        self.target.decided.connect(self._propose_name)
        self.name.textChanged.connect(self._check)
        self.name.textEdited.connect(self._keep_name)
        self.accept_button.clicked.connect(self._link)
        self._check()
        self.target.setFocus()

    def _propose_name(self) -> None:
        """Proposes the target's name until the user types another one."""
        if not self._is_named:
            self.name.setText(self.target.text())
        self._check()

    def _keep_name(self) -> None:
        self._is_named = True

    def _check(self) -> None:
        fits = is_column_name(self.name.text().strip()) and self.target.chosen is not None
        self.accept_button.setEnabled(fits)

    def _link(self) -> None:
        name, target = self.name.text().strip(), self.target.chosen
        self.accept()
        if isinstance(target, int):
            self._link_to(name, target)


def text_list(lines: list[str], parent: QWidget) -> QListWidget:
    """A read-only list that is as high as its lines if they are few. Tooltips show the whole lines."""
    found = QListWidget(parent)
    for line in lines:
        QListWidgetItem(line, found).setToolTip(line)
    found.setSelectionMode(QListWidget.SelectionMode.NoSelection)
    found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    found.setTextElideMode(Qt.TextElideMode.ElideRight)
    found.setWordWrap(False)
    found.setSpacing(_SPACE)
    height = max(found.sizeHintForRow(0), 1) + 2 * _SPACE
    found.setFixedHeight(min(len(lines), _MOST_LINES) * height + 2 * (found.frameWidth() + _SPACE))
    return found
