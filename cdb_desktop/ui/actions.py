"""All actions of the program: the table of names, menus, keys and required rights, and Qt's actions for them.

`Actions` enables them for the rights of the session, the page that is shown, and the state of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon

HasRight = Callable[[str], bool]

_SEE_EVENTS = "system.api.event.get"
_DELETE_EVENTS = "system.api.event.delete"
_CHANGE_SCHEMA = "system.datamodel.development"
_COMMIT_SCHEMA = "system.datamodel.commit"
# Actions of the event browser that need no right: requests of any page are listed, and events inserted.
_WITHOUT_RIGHT = {"event_insert", "requests", "request_url", "request_curl", "request_httpx"}
# What changes or follows a service, besides the schema page and the live feed. A log file has no service.
_OF_SERVICE = frozenset(
    {"delete_selected", "delete_found", "disconnect", "event_insert", "event_schema", "follow_query", "pause"}
)


class ActionSpec(msgspec.Struct, frozen=True):
    """One row of the table of actions, in the language in use.

    ``right``: the system right that the action requires (§5.2), or empty.
    ``page``: the action of the page to which it belongs, or empty.
    ``always``: available without a connection. ``offline``: available with a model file instead of a
    connection, regardless of rights.
    ``separated``: the menu has a separator before it. ``group``: the title of its submenu, or empty.
    ``scoped``: its key works only while the page has the focus.
    ``also_key``: a second key. ``native``: the widget that has the focus handles the key; the menu shows it.
    """

    name: str
    menu: str
    text: str
    key: str = ""
    icon: str = ""
    checkable: bool = False
    right: str = ""
    checked_icon: str = ""
    page: str = ""
    always: bool = False
    offline: bool = False
    separated: bool = False
    scoped: bool = False
    group: str = ""
    also_key: str = ""
    native: bool = False


def plain(text: str) -> str:
    """The text of an action without mnemonic and without the key that the menu shows after it."""
    return re.sub("&(.)", r"\1", text.partition("\t")[0])


def key_of(action: QAction) -> str:
    """The key of an action as the platform writes it, or an empty string."""
    native = action.text().partition("\t")[2]
    return native or action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def action_specs() -> tuple[ActionSpec, ...]:
    """All actions in the order of the menus, in the language in use."""
    return (
        *_file_menu(),
        *_edit_menu(),
        *_view_menu(),
        *(replace(spec, page="events") for spec in _events_menu()),
        *(replace(spec, page="schema") for spec in _schema_menu()),
        *_live_menu(),
        *_help_menu(),
    )


def _file_menu() -> tuple[ActionSpec, ...]:
    menu = tr("&File")
    return (
        ActionSpec("demo", menu, tr("Try the &demo"), "Ctrl+Shift+D", "demo", always=True),
        ActionSpec("demo_new", menu, tr("De&mo with the interface of generation 6"), always=True),
        ActionSpec("faults", menu, tr("Simulate &faults…"), group=tr("Demo service")),
        *(replace(spec, menu=menu, group=tr("Demo service")) for spec in _snapshot_group()),
        ActionSpec("connect", menu, tr("&Connect to a service…"), "Ctrl+N", "service", always=True),
        ActionSpec("model_open", menu, tr("&Open a file…"), "Ctrl+O", "folder", always=True),
        ActionSpec("log_open", menu, tr("Op&en a log file…"), always=True),
        ActionSpec("sign_in", menu, tr("&Sign in again"), "Ctrl+Shift+S", separated=True),
        ActionSpec("disconnect", menu, tr("D&isconnect"), "Ctrl+Shift+W"),
        ActionSpec("model_close", menu, tr("C&lose the file"), "Ctrl+W", always=True),
        ActionSpec("quit", menu, tr("&Quit"), "Ctrl+Q", always=True, separated=True),
    )


def _snapshot_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("snapshot_save", "", tr("Save s&napshot…")),
        ActionSpec("snapshot_restore", "", tr("&Go back to snapshot…")),
    )


def _edit_menu() -> tuple[ActionSpec, ...]:
    menu = tr("&Edit")
    of_focus = (
        ActionSpec("undo", menu, tr("&Undo"), "Ctrl+Z"),
        ActionSpec("redo", menu, tr("&Redo"), "Ctrl+Shift+Z"),
        ActionSpec("copy", menu, tr("&Copy"), "Ctrl+C", separated=True),
        ActionSpec("select_all", menu, tr("Select &all"), "Ctrl+A"),
    )
    return (
        *(replace(spec, always=True, native=True) for spec in of_focus),
        ActionSpec("palette", menu, tr("&Find an action…"), "Ctrl+K", "search", always=True, separated=True),
        ActionSpec(
            "settings", menu, tr("&Settings"), "Ctrl+,", "settings", True, always=True, separated=True
        ),
    )


def _view_menu() -> tuple[ActionSpec, ...]:
    menu = tr("&View")
    return (
        ActionSpec("events", menu, tr("&Events"), "Ctrl+1", "events", True, always=True),
        ActionSpec("schema", menu, tr("&Schema"), "Ctrl+2", "schema", True, offline=True),
        ActionSpec("errors", menu, tr("E&rror codes"), "Ctrl+3", "errors", True, always=True),
        ActionSpec("live", menu, tr("&Live feed"), "Ctrl+L", "live", True, separated=True),
        ActionSpec("refresh", menu, tr("Re&fresh"), "F5", "refresh"),
        ActionSpec(
            "page_names", menu, tr("&Names of the pages"), checkable=True, always=True, separated=True
        ),
        ActionSpec("system", menu, tr("Colors of the s&ystem"), checkable=True, always=True, separated=True),
        ActionSpec("light", menu, tr("Li&ght colors"), checkable=True, always=True),
        ActionSpec("dark", menu, tr("&Dark colors"), checkable=True, always=True),
        ActionSpec("contrast", menu, tr("&High contrast"), checkable=True, always=True),
    )


def _events_menu() -> tuple[ActionSpec, ...]:
    menu, delete = tr("Eve&nts"), _DELETE_EVENTS
    query = (
        ActionSpec("search", menu, tr("&Search or filter…"), "Ctrl+F", "search"),
        ActionSpec("filter", menu, tr("Add &filter…"), "F4", "add"),
        ActionSpec("clear_filters", menu, tr("&Clear filters"), "Ctrl+Shift+F"),
        ActionSpec("query_back", menu, tr("&Back"), "Alt+Left"),
        ActionSpec("query_forward", menu, tr("Forw&ard"), "Alt+Right"),
        ActionSpec("jump", menu, tr("&Go to event, row or time…"), "Ctrl+G", separated=True),
        ActionSpec("views", menu, tr("Saved vie&ws…"), "Ctrl+Shift+V", "star"),
    )
    specs = (
        *query,
        *_submenu(menu, tr("S&hare"), _share_group()),
        *_submenu(menu, tr("Sh&ow"), _show_group(), separated=True),
        *_submenu(menu, tr("Co&lumns"), _columns_group()),
        *_submenu(menu, tr("Eve&nt"), _event_group()),
        *_submenu(menu, tr("&Export"), _export_group(), separated=True),
        ActionSpec("delete_selected", menu, tr("&Delete selected…"), "Ctrl+Del", right=delete),
        ActionSpec("delete_found", menu, tr("Delete all ma&tching…"), "Ctrl+Shift+Del", right=delete),
    )
    return tuple(
        spec if spec.name in _WITHOUT_RIGHT else replace(spec, right=spec.right or _SEE_EVENTS)
        for spec in specs
    )


def _submenu(
    menu: str, title: str, specs: Sequence[ActionSpec], *, separated: bool = False
) -> tuple[ActionSpec, ...]:
    """``specs`` in a submenu; ``separated``: there is a separator before the submenu."""
    placed = [replace(spec, menu=menu, group=title) for spec in specs]
    return (replace(placed[0], separated=separated), *placed[1:])


def _share_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("share_link", "", tr("Copy link"), "Ctrl+Shift+I", "share"),
        ActionSpec("share_event", "", tr("Copy link to event"), "Ctrl+Shift+A"),
        ActionSpec("share_ticket", "", tr("Copy for ticket"), "Ctrl+T"),
        ActionSpec("share_file", "", tr("Save as view file…")),
        ActionSpec(
            "request_url", "", tr("Copy request as an address"), "Ctrl+Shift+Y", "copy", separated=True
        ),
        ActionSpec("request_curl", "", tr("Copy request as curl"), "Ctrl+Shift+X"),
        ActionSpec("request_httpx", "", tr("Copy request as Python"), "Ctrl+Shift+P"),
    )


def _show_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("overview", "", tr("&Overview"), "F6", checkable=True),
        ActionSpec("facets", "", tr("Co&unts by value"), "F7", checkable=True),
        ActionSpec("inspector", "", tr("&Inspector"), "Ctrl+I", "inspector", True),
        ActionSpec("requests", "", tr("Recent &requests"), "F12", checkable=True),
        ActionSpec("summary", "", tr("Su&mmary…"), "Ctrl+U", separated=True),
        ActionSpec("highlight", "", tr("&Highlight…"), "Ctrl+H"),
    )


def _columns_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("columns", "", tr("&Choose columns…"), "F8", "columns"),
        ActionSpec("order", "", tr("&Sort by…"), "Ctrl+Shift+O"),
        ActionSpec("column_titles", "", tr("&Titles of the columns"), "Ctrl+Shift+H", separated=True),
        ActionSpec("column_narrow", "", tr("&Narrow the column"), "Alt+Shift+Left"),
        ActionSpec("column_widen", "", tr("&Widen the column"), "Alt+Shift+Right"),
        ActionSpec("column_fit", "", tr("&Fit the column to its contents"), "Alt+Shift+Down"),
        ActionSpec("column_widths", "", tr("&Reset column widths")),
    )


def _event_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("object_history", "", tr("Histor&y of this object"), "Ctrl+J", "history"),
        ActionSpec("event_schema", "", tr("&Schema version of this commit"), "Ctrl+M", "schema"),
        ActionSpec("compare", "", tr("Compa&re two events"), "Ctrl+D"),
        ActionSpec("event_insert", "", tr("&New test event…"), separated=True),
    )


def _export_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("export", "", tr("&Export…"), "Ctrl+E", "export"),
        ActionSpec("export_options", "", tr("Export with &options…"), "Ctrl+Shift+B", "export"),
        ActionSpec("show_file", "", tr("&Show the file written last")),
    )


def _schema_menu() -> tuple[ActionSpec, ...]:
    menu = tr("S&chema")
    return (
        *_schema_edits(
            ActionSpec("table_new", menu, tr("New &table"), "Ctrl+T", "table-new"),
            ActionSpec("nested_new", menu, tr("New &nested table"), "Ctrl+B", "nested-new"),
            ActionSpec("column_new", menu, tr("New co&lumn"), "Ctrl+Shift+A", "column-new"),
            ActionSpec("link_new", menu, tr("New lin&k…"), "Ctrl+Shift+I", "link-new"),
            ActionSpec("link_to", menu, tr("Link to…"), "Shift+F2"),
            ActionSpec("element_rename", menu, tr("Rena&me"), "F2", separated=True, scoped=True),
            ActionSpec("element_delete", menu, tr("D&elete"), "Del", scoped=True),
        ),
        *_submenu(menu, tr("C&olumns and tables"), _elements_group()),
        *_schema_edits(
            ActionSpec("schema_undo", menu, tr("&Undo"), "Ctrl+Z", "undo", separated=True),
            ActionSpec("schema_redo", menu, tr("&Redo"), "Ctrl+Shift+Z", "redo", also_key="Ctrl+Y"),
            ActionSpec("schema_save", menu, tr("&Save HEAD"), "Ctrl+S", separated=True),
        ),
        ActionSpec("schema_commit", menu, tr("&Commit…"), "Ctrl+Shift+Return", right=_COMMIT_SCHEMA),
        *_submenu(menu, tr("&Versions"), _versions_group()),
        *_submenu(menu, tr("F&iles"), _files_group()),
        ActionSpec("schema_find", menu, tr("&Find table or column"), "Ctrl+F", "search", offline=True),
        *_submenu(menu, tr("Dia&gram"), _diagram_group()),
        *_submenu(menu, tr("S&how tables"), _scope_group()),
        *_submenu(menu, tr("Grou&ps"), _groups_group()),
        *_submenu(menu, tr("Selected ta&bles"), _boxes_group()),
    )


def _schema_edits(*specs: ActionSpec) -> tuple[ActionSpec, ...]:
    """Actions that change a model, that of a service or a file."""
    return tuple(replace(spec, right=_CHANGE_SCHEMA, offline=True) for spec in specs)


def _elements_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("element_copy", "", tr("&Copy"), "Ctrl+C", "copy", scoped=True, offline=True),
        *_schema_edits(
            ActionSpec("element_paste", "", tr("&Paste"), "Ctrl+V", scoped=True),
            ActionSpec("element_duplicate", "", tr("&Duplicate"), "Ctrl+D", scoped=True),
            ActionSpec("element_up", "", tr("Move &up"), "Alt+Up", "up", separated=True, scoped=True),
            ActionSpec("element_down", "", tr("Move do&wn"), "Alt+Down", "down", scoped=True),
        ),
    )


def _versions_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("schema_compare", "", tr("Chan&ges between versions…"), "Shift+F9", offline=True),
        ActionSpec(
            "schema_changes", "", tr("Show changes &in the diagram"), "Ctrl+F8", checkable=True, offline=True
        ),
        ActionSpec("schema_revert", "", tr("&Revert a commit…"), "Ctrl+F9", right=_CHANGE_SCHEMA),
        ActionSpec("schema_commits", "", tr("Events of t&he commits"), "Ctrl+M", right=_SEE_EVENTS),
        ActionSpec("schema_policy", "", tr("P&olicy…"), separated=True, offline=True),
    )


def _files_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("schema_copy", "", tr("Sa&ve as a file…"), "F12", offline=True),
        ActionSpec("diagram_export", "", tr("E&xport the diagram…"), "Ctrl+E", "export", offline=True),
        ActionSpec("diagram_print", "", tr("&Print the diagram…"), "Ctrl+P", offline=True),
        ActionSpec("diagram_copy", "", tr("Cop&y the diagram as a picture"), "Ctrl+Shift+Y", offline=True),
        ActionSpec("schema_dictionary", "", tr("Export a data &dictionary…"), "Ctrl+Shift+F12", offline=True),
        ActionSpec("schema_export", "", tr("Export as DBML, S&QL or Mermaid…"), "Shift+F12", offline=True),
        ActionSpec(
            "schema_import",
            "",
            tr("&Import a model…"),
            "Ctrl+F12",
            separated=True,
            right=_CHANGE_SCHEMA,
            offline=True,
        ),
        ActionSpec(
            "schema_promote",
            "",
            tr("Take over from another co&nnection…"),
            "Ctrl+Shift+F9",
            right=_CHANGE_SCHEMA,
            offline=True,
        ),
        ActionSpec("schema_adopt", "", tr("&Bring a model into HEAD…"), "Ctrl+Shift+B", right=_CHANGE_SCHEMA),
    )


def _diagram_group() -> tuple[ActionSpec, ...]:
    return (
        ActionSpec("schema_arrange", "", tr("&Arrange"), "Ctrl+Shift+R", "arrange", offline=True),
        ActionSpec("zoom_in", "", tr("Zoom &in"), "Ctrl++", "zoom-in", offline=True),
        ActionSpec("zoom_out", "", tr("Zoom &out"), "Ctrl+-", "zoom-out", offline=True),
        ActionSpec("fit", "", tr("Fit to &window"), "Ctrl+0", "fit", offline=True),
        ActionSpec("schema_usage", "", tr("&Use of the tables"), "Shift+F8", checkable=True),
        ActionSpec("table_events", "", tr("E&vents of this table"), "Shift+F4", right=_SEE_EVENTS),
        ActionSpec("schema_legend", "", tr("&Legend"), "Shift+F1", "help", checkable=True, offline=True),
        ActionSpec("schema_minimap", "", tr("Mini&map"), "Ctrl+F2", checkable=True, offline=True),
        ActionSpec(
            "schema_svg", "", tr("Drawn b&y the service"), "Ctrl+Shift+G", checkable=True, separated=True
        ),
    )


def _scope_group() -> tuple[ActionSpec, ...]:
    specs = (
        ActionSpec("scope_focus", "", tr("&Focus on the selection"), "Ctrl+Shift+F", "focus"),
        ActionSpec("scope_more", "", tr("&More steps"), "Alt+PgUp", "add"),
        ActionSpec("scope_fewer", "", tr("F&ewer steps"), "Alt+PgDown", "remove"),
        ActionSpec("scope_related", "", tr("Show &linked tables"), "Ctrl+U"),
        ActionSpec("scope_path", "", tr("&Paths between two tables…"), "Ctrl+Shift+P", "path"),
        ActionSpec("scope_hide", "", tr("&Hide tables"), "Ctrl+Shift+X", "hide", separated=True),
        ActionSpec("scope_show_all", "", tr("Show &all hidden tables"), "Ctrl+Shift+H"),
        ActionSpec("scope_back", "", tr("&Back to what was shown before"), "Alt+Left"),
        ActionSpec("schema_views", "", tr("&Views…"), "Ctrl+Shift+V", "star", separated=True),
        ActionSpec("schema_view_save", "", tr("&Save as a view…")),
        ActionSpec("schema_view_next", "", tr("&Next view"), "Ctrl+PgDown"),
        ActionSpec("schema_view_previous", "", tr("P&revious view"), "Ctrl+PgUp"),
        ActionSpec("find_next", "", tr("Next h&it"), "F3", "next", separated=True),
        ActionSpec("find_previous", "", tr("Previ&ous hit"), "Shift+F3", "previous"),
    )
    return tuple(replace(spec, offline=True) for spec in specs)


def _groups_group() -> tuple[ActionSpec, ...]:
    specs = (
        ActionSpec("groups_by_links", "", tr("Group tables by &links"), "Ctrl+G"),
        ActionSpec("groups_by_prefix", "", tr("Group tables by name &prefix"), "Ctrl+H"),
        ActionSpec("group_assign", "", tr("Put the table into a &group…"), "Ctrl+J"),
        ActionSpec("group_toggle", "", tr("&Collapse or expand"), "F7", separated=True),
        ActionSpec("group_only", "", tr("&Show only the group"), "Ctrl+F6"),
        ActionSpec("group_hide", "", tr("&Hide the group"), "Shift+F6", "hide"),
        ActionSpec("group_edit", "", tr("&Name and color…"), "Ctrl+Shift+F6"),
        ActionSpec("group_remove", "", tr("&Remove the group"), "Ctrl+F7"),
        ActionSpec("groups_collapse", "", tr("C&ollapse all groups"), "Shift+F7", separated=True),
        ActionSpec("groups_expand", "", tr("&Expand all groups"), "Ctrl+Shift+F7"),
        ActionSpec("groups_remove", "", tr("Re&move all groups")),
        ActionSpec(
            "columns_fold", "", tr("Only &keys and links of the table"), "F8", checkable=True, separated=True
        ),
        ActionSpec(
            "columns_fold_all", "", tr("Only keys and links of &all tables"), "Ctrl+Shift+F8", checkable=True
        ),
    )
    return tuple(replace(spec, offline=True) for spec in specs)


def _boxes_group() -> tuple[ActionSpec, ...]:
    specs = (
        ActionSpec("boxes_all", "", tr("&Select all tables"), "Ctrl+A", native=True),
        ActionSpec("boxes_left", "", tr("Align &left"), separated=True),
        ActionSpec("boxes_top", "", tr("Align at the &top")),
        ActionSpec("boxes_across", "", tr("Space evenly a&cross")),
        ActionSpec("boxes_down", "", tr("Space evenly &down")),
        ActionSpec("boxes_arrange", "", tr("A&rrange the selected"), "Alt+Shift+R", separated=True),
        ActionSpec("arrange_down", "", tr("Arrange from t&op to bottom"), checkable=True),
    )
    return tuple(replace(spec, offline=True) for spec in specs)


def _live_menu() -> tuple[ActionSpec, ...]:
    menu = tr("&Live")
    return (
        ActionSpec("pause", menu, tr("&Pause live feed"), "Ctrl+Shift+L", "pause", True, "", "play"),
        ActionSpec("live_filter", menu, tr("&Filter live feed…"), "Ctrl+Shift+T", "filter"),
        ActionSpec(
            "follow_query",
            menu,
            tr("Follow the browser's filters li&ve"),
            "F9",
            "live",
            right=_SEE_EVENTS,
            page="events",
        ),
        ActionSpec(
            "alert", menu, tr("Alert me of these events…"), "Ctrl+B", "bell", right=_SEE_EVENTS, page="events"
        ),
        ActionSpec("live_clear", menu, tr("&Clear live feed"), "Ctrl+Shift+K", "clear"),
        ActionSpec("live_new", menu, tr("&New feed beside"), "Ctrl+Shift+N", "feed-new", separated=True),
        ActionSpec("live_close", menu, tr("C&lose this feed"), "Ctrl+F4"),
        ActionSpec("live_mark", menu, tr("&Mark this moment"), "Ctrl+Shift+M", "mark", separated=True),
        ActionSpec("live_account", menu, tr("&Account of ids"), "Ctrl+Shift+U"),
        ActionSpec("live_check", menu, tr("C&heck ids against the list"), "Ctrl+R", right=_SEE_EVENTS),
        ActionSpec(
            "live_record", menu, tr("&Record to a file…"), "Ctrl+Shift+E", "record", True, separated=True
        ),
        ActionSpec("live_keep", menu, tr("Archive &dropped events…"), checkable=True),
        ActionSpec("live_notify", menu, tr("Notif&y on new events"), checkable=True),
        ActionSpec("alarms", menu, tr("Alarm&s…"), icon="bell"),
        ActionSpec("live_bottom", menu, tr("Live at the &bottom"), checkable=True, separated=True),
        ActionSpec("live_right", menu, tr("Live at the ri&ght"), "Ctrl+Shift+J", checkable=True),
    )


def _help_menu() -> tuple[ActionSpec, ...]:
    menu = tr("&Help")
    return (
        ActionSpec("manual", menu, tr("&Manual"), "F1", "help", always=True),
        ActionSpec("keys", menu, tr("All &keys"), "Ctrl+F1", always=True),
        ActionSpec("explain", menu, tr("&Explain an error…"), always=True),
        ActionSpec("report", menu, tr("&Report a problem…"), always=True, separated=True),
        ActionSpec("about", menu, tr("&About this program"), always=True),
    )


class Actions(QObject):
    """The actions of one window by name.

    Signals: ``offered`` when connection or rights have changed · ``page_shown`` with the action of a page.
    """

    offered = Signal()
    page_shown = Signal(str)

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._specs = {spec.name: spec for spec in action_specs()}
        self._actions = {name: self._create(spec, appearance) for name, spec in self._specs.items()}
        self._has_right: HasRight | None = None
        self._is_offline = False
        self._is_log_file = False
        self._withdrawn: set[str] = set()
        self._page = ""
        self._impossible: dict[str, str] = {}
        self._obstacles: dict[str, str] = {}  # those that are shown
        self._update_all()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    @property
    def page(self) -> str:
        """The action of the page that is shown."""
        return self._page

    @property
    def is_connected(self) -> bool:
        """Whether there is a session."""
        return self._has_right is not None

    def spec(self, name: str) -> ActionSpec:
        """The row of an action in the table."""
        return self._specs[name]

    def menus(self) -> dict[str, list[ActionSpec]]:
        """The actions of each menu by its title, in the order of the table."""
        result: dict[str, list[ActionSpec]] = {}
        for spec in self._specs.values():
            result.setdefault(spec.menu, []).append(spec)
        return result

    def offer(self, has_right: HasRight | None, *, offline: bool = False, is_log_file: bool = False) -> None:
        """Enables the actions for the rights of a session, or for None without a connection.

        ``offline``: a model file is open instead. ``is_log_file``: the events are those of a file.
        """
        self._has_right = has_right
        self._is_log_file = is_log_file
        self._withdrawn.clear()
        self._is_offline = offline
        self._update_all()
        self.offered.emit()

    def withdraw(self, right: str) -> None:
        """Disables what requires ``right`` until the next session: the service no longer grants it."""
        self._withdrawn.add(right)
        self._update_all()
        self.offered.emit()

    def show_page(self, page: str) -> None:
        """Enables the actions of this page, and disables those of the others."""
        self._page = page
        self._update_all()
        self.page_shown.emit(page)

    def set_possible(self, name: str, possible: bool, why: str = "") -> None:
        """Enables or disables an action for the state of its page; rights still apply.

        ``why`` is the reason shown in the tool tip, if it is more than that the action is not available.
        """
        before = self._impossible.pop(name, None)
        if not possible:
            self._impossible[name] = why
        if before == self._impossible.get(name):
            return
        # Called for every row: only the action and those of its page are updated.
        for each, spec in self._specs.items():
            if name in (each, spec.page):
                self._update(each)

    def obstacle(self, name: str) -> str:
        """Why an action is not available, whichever page is shown; empty if it is."""
        page = self._specs[name].page
        if lacking := self.lacking(name):
            return lacking
        if name in self._impossible:
            return self._impossible[name] or tr("Not available at the moment.")
        return self.obstacle(page) if page else ""

    def lacking(self, name: str) -> str:
        """Which connection or right an action requires that is missing; empty if none is."""
        spec = self._specs[name]
        if self._is_log_file and _needs_service(spec):
            return tr("This is a file: its events can only be read, and none are added.")
        if spec.always or (self._is_offline and spec.offline):
            return ""
        if self._has_right is None:
            return tr("Requires a connection.")
        if spec.right and not self._has_right(spec.right):
            return tr("Requires the right {right}.", right=spec.right)
        if spec.right in self._withdrawn:
            return tr("The right {right} is missing. Connect again once you have it.", right=spec.right)
        return ""

    def is_allowed(self, right: str) -> bool:
        """Whether the session has a right that the service has not refused since."""
        return self._has_right is not None and self._has_right(right) and right not in self._withdrawn

    def run(self, name: str) -> None:
        """Shows the page of an action, if it has one, and triggers it."""
        page = self._specs[name].page
        if page:
            self._actions[page].setChecked(True)
        self._actions[name].trigger()

    def rename(self, name: str, text: str) -> None:
        """Gives an action another text, such as the name of the edit that Undo would revert."""
        text = _with_key(self._specs[name], text)
        if self._actions[name].text() != text:
            self._actions[name].setText(text)
            self._show(name)

    def _update_all(self) -> None:
        for name in self._specs:
            self._update(name)

    def _update(self, name: str) -> None:
        obstacle = self.obstacle(name) or self._other_page(self._specs[name])
        if obstacle != self._obstacles.get(name):
            self._obstacles[name] = obstacle
            self._show(name)

    def _show(self, name: str) -> None:
        action, obstacle = self._actions[name], self._obstacles[name]
        action.setEnabled(not obstacle)
        action.setToolTip("\n".join(filter(None, (_tool_tip(action), obstacle))))

    def _other_page(self, spec: ActionSpec) -> str:
        if spec.page in ("", self._page):
            return ""
        return tr("Only on the page “{page}”.", page=plain(self._specs[spec.page].text))

    def _create(self, spec: ActionSpec, appearance: Appearance) -> QAction:
        action = QAction(_with_key(spec, spec.text), self)
        action.setObjectName(f"action.{spec.name}")
        action.setCheckable(spec.checkable)
        if not spec.native:
            action.setShortcuts([QKeySequence(key) for key in (spec.key, spec.also_key) if key])
        scope = Qt.ShortcutContext.WidgetWithChildrenShortcut
        action.setShortcutContext(scope if spec.scoped else Qt.ShortcutContext.WindowShortcut)
        if spec.icon:
            action.setIcon(icon(spec.icon, appearance, spec.checked_icon))
        return action


def _needs_service(spec: ActionSpec) -> bool:
    is_of_page = "schema" in (spec.name, spec.page)
    return is_of_page or spec.name.startswith("live") or spec.name in _OF_SERVICE


def _with_key(spec: ActionSpec, text: str) -> str:
    """``text`` with the key after it, if the key is not a shortcut of the action."""
    if not spec.native:
        return text
    return f"{text}\t{QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)}"


def _tool_tip(action: QAction) -> str:
    key = key_of(action)
    return f"{plain(action.text())} ({key})" if key else plain(action.text())
