"""All actions of the program: names, menus, keys and required rights, and Qt's actions for them.

Their table is `resources/actions.json`; each row is an `ActionSpec`. `Actions` enables them for the rights of
the session, the page that is shown, and the state of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon

HasRight = Callable[[str], bool]

# What changes or follows a service, besides the schema page and the live feed. A log file has no service.
_OF_SERVICE = frozenset(
    {"delete_selected", "delete_found", "disconnect", "event_insert", "event_schema", "follow_query", "pause"}
)


class ActionSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


@lru_cache(maxsize=1000)
def plain(text: str) -> str:
    """The text of an action without mnemonic and without the key that the menu shows after it."""
    return re.sub("&(.)", r"\1", text.partition("\t")[0])


def key_of(action: QAction) -> str:
    """The key of an action as the platform writes it, or an empty string."""
    native = action.text().partition("\t")[2]
    return native or action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


@cache
def _table() -> tuple[ActionSpec, ...]:
    return msgspec.json.decode(resource("actions.json").read_bytes(), type=tuple[ActionSpec, ...])


def action_specs() -> tuple[ActionSpec, ...]:
    """All actions in the order of the menus, in the language in use."""
    return tuple(
        replace(spec, menu=tr(spec.menu), text=tr(spec.text), group=tr(spec.group) if spec.group else "")
        for spec in _table()
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
        self.page = ""  # the action of the page that is shown
        self._impossible: dict[str, str] = {}
        self._obstacles: dict[str, str] = {}  # those that are shown
        self._update_all()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

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
        self.page = page
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
        if spec.page in ("", self.page):
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
