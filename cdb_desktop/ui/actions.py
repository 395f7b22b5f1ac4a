"""The table of actions as Qt's, enabled by session, page and state; knows no pane."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon


class Spec(msgspec.Struct, frozen=True):
    """One action in the user's language.

    ``right`` is the system right (§5.2) that it takes, ``page`` the action of the page that it belongs to,
    both empty where there is none. ``always``: without a connection too. ``offline``: with a model file in
    place of a connection too, whatever the rights. ``apart``: a line stands above it. ``scoped``: its key
    means something only where the page has the focus. ``group``: it stands in a menu of that title within
    the menu, with those beside it that have the same. ``also_key``: a second key. ``native``: the key is
    handled by the widget that has the focus, so the action only shows it.
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
    apart: bool = False
    scoped: bool = False
    group: str = ""
    also_key: str = ""
    native: bool = False


def told(text: str) -> str:
    """A text of the table in the language of now."""
    return QCoreApplication.translate("Actions", text)


def plain(text: str) -> str:
    """A text without the marks of its mnemonic and without the key that a menu shows behind it."""
    return text.partition("\t")[0].replace("&", "")


def key_of(action: QAction) -> str:
    """The key of an action as this platform writes it, empty where there is none."""
    native = action.text().partition("\t")[2]
    return native or action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def of_file() -> tuple[Spec, ...]:
    """Where work begins and ends."""
    file, edit = told("&File"), told("&Edit")
    palette, settings = told("&Find an action…"), told("&Settings")
    connect, open_ = (
        told("&Connect to a service…"),
        told("&Open a file…"),
    )
    close = told("C&lose the model file")
    return (
        Spec("demo", file, told("Try the &demo"), "Ctrl+Shift+D", "demo", always=True),
        Spec("connect", file, connect, "Ctrl+N", "service", always=True),
        Spec("model_open", file, open_, "Ctrl+O", "folder", always=True),
        Spec("sign_in", file, told("&Sign in again"), "Ctrl+Shift+S", apart=True),
        Spec("disconnect", file, told("D&isconnect"), "Ctrl+Shift+W"),
        Spec("model_close", file, close, "Ctrl+W", always=True),
        Spec("quit", file, told("&Quit"), "Ctrl+Q", always=True, apart=True),
        *(replace(spec, menu=edit, always=True, native=True) for spec in _of_editing()),
        Spec("palette", edit, palette, "Ctrl+K", "search", always=True, apart=True),
        Spec("settings", edit, settings, "Ctrl+,", "settings", True, always=True, apart=True),
    )


def _of_editing() -> tuple[Spec, ...]:
    """What is done to whatever has the focus."""
    return (
        Spec("undo", "", told("&Undo"), "Ctrl+Z"),
        Spec("redo", "", told("&Redo"), "Ctrl+Shift+Z"),
        Spec("copy", "", told("&Copy"), "Ctrl+C", apart=True),
        Spec("select_all", "", told("Select &all"), "Ctrl+A"),
    )


def of_view() -> tuple[Spec, ...]:
    """Which page is shown, and in which colours."""
    view, errors = told("&View"), told("E&rrors")
    system, light = told("Colors of the s&ystem"), told("Li&ght colors")
    return (
        Spec("events", view, told("&Events"), "Ctrl+1", "events", True, always=True),
        Spec("schema", view, told("&Schema"), "Ctrl+2", "schema", True, offline=True),
        Spec("errors", view, errors, "Ctrl+3", "errors", True, always=True),
        Spec("live", view, told("&Live feed"), "Ctrl+L", "live", True, apart=True),
        Spec("refresh", view, told("Re&fresh"), "F5", "refresh"),
        Spec("system", view, system, checkable=True, always=True, apart=True),
        Spec("light", view, light, checkable=True, always=True),
        Spec("dark", view, told("&Dark colors"), checkable=True, always=True),
        Spec("contrast", view, told("&High contrast"), checkable=True, always=True),
    )


def of_help() -> tuple[Spec, ...]:
    """What explains the program."""
    about = told("&About this program")
    help_ = told("&Help")
    return (
        Spec("keys", help_, told("All &keys"), "F1", always=True),
        Spec("explain", help_, told("&Explain an error…"), always=True),
        Spec("report", help_, told("&Report a problem…"), always=True, apart=True),
        Spec("about", help_, about, always=True),
    )


_SEE_EVENTS = "system.api.event.get"
_DELETE_EVENTS = "system.api.event.delete"


def of_events() -> tuple[Spec, ...]:
    """The log: filters, rows, export."""
    log, see = told("Eve&nts"), _SEE_EVENTS
    return (
        Spec("filter", log, told("Add &filter…"), "Ctrl+F", "add", right=see),
        Spec("clear_filters", log, told("&Clear filters"), "Ctrl+Shift+F", right=see),
        Spec("query_back", log, told("&Back"), "Alt+Left", right=see),
        Spec("query_forward", log, told("Forw&ard"), "Alt+Right", right=see),
        Spec("order", log, told("Sort by…"), "Ctrl+Shift+O", right=see),
        Spec("jump", log, told("&Go to event, row or time…"), "Ctrl+G", right=see),
        Spec("inspector", log, told("&Inspector"), "Ctrl+I", "inspector", True, see),
        Spec("export", log, told("&Export…"), "Ctrl+E", "export", right=see),
        *(replace(spec, menu=log, right=spec.right or see) for spec in _of_event_work()),
        Spec("event_insert", log, told("New test event…"), "", apart=True),
        *(replace(spec, menu=log, group=told("Requests")) for spec in _of_requests()),
    )


def _of_requests() -> tuple[Spec, ...]:
    """What shows how the service is asked."""
    return (
        Spec("request_url", "", told("Copy request as an address"), "Ctrl+Shift+Y", "copy"),
        Spec("request_curl", "", told("Copy request as curl"), "Ctrl+Shift+X"),
        Spec("request_httpx", "", told("Copy request as Python"), "Ctrl+Shift+P"),
        Spec("requests", "", told("Recent requests"), "F12", checkable=True),
    )


def _of_columns() -> tuple[Spec, ...]:
    """The column whose title the keys are at, or whose cell was clicked."""
    specs = (
        Spec("column_titles", "", told("Titles of the columns"), "Ctrl+Shift+H"),
        Spec("column_narrow", "", told("Narrow the column"), "Alt+Shift+Left"),
        Spec("column_widen", "", told("Widen the column"), "Alt+Shift+Right"),
        Spec("column_fit", "", told("Size the column to its contents"), "Alt+Shift+Down"),
        Spec("column_widths", "", told("Reset column widths"), ""),
    )
    return tuple(replace(spec, group=told("Column")) for spec in specs)


def _of_event_work() -> tuple[Spec, ...]:
    """What can be done with events beyond looking at rows."""
    delete = _DELETE_EVENTS
    return (
        Spec("search_all", "", told("&Search in everything…"), "F4", "search", apart=True),
        Spec("hit_next", "", told("&Next hit"), "F3"),
        Spec("hit_previous", "", told("&Previous hit"), "Shift+F3"),
        Spec("follow_query", "", told("Follow these filters li&ve"), "F9", "live"),
        Spec("overview", "", told("&Overview"), "F6", checkable=True, apart=True),
        Spec("facets", "", told("Co&unts by value"), "F7", checkable=True),
        Spec("summary", "", told("Su&mmary…"), "Ctrl+U"),
        Spec("export_options", "", told("E&xport with options…"), "Ctrl+Shift+B", "export", apart=True),
        Spec("show_file", "", told("Show the file written last"), ""),
        Spec("views", "", told("Saved vie&ws…"), "Ctrl+Shift+V", "star"),
        Spec("columns", "", told("Co&lumns…"), "F8", "columns"),
        *_of_columns(),
        Spec("highlight", "", told("&Highlight…"), "Ctrl+H"),
        Spec("event_schema", "", told("Schema version of this commit"), "Ctrl+M", "schema"),
        Spec("compare", "", told("Compa&re two events"), "Ctrl+D"),
        Spec("delete_selected", "", told("&Delete selected…"), "Ctrl+Del", right=delete, apart=True),
        Spec("delete_found", "", told("Delete all ma&tching…"), "Ctrl+Shift+Del", right=delete),
    )


_CHANGE_SCHEMA = "system.datamodel.development"
_COMMIT_SCHEMA = "system.datamodel.commit"


def of_schema() -> tuple[Spec, ...]:
    """The model: its steps, its document, its commit."""
    model = told("S&chema")
    commit, svg = told("&Commit…"), told("Drawn b&y the service")
    adopt = told("&Bring a model into HEAD…")
    return (
        *(replace(spec, menu=model, right=_CHANGE_SCHEMA, offline=True) for spec in _of_model()),
        Spec("schema_adopt", model, adopt, "Ctrl+Shift+B", right=_CHANGE_SCHEMA),
        Spec("schema_commit", model, commit, "Ctrl+Shift+Return", right=_COMMIT_SCHEMA),
        Spec("schema_commits", model, told("Events of t&he commits"), "Ctrl+M", right=_SEE_EVENTS),
        *(replace(spec, menu=model, offline=True) for spec in _of_document()),
        Spec("schema_svg", model, svg, "Ctrl+Shift+G", checkable=True),
    )


def _of_document() -> tuple[Spec, ...]:
    """What anybody can do with a schema who may look at it."""
    copy, draw = told("Sa&ve as a file…"), told("E&xport the diagram…")
    find = told("&Find table or column")
    return (
        Spec("schema_copy", "", copy, "F12", apart=True),
        Spec("diagram_export", "", draw, "Ctrl+E", "export"),
        Spec("schema_find", "", find, "Ctrl+F", "search", apart=True),
        Spec("schema_arrange", "", told("&Arrange"), "Ctrl+Shift+R", "arrange"),
        Spec("zoom_in", "", told("Zoom &in"), "Ctrl++", "zoom-in"),
        Spec("zoom_out", "", told("Zoom &out"), "Ctrl+-", "zoom-out"),
        Spec("fit", "", told("Fit to &window"), "Ctrl+0", "fit"),
    )


def _of_model() -> tuple[Spec, ...]:
    """The steps of somebody who changes the schema."""
    return (
        Spec("table_new", "", told("New &table"), "Ctrl+T", "table-new"),
        Spec("nested_new", "", told("New &nested table"), "Ctrl+B", "nested-new"),
        Spec("column_new", "", told("New co&lumn"), "Ctrl+Shift+A", "column-new"),
        Spec("link_new", "", told("New lin&k…"), "Ctrl+Shift+I", "link-new"),
        Spec("element_rename", "", told("Rena&me"), "F2", apart=True, scoped=True),
        Spec("element_delete", "", told("D&elete"), "Del", scoped=True),
        Spec("element_up", "", told("Move u&p"), "Alt+Up", "up", scoped=True),
        Spec("element_down", "", told("Move &down"), "Alt+Down", "down", scoped=True),
        Spec("schema_undo", "", told("&Undo"), "Ctrl+Z", "undo", apart=True),
        Spec("schema_redo", "", told("&Redo"), "Ctrl+Shift+Z", "redo", also_key="Ctrl+Y"),
        Spec("schema_save", "", told("&Save HEAD"), "Ctrl+S", apart=True),
    )


def of_live() -> tuple[Spec, ...]:
    """The feed in front: what it shows and keeps."""
    feed, pause = told("&Live"), told("&Pause live feed")
    return (
        Spec("pause", feed, pause, "Ctrl+Shift+L", "pause", True, "", "play"),
        Spec("live_filter", feed, told("&Filter live feed…"), "Ctrl+Shift+T", "filter"),
        Spec("live_clear", feed, told("&Clear live feed"), "Ctrl+Shift+K", "clear"),
        *(replace(spec, menu=feed) for spec in _of_feeds()),
    )


def _of_feeds() -> tuple[Spec, ...]:
    """What can be done with a feed beyond looking at it."""
    new, close = told("&New feed beside"), told("C&lose this feed")
    account = told("&Account of ids")
    check = told("C&heck ids against the list")
    record, keep = told("&Record to a file…"), told("Archive &dropped events…")
    notify = told("Notif&y on new events")
    bottom, right = told("Live at the &bottom"), told("Live at the ri&ght")
    return (
        Spec("live_new", "", new, "Ctrl+Shift+N", "feed-new", apart=True),
        Spec("live_close", "", close, "Ctrl+F4"),
        Spec("live_mark", "", told("&Mark this moment"), "Ctrl+Shift+M", "mark", apart=True),
        Spec("live_account", "", account, "Ctrl+Shift+U"),
        Spec("live_check", "", check, "Ctrl+R", right=_SEE_EVENTS),
        Spec("live_record", "", record, "Ctrl+Shift+E", "record", True, apart=True),
        Spec("live_keep", "", keep, "", checkable=True),
        Spec("live_notify", "", notify, "", checkable=True),
        Spec("live_bottom", "", bottom, "", checkable=True, apart=True),
        Spec("live_right", "", right, "Ctrl+Shift+J", checkable=True),
    )


def table() -> tuple[Spec, ...]:
    """Every action in the language of now, in the order of its menus."""
    return (
        *of_file(),
        *of_view(),
        *(replace(spec, page="events") for spec in of_events()),
        *(replace(spec, page="schema") for spec in of_schema()),
        *of_live(),
        *of_help(),
    )


Allows = Callable[[str], bool]


class Actions(QObject):
    """The table as Qt's actions, by name.

    Signals: ``offered`` when the connection or the rights of its session are other ones.
    """

    offered = Signal()

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._specs = {spec.name: spec for spec in table()}
        self._actions = {name: self._made(spec, appearance) for name, spec in self._specs.items()}
        self._allows: Allows | None = None
        self._is_offline = False
        self._withdrawn: set[str] = set()
        self._page = ""
        self._impossible: dict[str, str] = {}
        self._settle()

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
        return self._allows is not None

    def spec(self, name: str) -> Spec:
        """What the table says about an action."""
        return self._specs[name]

    def menus(self) -> dict[str, list[Spec]]:
        """What stands in each menu, under its title and in the order of the table."""
        result: dict[str, list[Spec]] = {}
        for spec in self._specs.values():
            result.setdefault(spec.menu, []).append(spec)
        return result

    def offer(self, allows: Allows | None, *, offline: bool = False) -> None:
        """From now on there is a session with these rights, or for None no connection.

        ``offline``: there is a model file in its place.
        """
        self._allows = allows
        self._withdrawn.clear()
        self._is_offline = offline
        self._settle()
        self.offered.emit()

    def withdraw(self, right: str) -> None:
        """The service has refused a call for want of a right that the session had when it began.

        What takes it rests until there is another session.
        """
        self._withdrawn.add(right)
        self._settle()
        self.offered.emit()

    def show_page(self, page: str) -> None:
        """From now on the page of this action is shown, and what belongs to others rests."""
        self._page = page
        self._settle()

    def set_possible(self, name: str, possible: bool, why: str = "") -> None:
        """Tells whether what is shown leaves anything for the action to do; rights are not touched by it.

        ``why`` says in words what stands in the way, where that helps.
        """
        before = self._impossible.pop(name, None)
        if not possible:
            self._impossible[name] = why
        if before == self._impossible.get(name):
            return
        # Rows tell this all the time: only what it is about is settled, and what stands on such a page.
        for each, spec in self._specs.items():
            if name in (each, spec.page):
                self._settle_one(each)

    def obstacle(self, name: str) -> str:
        """Why this cannot be done now on any page, in words; empty when it can."""
        lacking, page = self.lacking(name), self._specs[name].page
        if lacking:
            return lacking
        if name in self._impossible:
            told = self._impossible[name]
            return told or QCoreApplication.translate("Actions", "Not available at the moment.")
        return self.obstacle(page) if page else ""

    def lacking(self, name: str) -> str:
        """What it takes of connection and rights and is not there, in words, whatever is shown."""
        spec, translate = self._specs[name], QCoreApplication.translate
        is_free = spec.always or (self._is_offline and spec.offline)
        if not is_free and self._allows is None:
            return translate("Actions", "Requires a connection.")
        if not is_free and spec.right and self._allows and not self._allows(spec.right):
            return translate("Actions", "Requires the right %1.").replace("%1", spec.right)
        if not is_free and spec.right in self._withdrawn:
            told = translate("Actions", "The right %1 is missing. Sign in again once you have it.")
            return told.replace("%1", spec.right)
        return ""

    def is_allowed(self, right: str) -> bool:
        """Whether the session has a right, and no call was refused for want of it."""
        return self._allows is not None and self._allows(right) and right not in self._withdrawn

    def run(self, name: str) -> None:
        """Does what the action does, on its page if it has one."""
        page = self._specs[name].page
        if page:
            self._actions[page].setChecked(True)
        self._actions[name].trigger()

    def retranslate(self) -> None:
        """Puts everything into the language of now."""
        self._specs = {spec.name: spec for spec in table()}
        for name, spec in self._specs.items():
            self._actions[name].setText(_text(spec, spec.text))
        self._settle()

    def rename(self, name: str, text: str) -> None:
        """Gives an action another text, such as what it would undo; menus and tooltips show it at once."""
        text = _text(self._specs[name], text)
        if self._actions[name].text() != text:
            self._actions[name].setText(text)
            self._settle_one(name)

    def _settle(self) -> None:
        for name in self._specs:
            self._settle_one(name)

    def _settle_one(self, name: str) -> None:
        action = self._actions[name]
        obstacle = self.obstacle(name) or self._elsewhere(self._specs[name])
        action.setEnabled(not obstacle)
        action.setToolTip("\n".join(filter(None, (_tip(action), obstacle))))

    def _elsewhere(self, spec: Spec) -> str:
        if spec.page in ("", self._page):
            return ""
        told = QCoreApplication.translate("Actions", "Only on the page “%1”.")
        return told.replace("%1", plain(self._specs[spec.page].text))

    def _made(self, spec: Spec, appearance: Appearance) -> QAction:
        action = QAction(_text(spec, spec.text), self)
        action.setObjectName(f"action.{spec.name}")
        action.setCheckable(spec.checkable)
        if not spec.native:
            action.setShortcuts([QKeySequence(key) for key in (spec.key, spec.also_key) if key])
        scope = Qt.ShortcutContext.WidgetWithChildrenShortcut
        action.setShortcutContext(scope if spec.scoped else Qt.ShortcutContext.WindowShortcut)
        if spec.icon:
            action.setIcon(icon(spec.icon, appearance, spec.checked_icon))
        return action


def _text(spec: Spec, text: str) -> str:
    """A text with the key behind it that Qt does not know of."""
    if not spec.native:
        return text
    return f"{text}\t{QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)}"


def _tip(action: QAction) -> str:
    key = key_of(action)
    return f"{plain(action.text())} ({key})" if key else plain(action.text())
