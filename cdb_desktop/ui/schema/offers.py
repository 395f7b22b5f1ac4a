"""Which actions of the page there is something to do for: one function of what is shown."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.steps import entry_of
from cdb_desktop.ui.schema.store import Store


def possible(page: Page | None) -> Mapping[str, bool]:
    """The page's actions by their names; rights are the table's to ask for."""
    if page is None:
        return dict.fromkeys(_NAMES, False)
    history, is_head = page.editing.history, page.past is None
    has_table = is_head and page.selected_table is not None
    is_element = is_head and isinstance(page.selection, TableRef | ColumnRef) and page.ghost is None
    entry = entry_of(page.document, page.selection) if is_head else None
    is_idle = is_head and not page.busy
    return {
        "table_new": is_head,
        "nested_new": has_table,
        "column_new": has_table,
        "link_new": has_table,
        "element_rename": is_element,
        "element_delete": is_element,
        "element_up": entry is not None and entry[2] > 0,
        "element_down": entry is not None and entry[2] < len(entry[0].entries) - 1,
        "schema_undo": is_head and history.undo_title is not None,
        "schema_redo": is_head and history.redo_title is not None,
        "schema_save": is_idle and not page.editing.is_saved,
        "schema_adopt": is_idle,
        "schema_commit": is_idle and page.editing.is_saved and bool(page.editing.changes),
        "schema_find": True,
        "schema_arrange": bool(page.document.tables),
        "schema_svg": True,
        "schema_copy": True,
        "diagram_export": bool(page.document.tables),
    }


def obstacle(name: str, page: Page) -> str:
    """What stands in the way of an action that is not possible, in the language of the moment."""
    translate = QCoreApplication.translate
    if page.past is not None:
        return translate("Offers", "Only HEAD can be changed.")
    if name == "schema_save" and page.editing.is_saved:
        return translate("Offers", "Everything is saved.")
    if name == "schema_commit" and not page.editing.is_saved:
        return translate("Offers", "Save HEAD first.")
    if name == "schema_commit" and not page.editing.changes:
        return translate("Offers", "HEAD does not differ from CURRENT.")
    if name in _OF_A_TABLE and page.selected_table is None:
        return translate("Offers", "Select a table first.")
    return ""


class Offers(QObject):
    """Keeps the actions in step with what is shown."""

    def __init__(self, store: Store, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._actions = actions
        self._store = store
        self._known: dict[str, tuple[bool, str]] = {}
        store.changed.connect(self.show_page)
        store.selected.connect(self.show_page)
        self.show_page(None)
        parent.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Follows the language, after the table of actions has."""
        if event.type() == QEvent.Type.LanguageChange:
            QTimer.singleShot(0, self._tell_anew)
        return False

    def _tell_anew(self) -> None:
        self._known.clear()
        self.show_page(self._store.page)

    def show_page(self, page: Page | None) -> None:
        """Enables what there is something to do for, and names the steps that undo and redo mean."""
        translate = QCoreApplication.translate
        history = None if page is None else page.editing.history
        self._name("schema_undo", translate("Actions", "&Undo"), history.undo_title if history else None)
        self._name("schema_redo", translate("Actions", "&Redo"), history.redo_title if history else None)
        in_file = page is not None and page.file
        save = translate("Actions", "&Save the file") if in_file else translate("Actions", "&Save HEAD")
        self._name("schema_save", save, None)
        for name, can in possible(page).items():
            why = "" if can or page is None else obstacle(name, page)
            if self._known.get(name) != (can, why):
                self._known[name] = (can, why)
                self._actions.set_possible(name, can, why)

    def _name(self, name: str, verb: str, title: Message | None) -> None:
        text = f"{verb}: {title}" if title else verb
        self._actions.rename(name, text)


_OF_A_TABLE = ("nested_new", "column_new", "link_new", "element_rename", "element_delete")
_NAMES = (
    "schema_adopt",
    "table_new",
    "nested_new",
    "column_new",
    "link_new",
    "element_rename",
    "element_delete",
    "element_up",
    "element_down",
    "schema_undo",
    "schema_redo",
    "schema_save",
    "schema_commit",
    "schema_find",
    "schema_arrange",
    "schema_svg",
    "schema_copy",
    "diagram_export",
)
