"""The dialog of a merge with its diagram."""

from __future__ import annotations

from cdb_desktop.schema.merge.conflict import Choices
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from tests.desktop.ui.schema.conftest import Bench


def open_merge_dialog(bench: Bench, found: Merge) -> tuple[MergeDialog, list[Merge]]:
    """The open dialog with its diagram, and the results that were accepted."""
    accepted: list[Merge] = []

    def remerge(choices: Choices) -> None:
        dialog.show_merge(found.chosen(choices))

    dialog = MergeDialog(bench.view.appearance, bench.view, "Merge", found, remerge, accepted.append)
    dialog.open()
    dialog.show_diagram.setChecked(True)
    return dialog, accepted
