"""The dialog of a merge with its diagram."""

from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.merge import dialog as merge_dialog
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of


async def open_merge_dialog(controller: SchemaController, found: Merge) -> tuple[MergeDialog, list[Merge]]:
    """The open dialog with its diagram, and the results that were accepted."""
    accepted: list[Merge] = []
    versions = found.versions.base, found.versions.theirs, found.versions.mine
    view, tasks = controller._view, controller._tasks
    await merge_dialog.open_merge_dialog(view, tasks, "Merge", versions, accepted.append)
    dialog = child_of(view, MergeDialog)
    dialog.show_diagram.setChecked(True)
    await until_merged(dialog)
    return dialog, accepted


async def until_merged(dialog: MergeDialog) -> None:
    """Waits until the dialog shows the result of all choices, and the diagram as well."""
    await until(
        lambda: dict(dialog.merge.choices) == dialog._choices and dialog.diagram.merge is dialog.merge
    )
