"""In which order actions are offered before anything is typed; remembers which were used last."""

from __future__ import annotations

from PySide6.QtCore import QSettings

from cdb_desktop.ui.actions import Actions

_KEY = "palette/recent"
_MOST = 8
_USED, _OF_PAGE, _EVERYWHERE, _OF_OTHER_PAGES, _LATE = range(5)
# Ways to a service or away from it: what matters most without one, and least beside one.
_WAYS = frozenset({"demo", "connect", "model_open", "model_close", "sign_in", "disconnect", "quit"})


class Ranking:
    """The last few actions that were run from the palette, newest first, kept for the next start."""

    def __init__(self, actions: Actions, settings: QSettings) -> None:
        self._actions = actions
        self._settings = settings

    @property
    def recent(self) -> list[str]:
        """Their names."""
        kept = self._settings.value(_KEY) or []
        names = [kept] if isinstance(kept, str) else kept
        return [name for name in names if name in set(self._actions)] if isinstance(names, list) else []

    def note(self, name: str) -> None:
        """This one was run just now."""
        others = [one for one in self.recent if one != name]
        self._settings.setValue(_KEY, [name, *others][:_MOST])

    def order(self) -> dict[str, tuple[int, int]]:
        """The rank of each action: used last, of the page, of everywhere, of other pages, ways to leave."""
        recent = self.recent
        return {
            name: (_USED, recent.index(name)) if name in recent else (self._group(name), place)
            for place, name in enumerate(self._actions)
        }

    def _group(self, name: str) -> int:
        if name in _WAYS:
            return _LATE if self._actions.is_connected else _OF_PAGE
        page = self._actions.spec(name).page
        if page:
            return _OF_PAGE if page == self._actions.page else _OF_OTHER_PAGES
        return _EVERYWHERE
