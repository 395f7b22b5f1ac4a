"""The one table of what can be done from the keyboard or a menu; knows no pane, decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon

_SEE_SCHEMA = "system.datamodel.current"
_SEE_EVENTS = "system.api.event.get"


@dataclass(frozen=True, slots=True)
class Spec:
    """One action in the user's language; ``right`` is the system right (§5.2) that it takes, if any."""

    name: str
    menu: str
    text: str
    key: str = ""
    icon: str = ""
    checkable: bool = False
    right: str = ""
    checked_icon: str = ""


def _table() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    file, view = translate("Actions", "&File"), translate("Actions", "&View")
    diagram, appearance = translate("Actions", "&Diagram"), translate("Actions", "&Appearance")
    return (
        Spec("quit", file, translate("Actions", "&Quit"), "Ctrl+Q"),
        Spec("events", view, translate("Actions", "&Events"), "Ctrl+1", "events", True),
        Spec("schema", view, translate("Actions", "&Schema"), "Ctrl+2", "schema", True, _SEE_SCHEMA),
        Spec("live", view, translate("Actions", "&Live feed"), "Ctrl+L", "live", True),
        Spec(
            "pause", view, translate("Actions", "&Pause live feed"), "Ctrl+Shift+L", "pause", True, "", "play"
        ),
        Spec("refresh", view, translate("Actions", "&Refresh"), "F5", "refresh"),
        *_of_events(),
        Spec("zoom_in", diagram, translate("Actions", "Zoom &in"), "Ctrl++", "zoom-in"),
        Spec("zoom_out", diagram, translate("Actions", "Zoom &out"), "Ctrl+-", "zoom-out"),
        Spec("fit", diagram, translate("Actions", "&Fit to window"), "Ctrl+0", "fit"),
        Spec("system", appearance, translate("Actions", "As the &system"), checkable=True),
        Spec("light", appearance, translate("Actions", "&Light"), checkable=True),
        Spec("dark", appearance, translate("Actions", "&Dark"), checkable=True),
    )


def _of_events() -> tuple[Spec, ...]:
    translate = QCoreApplication.translate
    log, see = translate("Actions", "E&vent log"), _SEE_EVENTS
    return (
        Spec("filter", log, translate("Actions", "Add &filter…"), "Ctrl+F", "add", right=see),
        Spec("clear_filters", log, translate("Actions", "&Clear filters"), "Ctrl+Shift+F", right=see),
        Spec("query_back", log, translate("Actions", "Filters &before"), "Alt+Left", right=see),
        Spec("query_forward", log, translate("Actions", "Filters &after"), "Alt+Right", right=see),
        Spec("jump", log, translate("Actions", "&Go to event or row…"), "Ctrl+G", right=see),
        Spec("inspector", log, translate("Actions", "&Inspector"), "Ctrl+I", "inspector", True, see),
        Spec("export", log, translate("Actions", "&Export as CSV…"), "Ctrl+E", "export", right=see),
    )


class Actions(QObject):
    """The table as Qt's actions, by name."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._specs = {spec.name: spec for spec in _table()}
        self._actions = {name: self._made(spec, appearance) for name, spec in self._specs.items()}

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def menus(self) -> dict[str, list[QAction]]:
        """The actions under the titles of their menus, in the order of the table."""
        result: dict[str, list[QAction]] = {}
        for spec in self._specs.values():
            result.setdefault(spec.menu, []).append(self._actions[spec.name])
        return result

    def offer(self, names: AbstractSet[str], allows: Callable[[str], bool]) -> None:
        """Enables exactly the named actions, as far as the session has the rights that they need."""
        for name, spec in self._specs.items():
            self._actions[name].setEnabled(name in names and (not spec.right or allows(spec.right)))

    def _made(self, spec: Spec, appearance: Appearance) -> QAction:
        action = QAction(spec.text, self)
        action.setCheckable(spec.checkable)
        action.setShortcut(QKeySequence(spec.key))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        if spec.icon:
            action.setIcon(icon(spec.icon, appearance, spec.checked_icon))
        action.setToolTip(_tip(action))
        return action


def _tip(action: QAction) -> str:
    name = action.text().replace("&", "")
    key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{name} ({key})" if key else name
