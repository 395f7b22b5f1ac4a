"""Dialogs about an exchange with other tools: what an export lacks, and what an import would change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication, QRadioButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.change import Change, summary
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.relational import Loss
from cdb_desktop.ui.schema.form.dialogs import text_list
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named

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


@dataclass(frozen=True, slots=True)
class ImportProposal:
    """A document after an import, its changes, and what was not taken over."""

    document: Document
    changes: tuple[Change, ...]
    losses: tuple[Loss, ...]


class ImportDialog(BaseDialog):
    """Shows what an import would change, and asks whether tables that the file lacks are removed."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        file: str,
        proposals: tuple[ImportProposal, ImportProposal],
        take: Callable[[Document], None],
    ) -> None:
        """``proposals``: what is added, and what replaces everything. ``take`` gets the chosen document."""
        super().__init__(appearance, "schema.import", parent)
        self._proposals = proposals
        self._take = take
        self.setMinimumWidth(_WIDTH)
        text = tr(
            "Tables and columns are matched by name. The import is one step that Undo takes back; "
            "nothing is sent to the service before you save."
        )
        self.set_texts(tr("Import {file}", file=file), text, tr("Import"))
        self.adds = named("schema.import.add", QRadioButton(tr("Add and update, remove nothing"), self))
        replace = tr("Replace: remove tables and columns that the file lacks")
        self.replaces = named("schema.import.replace", QRadioButton(replace, self))
        self.adds.setChecked(True)
        self._summary = named("schema.import.summary", Label(self))
        self._summary.setWordWrap(True)
        for widget in (self.adds, self.replaces, self._summary):
            self.body.addWidget(widget)
        if proposals[0].losses:
            self.body.addWidget(Label(tr("Not taken over, or changed:"), self))
            self.body.addWidget(loss_list(proposals[0].losses, self))
        self.adds.toggled.connect(self._show)
        self.accept_button.clicked.connect(self._accept)
        self._show()

    @property
    def summary(self) -> str:
        """What the chosen way changes."""
        return self._summary.text()

    @property
    def _chosen(self) -> ImportProposal:
        return self._proposals[0 if self.adds.isChecked() else 1]

    def _show(self) -> None:
        changes = self._chosen.changes
        counts = ", ".join(str(count) for count in summary(changes))
        self._summary.setText(counts or tr("Nothing would change."))
        self.accept_button.setEnabled(bool(changes))
        self._grow()

    def _accept(self) -> None:
        self.accept()
        self._take(self._chosen.document)


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
