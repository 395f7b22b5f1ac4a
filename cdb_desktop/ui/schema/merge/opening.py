"""Merges in a thread and opens the dialog, for HEAD and for model files."""

from __future__ import annotations

from collections.abc import Callable

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.changes import with_tables_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.merge.conflict import Choices
from cdb_desktop.schema.merge.merge import Merge, merge
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from cdb_desktop.ui.schema.merge.picture import MergePictures
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_MERGE, _DRAW = "schema.merge", "schema.merge.diagram"


async def open_merge_dialog(
    view: SchemaView,
    tasks: Tasks,
    title: str,
    versions: tuple[Document, Document, Document],
    take: Callable[[Merge], None],
    introduction: str = "",
) -> None:
    """Merges base, theirs and mine; ``take`` is called with the merge that the user accepts.

    ``introduction`` says what the sides are unless they are two people's work.
    """
    merged = await run_in_thread(_merge, *versions)
    shown = view.diagram
    pictures = MergePictures(shown.graph_builder.copy(), shown.diagram_scene.diagram.arrangement)

    def remerge(choices: Choices) -> None:
        # Fails for no choice; the task shows what is wrong with the program if it does.
        tasks.start(_MERGE, show(choices))

    async def show(choices: Choices) -> None:
        found = await run_in_thread(_merge_again, merged, choices)
        if dialog.isVisible():
            dialog.show_merge(found)

    def draw(merge: Merge) -> None:
        tasks.start(_DRAW, show_picture(merge))

    async def show_picture(merge: Merge) -> None:
        picture = await pictures.make(merge)
        if dialog.isVisible():
            dialog.show_picture(picture)

    dialog = MergeDialog(view.appearance, view, title, merged, remerge, draw, take)
    dialog.diagram.output_requested.connect(view.merge_output_requested)
    if introduction:
        dialog.introduce(introduction)
    dialog.open()


def _merge(base: Document, theirs: Document, mine: Document) -> Merge:
    # Tables of which the page has a box already need none of their own.
    return _computed(merge(with_tables_of(base, mine), with_tables_of(theirs, mine), mine))


def _merge_again(merged: Merge, choices: Choices) -> Merge:
    return _computed(merged.chosen(choices))


def _computed(merged: Merge) -> Merge:
    """The merge with all that the dialog shows, so that the window need not compute it."""
    merged.their_changes, merged.my_changes, merged.new_problems  # noqa: B018
    return merged
