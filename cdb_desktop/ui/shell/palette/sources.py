"""What the command palette finds: sources of rows, and the source of all actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Protocol

import msgspec
from PySide6.QtCore import QSettings
from PySide6.QtGui import QIcon

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions, key_of, plain
from cdb_desktop.ui.shell.palette.ranking import ActionRanking, match_distance


@dataclass(frozen=True, slots=True)
class PaletteRow:
    """One line of the palette.

    ``kind`` is what it is or where it is from, such as the title of a menu. ``obstacle`` is the reason why it
    is not available, empty if it is. ``rank`` orders rows that match equally well, ``fit`` says how well.
    """

    name: str
    title: str
    kind: str
    run: Callable[[], object]
    key: str = ""
    obstacle: str = ""
    icon: QIcon = field(default_factory=QIcon)
    fit: int = 0
    rank: tuple[int, int] = (0, 0)

    @property
    def spoken(self) -> str:
        """The row for screen readers."""
        return ", ".join(filter(None, (self.title, self.kind, self.key, self.obstacle)))


class PaletteSource(Protocol):
    """A kind of things that the palette finds."""

    def rows(self, typed: str) -> Iterable[PaletteRow]:
        """The rows that match what is typed, in any order."""


@cache
def synonyms(kind: str) -> Mapping[str, str]:
    """What people call things of a kind, in all languages: words by names of actions or settings."""
    content = resource("synonyms.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, str]])[kind]


class ActionSource:
    """All actions except the one that opens the palette; those that were run last are first."""

    def __init__(self, actions: Actions, settings: QSettings) -> None:
        self._actions = actions
        self._ranking = ActionRanking(actions, settings)

    def rows(self, typed: str) -> Iterable[PaletteRow]:
        """Actions by name, synonym, menu or id."""
        order = self._ranking.order()
        for name in self._actions:
            action, spec = self._actions[name], self._actions.spec(name)
            title, menu = plain(spec.text), plain(spec.menu)
            fit = match_distance(typed, title, synonyms("actions").get(name, ""), f"{menu} {name}")
            # Without a text only what can be chosen here is listed.
            if name == "palette" or fit is None or (spec.native and not typed.strip()):
                continue
            key = key_of(action)
            obstacle = self._actions.obstacle(name)
            if spec.native:
                # What it applies to has no focus while the palette is open.
                obstacle = tr("Press {key} where it is to apply.", key=key)
            yield PaletteRow(
                name, title, menu, partial(self._run, name), key, obstacle, action.icon(), fit, order[name]
            )

    def _run(self, name: str) -> None:
        self._ranking.note(name)
        self._actions.run(name)
