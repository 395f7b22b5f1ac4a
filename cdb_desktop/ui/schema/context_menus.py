"""What the context menus of the schema page contain: at most 12 entries, the rest in submenus.

Entries and submenus have the names of the main menu, so that what was found in one is found in the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtWidgets import QMenu

from cdb_desktop.ui.actions import Actions


@dataclass(frozen=True, slots=True)
class Submenu:
    """Some actions below the title of the submenu that ``action`` has in the main menu."""

    action: str
    names: tuple[str, ...]


# Names of actions; an empty one is a separator.
Entries = tuple[str | Submenu, ...]

_COPY = ("element_copy", "element_paste", "element_duplicate")
_SCOPE = ("scope_focus", "scope_related", "scope_path", "scope_hide")
_SHOWN = Submenu("scope_focus", _SCOPE)
_OF_TABLE = Submenu(
    "group_assign",
    (
        *("group_assign", "", "group_toggle", "group_only", "group_hide", "group_edit", "group_remove"),
        *("", "columns_fold"),
    ),
)
_ALL_GROUPS = (
    *("groups_by_links", "groups_by_prefix", "", "groups_collapse", "groups_expand", "groups_remove"),
    *("", "columns_fold_all"),
)
_VIEWS = ("schema_views", "schema_view_save", "", "scope_path", "scope_show_all", "scope_back")
_PAINTED = (*("arrange_down", "", "schema_legend", "schema_minimap", "schema_changes", "schema_usage"),)
_FILES = Submenu("diagram_export", ("diagram_export", "diagram_print", "diagram_copy", "", "schema_copy"))

TABLE: Entries = (
    *("column_new", "link_to", "nested_new", "", "element_rename", *_COPY, "element_delete", ""),
    *(_SHOWN, _OF_TABLE, "table_events"),
)
NESTED_TABLE: Entries = (
    *("column_new", "link_to", "nested_new", "", "element_rename", *_COPY),
    *("element_up", "element_down", "element_delete", "", _SHOWN, _OF_TABLE),
)
_MOVES = ("element_rename", "element_up", "element_down")
COLUMN: Entries = (*_MOVES, "", *_COPY, "", "column_new", "link_to", "", "element_delete")
LINK: Entries = ("link_to", "element_rename", "", "element_delete")
REMOVED_TABLE: Entries = ("scope_hide",)
BOXES: Entries = (
    *("element_copy", "element_duplicate", "element_delete", "", "boxes_arrange"),
    Submenu("boxes_left", ("boxes_left", "boxes_top", "boxes_across", "boxes_down", "", "arrange_down")),
    *("", _SHOWN, Submenu("group_assign", ("group_assign", "columns_fold"))),
)
GROUP: Entries = (
    *("group_toggle", "group_only", "group_hide", "group_edit", "boxes_arrange", ""),
    Submenu("group_assign", ("group_remove", "", *_ALL_GROUPS)),
    Submenu("scope_focus", ("scope_focus", "scope_related", "", *_VIEWS)),
    Submenu("schema_arrange", ("fit", "schema_arrange", *_PAINTED)),
    _FILES,
)
# Below the entry for a new table at the point that was clicked.
PLACE: Entries = ("element_paste", "")
DIAGRAM: Entries = (
    *(*PLACE, "boxes_all", "schema_find", "fit", "schema_arrange", ""),
    Submenu("group_assign", _ALL_GROUPS),
    Submenu("scope_focus", _VIEWS),
    Submenu("schema_arrange", _PAINTED),
    _FILES,
)
TREE: Entries = ("table_new", "element_paste", "", "schema_find", "schema_copy")


def fill_menu(menu: QMenu, entries: Iterable[str | Submenu], actions: Actions) -> None:
    """Adds entries to a menu; the reasons why they are not available are their tooltips."""
    menu.setToolTipsVisible(True)
    for entry in entries:
        if isinstance(entry, Submenu):
            fill_menu(menu.addMenu(actions.spec(entry.action).group), entry.names, actions)
        elif entry:
            menu.addAction(actions[entry])
        else:
            menu.addSeparator()
