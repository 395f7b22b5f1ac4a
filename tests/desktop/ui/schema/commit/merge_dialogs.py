"""The dialog of a merge with its diagram."""

from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.merge import dialog as merge_dialog
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of


async def open_merge_dialog(controller: SchemaController, found: Merge) -> tuple[MergeDialog, list[Merge]]:
    """The open dialog with its diagram, and the results that were accepted."""
    accepted: list[Merge] = []
    versions, view, tasks = found.versions, controller._view, controller._tasks

    def take(merged: Merge, _draft: Document) -> None:
        accepted.append(merged)

    others = versions.base, versions.theirs
    await merge_dialog.open_merge_dialog(view, tasks, "Merge", others, lambda: versions.mine, take)
    dialog = child_of(view, MergeDialog)
    dialog.show_diagram.setChecked(True)
    await until_merged(dialog)
    return dialog, accepted


async def until_merged(dialog: MergeDialog) -> None:
    """Waits until the dialog shows the result of all choices, and the diagram as well."""
    await until(
        lambda: dict(dialog.merge.choices) == dialog._choices and dialog.diagram.merge is dialog.merge
    )
