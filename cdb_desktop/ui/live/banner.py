"""The loud bar at the foot of a feed that stands still: how much has come since, and the way back."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.buttons import BannerButton


class FollowBanner(BannerButton):
    """Filled once something has come, so that nobody takes a feed that stands still for a dead one."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self._unseen = 0
        self.setObjectName("live.banner")
        self.show_unseen(0)

    def show_unseen(self, unseen: int) -> None:
        """So many rows have come since the feed stands still."""
        self._unseen = unseen
        translate = QCoreApplication.translate
        if unseen:
            words = translate("Live", "+%1 new · End to follow")
        else:
            words = translate("Live", "Paused, nothing new yet · End to follow")
        tip = translate("Live", "Go to the newest event and follow (End)")
        self.show_text(words.replace("%1", number_text(unseen)), tip, is_prominent=bool(unseen))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.show_unseen(self._unseen)
        super().changeEvent(event)
