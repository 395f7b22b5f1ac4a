"""Which actions of the schema page are available: a function of the page's state.

The rights of the session are checked by `cdb_desktop.ui.actions`.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.page.state import PageState, entry_of
from cdb_desktop.ui.schema.page.store import PageStore

_NEED_A_TABLE = (
    *("nested_new", "column_new", "link_new", "link_to", "element_rename", "element_delete"),
    *("element_copy", "element_duplicate", "table_events"),
)


def possible(page: PageState) -> Mapping[str, bool]:
    """Whether each action of the page can do anything, by the action's name."""
    history, is_head = page.editing.history, page.shows_head
    has_table = is_head and page.selected_table is not None
    has_element = is_head and page.selected_element is not None
    entry = entry_of(page.document, page.selection) if is_head else None
    is_idle = is_head and not page.busy
    return {
        "table_new": is_head,
        "nested_new": has_table,
        "column_new": has_table,
        "link_new": has_table,
        "link_to": has_table and page.removed_element is None,
        "element_rename": has_element,
        "element_delete": has_element,
        "element_up": entry is not None and entry[2] > 0,
        "element_down": entry is not None and entry[2] < len(entry[0].entries) - 1,
        "element_copy": page.selected_element is not None,
        "element_paste": is_head,
        "element_duplicate": has_element,
        "schema_undo": is_head and history.undo_title is not None,
        "schema_redo": is_head and history.redo_title is not None,
        "schema_save": is_idle and not page.editing.is_saved,
        "schema_adopt": is_idle,
        "schema_commit": is_idle and page.editing.is_saved and bool(page.editing.changes),
        "schema_policy": True,
        "schema_find": True,
        "schema_arrange": bool(page.document.tables),
        "schema_svg": True,
        "schema_copy": True,
        "schema_compare": True,
        "schema_changes": True,
        "schema_usage": not page.file,
        "table_events": not page.file and page.selected_table is not None,
        "schema_revert": _can_revert(page),
        "diagram_export": bool(page.document.tables),
        "diagram_print": bool(page.document.tables),
        "diagram_copy": bool(page.document.tables),
        "schema_dictionary": bool(page.document.tables),
        "schema_export": bool(page.document.tables),
        "schema_import": is_idle,
        "schema_promote": is_idle,
    }


def _can_revert(page: PageState) -> bool:
    """Whether there is a commit with a version before it; the one that is shown can be reverted as well."""
    return not page.busy and not page.file and (page.current_version or 0) > 1


def unavailable_reason(name: str, page: PageState) -> str:
    """Why an action is not possible, empty if that needs no explanation."""
    if not page.is_read:
        return tr("Show the schema first.")
    if name == "schema_revert":
        return tr("There is no commit with a version before it.")
    if page.compared is not None:
        return tr("Nothing can be changed while versions are compared.")
    if page.past is not None:
        return tr("Only HEAD can be changed.")
    reasons = {
        "schema_save": tr("Everything is saved.") if page.editing.is_saved else "",
        "schema_commit": _why_no_commit(page),
    }
    needs_table = name in _NEED_A_TABLE and page.selected_table is None
    return tr("Select a table first.") if needs_table else reasons.get(name, "")


def _why_no_commit(page: PageState) -> str:
    if not page.editing.is_saved:
        return tr("Save HEAD first.")
    return "" if page.editing.changes else tr("HEAD does not differ from CURRENT.")


class SchemaActionStates(QObject):
    """Enables and names the actions after each change of the page's state."""

    def __init__(self, store: PageStore, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._actions = actions
        self._known: dict[str, tuple[bool, str]] = {}
        store.changed.connect(self._update)
        store.selected.connect(self._update)
        self._update(store.page)

    def _update(self, page: PageState) -> None:
        self._rename("schema_undo", tr("&Undo"), page.editing.history.undo_title)
        self._rename("schema_redo", tr("&Redo"), page.editing.history.redo_title)
        self._rename("schema_save", tr("&Save the file") if page.file else tr("&Save HEAD"), None)
        for name, can_do in possible(page).items():
            is_possible = page.is_read and can_do
            reason = "" if is_possible else unavailable_reason(name, page)
            if self._known.get(name) != (is_possible, reason):
                self._known[name] = (is_possible, reason)
                self._actions.set_possible(name, is_possible, reason)

    def _rename(self, name: str, verb: str, edit: Message | None) -> None:
        self._actions.rename(name, f"{verb}: {edit}" if edit else verb)
