"""The one table of what can be done from the keyboard or a menu; knows no pane, decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon

_CHANGE_SCHEMA = "system.datamodel.development"
_COMMIT_SCHEMA = "system.datamodel.commit"
_SEE_EVENTS = "system.api.event.get"
_DELETE_EVENTS = "system.api.event.delete"

Allows = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Spec:
    """One action in the user's language.

    ``right`` is the system right (§5.2) that it takes, ``page`` the action of the page that it belongs to,
    both empty where there is none. ``always``: without a connection too. ``offline``: with a model file in
    place of a connection too, whatever the rights. ``apart``: a line stands above it. ``scoped``: its key
    means something only where the page has the focus.
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


def _table() -> tuple[Spec, ...]:
    return (
        *_of_file(),
        *_of_view(),
        *(replace(spec, page="events") for spec in _of_events()),
        *(replace(spec, page="schema") for spec in _of_schema()),
        *_of_live(),
        *_of_help(),
    )


def _of_file() -> tuple[Spec, ...]:
    file, edit = _told("&File"), _told("&Edit")
    palette, settings = _told("&Find an action…"), _told("&Settings")
    connect, open_ = (
        _told("&Connect to a service…"),
        _told("&Open a model file…"),
    )
    close = _told("C&lose the model file")
    return (
        Spec("demo", file, _told("Try the &demo"), "Ctrl+Shift+D", "demo", always=True),
        Spec("connect", file, connect, "Ctrl+N", "service", always=True),
        Spec("model_open", file, open_, "Ctrl+O", "folder", always=True),
        Spec("sign_in", file, _told("&Sign in again"), "Ctrl+Shift+S", apart=True),
        Spec("disconnect", file, _told("D&isconnect"), "Ctrl+Shift+W"),
        Spec("model_close", file, close, "Ctrl+W", always=True),
        Spec("quit", file, _told("&Quit"), "Ctrl+Q", always=True, apart=True),
        Spec("palette", edit, palette, "Ctrl+K", "search", always=True),
        Spec("settings", edit, settings, "Ctrl+,", "settings", True, always=True, apart=True),
    )


def _of_view() -> tuple[Spec, ...]:
    view, errors = _told("&View"), _told("E&rrors")
    system, light = _told("Colors of the s&ystem"), _told("Li&ght colors")
    return (
        Spec("events", view, _told("&Events"), "Ctrl+1", "events", True, always=True),
        Spec("schema", view, _told("&Schema"), "Ctrl+2", "schema", True, offline=True),
        Spec("errors", view, errors, "Ctrl+3", "errors", True, always=True),
        Spec("live", view, _told("&Live feed"), "Ctrl+L", "live", True, apart=True),
        Spec("refresh", view, _told("Re&fresh"), "F5", "refresh"),
        Spec("system", view, system, checkable=True, always=True, apart=True),
        Spec("light", view, light, checkable=True, always=True),
        Spec("dark", view, _told("&Dark colors"), checkable=True, always=True),
        Spec("contrast", view, _told("&High contrast"), checkable=True, always=True),
    )


def _of_events() -> tuple[Spec, ...]:
    log, see = _told("E&vents"), _SEE_EVENTS
    return (
        Spec("filter", log, _told("Add &filter…"), "Ctrl+F", "add", right=see),
        Spec("clear_filters", log, _told("&Clear filters"), "Ctrl+Shift+F", right=see),
        Spec("query_back", log, _told("Filters &before"), "Alt+Left", right=see),
        Spec("query_forward", log, _told("Filters &after"), "Alt+Right", right=see),
        Spec("jump", log, _told("&Go to event or row…"), "Ctrl+G", right=see),
        Spec("inspector", log, _told("&Inspector"), "Ctrl+I", "inspector", True, see),
        Spec("export", log, _told("&Export as CSV…"), "Ctrl+E", "export", right=see),
        *(replace(spec, menu=log, right=spec.right or see) for spec in _of_event_work()),
    )


def _of_event_work() -> tuple[Spec, ...]:
    """What can be done with events beyond looking at rows."""
    delete = _DELETE_EVENTS
    return (
        Spec("search_all", "", _told("&Search in everything…"), "Ctrl+Alt+F", "search", apart=True),
        Spec("hit_next", "", _told("&Next hit"), "F3"),
        Spec("hit_previous", "", _told("&Previous hit"), "Shift+F3"),
        Spec("follow_query", "", _told("Follow these filters li&ve"), "Ctrl+Alt+V", "live"),
        Spec("overview", "", _told("&Overview"), "Ctrl+Alt+O", checkable=True, apart=True),
        Spec("facets", "", _told("Co&unts by value"), "Ctrl+Alt+U", checkable=True),
        Spec("summary", "", _told("Su&mmary…"), "Ctrl+Alt+Y"),
        Spec("export_options", "", _told("E&xport with options…"), "Ctrl+Alt+X", "export", apart=True),
        Spec("views", "", _told("Saved vie&ws…"), "Ctrl+Shift+V", "star"),
        Spec("columns", "", _told("Co&lumns…"), "Ctrl+Alt+C", "columns"),
        Spec("highlight", "", _told("&Highlight…"), "Ctrl+Alt+H"),
        Spec("compare", "", _told("Compa&re two events"), "Ctrl+D"),
        Spec("delete_selected", "", _told("&Delete selected…"), "Ctrl+Del", right=delete, apart=True),
        Spec("delete_found", "", _told("Delete all &that pass…"), "Ctrl+Shift+Del", right=delete),
    )


def _of_schema() -> tuple[Spec, ...]:
    model = _told("S&chema")
    commit, svg = _told("&Commit…"), _told("Drawin&g of the service")
    return (
        *(replace(spec, menu=model, right=_CHANGE_SCHEMA, offline=True) for spec in _of_model()),
        Spec("schema_commit", model, commit, "Ctrl+Shift+Return", right=_COMMIT_SCHEMA),
        *(replace(spec, menu=model, offline=True) for spec in _of_document()),
        Spec("schema_svg", model, svg, "Ctrl+Shift+G", checkable=True),
    )


def _of_document() -> tuple[Spec, ...]:
    """What anybody can do with a schema who may look at it."""
    copy, draw = _told("Sa&ve as a file…"), _told("E&xport the diagram…")
    find = _told("&Find table or column")
    return (
        Spec("schema_copy", "", copy, "Ctrl+Alt+S", apart=True),
        Spec("diagram_export", "", draw, "Ctrl+E", "export"),
        Spec("schema_find", "", find, "Ctrl+F", "search", apart=True),
        Spec("schema_arrange", "", _told("&Arrange"), "Ctrl+Shift+R", "arrange"),
        Spec("zoom_in", "", _told("Zoom &in"), "Ctrl++", "zoom-in"),
        Spec("zoom_out", "", _told("Zoom &out"), "Ctrl+-", "zoom-out"),
        Spec("fit", "", _told("Fit to &window"), "Ctrl+0", "fit"),
    )


def _of_model() -> tuple[Spec, ...]:
    """The steps of somebody who changes the schema."""
    return (
        Spec("table_new", "", _told("New &table"), "Ctrl+T", "table-new"),
        Spec("nested_new", "", _told("New &nested table"), "Ctrl+Alt+T", "nested-new"),
        Spec("column_new", "", _told("New co&lumn"), "Ctrl+Shift+A", "column-new"),
        Spec("link_new", "", _told("New lin&k…"), "Ctrl+Shift+I", "link-new"),
        Spec("element_rename", "", _told("Rena&me"), "F2", apart=True, scoped=True),
        Spec("element_delete", "", _told("D&elete"), "Del", scoped=True),
        Spec("element_up", "", _told("Move u&p"), "Alt+Up", "up", scoped=True),
        Spec("element_down", "", _told("Move &down"), "Alt+Down", "down", scoped=True),
        Spec("schema_undo", "", _told("&Undo"), "Ctrl+Z", "undo", apart=True),
        Spec("schema_redo", "", _told("&Redo"), "Ctrl+Shift+Z", "redo"),
        Spec("schema_save", "", _told("&Save HEAD"), "Ctrl+S", apart=True),
    )


def _of_live() -> tuple[Spec, ...]:
    feed, pause = _told("&Live"), _told("&Pause live feed")
    return (
        Spec("pause", feed, pause, "Ctrl+Shift+L", "pause", True, "", "play"),
        Spec("live_filter", feed, _told("&Filter live feed…"), "Ctrl+Shift+T", "filter"),
        Spec("live_clear", feed, _told("&Clear live feed"), "Ctrl+Shift+K", "clear"),
        *(replace(spec, menu=feed) for spec in _of_feeds()),
    )


def _of_feeds() -> tuple[Spec, ...]:
    """What can be done with a feed beyond looking at it."""
    new, close = _told("&New feed beside"), _told("C&lose this feed")
    account = _told("&Account of ids")
    check = _told("C&heck ids against the list")
    record, keep = _told("&Record to a file…"), _told("&Keep what leaves…")
    notify = _told("Notif&y of what it shows")
    return (
        Spec("live_new", "", new, "Ctrl+Shift+N", "feed-new", apart=True),
        Spec("live_close", "", close, "Ctrl+Alt+W"),
        Spec("live_mark", "", _told("&Mark this moment"), "Ctrl+Shift+M", "mark", apart=True),
        Spec("live_account", "", account, "Ctrl+Shift+U"),
        Spec("live_check", "", check, "Ctrl+Alt+K", right=_SEE_EVENTS),
        Spec("live_record", "", record, "Ctrl+Shift+E", "record", True, apart=True),
        Spec("live_keep", "", keep, "Ctrl+Alt+L", checkable=True),
        Spec("live_notify", "", notify, "Ctrl+Alt+N", checkable=True),
    )


def _of_help() -> tuple[Spec, ...]:
    about = _told("&About this program")
    help_ = _told("&Help")
    return (
        Spec("keys", help_, _told("All &keys"), "F1", always=True),
        Spec("explain", help_, _told("&Explain an error…"), always=True),
        Spec("about", help_, about, always=True, apart=True),
    )


class Actions(QObject):
    """The table as Qt's actions, by name."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._specs = {spec.name: spec for spec in _table()}
        self._actions = {name: self._made(spec, appearance) for name, spec in self._specs.items()}
        self._allows: Allows | None = None
        self._is_offline = False
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
        self._is_offline = offline
        self._settle()

    def show_page(self, page: str) -> None:
        """From now on the page of this action is shown, and what belongs to others rests."""
        self._page = page
        self._settle()

    def set_possible(self, name: str, possible: bool, why: str = "") -> None:
        """Tells whether what is shown leaves anything for the action to do; rights are not touched by it.

        ``why`` says in words what stands in the way, where that helps.
        """
        self._impossible.pop(name, None)
        if not possible:
            self._impossible[name] = why
        self._settle()

    def obstacle(self, name: str) -> str:
        """Why this cannot be done now on any page, in words; empty when it can."""
        spec, translate = self._specs[name], QCoreApplication.translate
        is_free = spec.always or (self._is_offline and spec.offline)
        if not is_free and self._allows is None:
            return translate("Actions", "Needs a connection.")
        if not is_free and spec.right and self._allows and not self._allows(spec.right):
            return translate("Actions", "Needs the right %1.").replace("%1", spec.right)
        if name in self._impossible:
            return self._impossible[name] or translate("Actions", "Not possible at the moment.")
        return self.obstacle(spec.page) if spec.page else ""

    def run(self, name: str) -> None:
        """Does what the action does, on its page if it has one."""
        page = self._specs[name].page
        if page:
            self._actions[page].setChecked(True)
        self._actions[name].trigger()

    def retranslate(self) -> None:
        """Puts everything into the language of now."""
        self._specs = {spec.name: spec for spec in _table()}
        for name, spec in self._specs.items():
            self._actions[name].setText(spec.text)
        self._settle()

    def _settle(self) -> None:
        for name, spec in self._specs.items():
            obstacle = self.obstacle(name) or self._elsewhere(spec)
            self._actions[name].setEnabled(not obstacle)
            self._actions[name].setToolTip("\n".join(filter(None, (_tip(self._actions[name]), obstacle))))

    def _elsewhere(self, spec: Spec) -> str:
        if spec.page in ("", self._page):
            return ""
        told = QCoreApplication.translate("Actions", "Only on the page “%1”.")
        return told.replace("%1", plain(self._specs[spec.page].text))

    def _made(self, spec: Spec, appearance: Appearance) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(f"action.{spec.name}")
        action.setCheckable(spec.checkable)
        action.setShortcut(QKeySequence(spec.key))
        scope = Qt.ShortcutContext.WidgetWithChildrenShortcut
        action.setShortcutContext(scope if spec.scoped else Qt.ShortcutContext.WindowShortcut)
        if spec.icon:
            action.setIcon(icon(spec.icon, appearance, spec.checked_icon))
        return action


def plain(text: str) -> str:
    """A text without the marks of its mnemonic."""
    return text.replace("&", "")


def key_of(action: QAction) -> str:
    """The key of an action as this platform writes it, empty where there is none."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _tip(action: QAction) -> str:
    key = key_of(action)
    return f"{plain(action.text())} ({key})" if key else plain(action.text())


def _told(text: str) -> str:
    return QCoreApplication.translate("Actions", text)
