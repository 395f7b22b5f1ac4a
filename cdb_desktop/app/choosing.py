"""Sets the page of settings to work as soon as it is made, which is when somebody first looks at it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QSettings

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.app.places import Places
from cdb_desktop.ui.language.setting import LanguageSetting
from cdb_desktop.ui.language.zone import ZoneSetting
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.feed_setting import FeedSetting
from cdb_desktop.ui.window.standing import Standing

if TYPE_CHECKING:
    from cdb_desktop.ui.settings.view import SettingsView


class Choices(msgspec.Struct, frozen=True):
    """What can be chosen, and where it is kept."""

    appearance: Appearance
    language: LanguageSetting
    zone: ZoneSetting
    places: Places
    settings: QSettings
    pages: PageLoader

    def follow(self, standing: Standing, tasks: Tasks) -> None:
        """Applies from now on what is chosen on the page of settings."""
        standing.settings_made.connect(partial(self._serve, tasks))

    def _serve(self, tasks: Tasks, page: SettingsView) -> None:
        page.show_folders(self.places.settings, self.places.logs, self.places.demo)
        self.pages.settings_controller()(
            page, self.appearance, self.language, self.zone, FeedSetting.of(self.settings), tasks
        )
