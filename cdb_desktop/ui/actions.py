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

Allows = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Spec:
    """One action in the user's language.

    ``right`` is the system right (§5.2) that it takes, ``page`` the action of the page that it belongs to,
    both empty where there is none. ``always``: without a connection too. ``apart``: a line stands above it.
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
    apart: bool = False


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
    translate = QCoreApplication.translate
    file, edit = translate("Actions", "&File"), translate("Actions", "&Edit")
    palette, settings = translate("Actions", "&Find an action…"), translate("Actions", "&Settings")
    connect = translate("Actions", "&Connect to a service…")
    return (
        Spec("demo", file, translate("Actions", "Try the &demo"), "Ctrl+Shift+D", "demo", always=True),
        Spec("connect", file, connect, "Ctrl+N", "service", always=True),
        Spec("sign_in", file, translate("Actions", "&Sign in again"), "Ctrl+Shift+S", apart=True),
        Spec("disconnect", file, translate("Actions", "D&isconnect"), "Ctrl+Shift+W"),
        Spec("quit", file, translate("Actions", "&Quit"), "Ctrl+Q", always=True, apart=True),
        Spec("palette", edit, palette, "Ctrl+K", "search", always=True),
        Spec("settings", edit, settings, "Ctrl+,", "settings", True, always=True, apart=True),
    )


def _of_view() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    view, errors = translate("Actions", "&View"), translate("Actions", "E&rrors")
    system, light = translate("Actions", "Colors of the s&ystem"), translate("Actions", "Li&ght colors")
    return (
        Spec("events", view, translate("Actions", "&Events"), "Ctrl+1", "events", True, always=True),
        Spec("schema", view, translate("Actions", "&Schema"), "Ctrl+2", "schema", True),
        Spec("errors", view, errors, "Ctrl+3", "errors", True, always=True),
        Spec("live", view, translate("Actions", "&Live feed"), "Ctrl+L", "live", True, apart=True),
        Spec("refresh", view, translate("Actions", "Re&fresh"), "F5", "refresh"),
        Spec("system", view, system, checkable=True, always=True, apart=True),
        Spec("light", view, light, checkable=True, always=True),
        Spec("dark", view, translate("Actions", "&Dark colors"), checkable=True, always=True),
    )


def _of_events() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    log, see = translate("Actions", "E&vents"), _SEE_EVENTS
    return (
        Spec("filter", log, translate("Actions", "Add &filter…"), "Ctrl+F", "add", right=see),
        Spec("clear_filters", log, translate("Actions", "&Clear filters"), "Ctrl+Shift+F", right=see),
        Spec("query_back", log, translate("Actions", "Filters &before"), "Alt+Left", right=see),
        Spec("query_forward", log, translate("Actions", "Filters &after"), "Alt+Right", right=see),
        Spec("jump", log, translate("Actions", "&Go to event or row…"), "Ctrl+G", right=see),
        Spec("inspector", log, translate("Actions", "&Inspector"), "Ctrl+I", "inspector", True, see),
        Spec("export", log, translate("Actions", "&Export as CSV…"), "Ctrl+E", "export", right=see),
    )


def _of_schema() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    model = translate("Actions", "S&chema")
    find, svg = translate("Actions", "&Find table or column"), translate("Actions", "Drawin&g of the service")
    return (
        *(replace(spec, menu=model, right=_CHANGE_SCHEMA) for spec in _of_model()),
        Spec(
            "schema_commit",
            model,
            translate("Actions", "&Commit…"),
            "Ctrl+Shift+Return",
            right=_COMMIT_SCHEMA,
        ),
        Spec("schema_find", model, find, "Ctrl+F", "search", apart=True),
        Spec("schema_arrange", model, translate("Actions", "&Arrange"), "Ctrl+Shift+R", "arrange"),
        Spec("zoom_in", model, translate("Actions", "Zoom &in"), "Ctrl++", "zoom-in"),
        Spec("zoom_out", model, translate("Actions", "Zoom &out"), "Ctrl+-", "zoom-out"),
        Spec("fit", model, translate("Actions", "Fit to &window"), "Ctrl+0", "fit"),
        Spec("schema_svg", model, svg, "Ctrl+Shift+G", checkable=True),
    )


def _of_model() -> tuple[Spec, ...]:
    """The steps of somebody who changes the schema."""
    translate = QCoreApplication.translate
    return (
        Spec("table_new", "", translate("Actions", "New &table"), "Ctrl+T", "table-new"),
        Spec("nested_new", "", translate("Actions", "New &nested table"), "Ctrl+Alt+T", "nested-new"),
        Spec("column_new", "", translate("Actions", "New co&lumn"), "Ctrl+Shift+A", "column-new"),
        Spec("link_new", "", translate("Actions", "New lin&k…"), "Ctrl+Shift+I", "link-new"),
        Spec("element_rename", "", translate("Actions", "Rena&me"), "F2", apart=True),
        Spec("element_delete", "", translate("Actions", "D&elete"), "Del"),
        Spec("element_up", "", translate("Actions", "Move u&p"), "Alt+Up", "up"),
        Spec("element_down", "", translate("Actions", "Move &down"), "Alt+Down", "down"),
        Spec("schema_undo", "", translate("Actions", "&Undo"), "Ctrl+Z", "undo", apart=True),
        Spec("schema_redo", "", translate("Actions", "&Redo"), "Ctrl+Shift+Z", "redo"),
        Spec("schema_save", "", translate("Actions", "&Save HEAD"), "Ctrl+S", apart=True),
    )


def _of_live() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    feed, pause = translate("Actions", "&Live"), translate("Actions", "&Pause live feed")
    return (
        Spec("pause", feed, pause, "Ctrl+Shift+L", "pause", True, "", "play"),
        Spec("live_filter", feed, translate("Actions", "&Filter live feed…"), "Ctrl+Shift+T", "filter"),
        Spec("live_clear", feed, translate("Actions", "&Clear live feed"), "Ctrl+Shift+K", "clear"),
    )


def _of_help() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    about = translate("Actions", "&About this program")
    help_ = translate("Actions", "&Help")
    return (
        Spec("keys", help_, translate("Actions", "All &keys"), "F1", always=True),
        Spec("explain", help_, translate("Actions", "&Explain an error…"), always=True),
        Spec("about", help_, about, always=True, apart=True),
    )


class Actions(QObject):
    """The table as Qt's actions, by name."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._specs = {spec.name: spec for spec in _table()}
        self._actions = {name: self._made(spec, appearance) for name, spec in self._specs.items()}
        self._allows: Allows | None = None
        self._page = ""
        self._impossible: dict[str, str] = {}
        self._settle()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def spec(self, name: str) -> Spec:
        """What the table says about an action."""
        return self._specs[name]

    def menus(self) -> dict[str, list[Spec]]:
        """What stands in each menu, under its title and in the order of the table."""
        result: dict[str, list[Spec]] = {}
        for spec in self._specs.values():
            result.setdefault(spec.menu, []).append(spec)
        return result

    def offer(self, allows: Allows | None) -> None:
        """From now on there is a session with these rights, or for None no connection."""
        self._allows = allows
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
        if spec.always:
            return ""
        if self._allows is None:
            return translate("Actions", "Needs a connection.")
        if spec.right and not self._allows(spec.right):
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
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
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
