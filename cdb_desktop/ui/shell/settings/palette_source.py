"""Finds settings for the command palette, and each of their choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.palette.ranking import match_distance
from cdb_desktop.ui.shell.palette.sources import PaletteRow, synonyms
from cdb_desktop.ui.shell.settings.view import (
    SettingsView,
    general_choices,
    general_titles,
    live_titles,
)


class SettingSource:
    """Settings by name, choice or synonym. A choice is applied; a setting is shown on its page.

    Choices of colors are left out: they are actions, too.
    """

    def __init__(self, page: Callable[[], SettingsView], show_page: Callable[[], object]) -> None:
        """``page`` returns the page, which may be hidden; ``show_page`` shows it."""
        self._page = page
        self._show_page = show_page

    def rows(self, typed: str) -> Iterator[PaletteRow]:
        """The settings that match, and none for an empty text."""
        choices = general_choices()
        choices.pop("colours")
        titles = {name: title for name, (title, _hint) in general_titles().items()} | live_titles()
        if not typed.strip():
            return
        kind, words = tr("Settings"), synonyms("settings")
        for name, title in titles.items():
            found = {name: (title, partial(self._open, name))}
            for choice, text in choices.get(name, {}).items():
                found[f"{name}.{choice}"] = f"{title}: {text}", partial(self._choose, name, choice)
            for key, (shown, run) in found.items():
                fit = match_distance(typed, shown, words.get(key, words[name]), kind)
                if fit is not None:
                    yield PaletteRow(f"setting.{key}", shown, kind, run, fit=fit)

    def _choose(self, name: str, choice: str) -> None:
        self._page().choices.choose(name, choice)

    def _open(self, name: str) -> None:
        self._show_page()
        self._page().show_setting(name)
