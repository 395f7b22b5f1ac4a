"""The table of actions as Qt's, enabled by session, page and state; knows no pane."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from cdb_desktop.ui.actions.spec import Spec, key_of, plain
from cdb_desktop.ui.actions.table import table
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon

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
