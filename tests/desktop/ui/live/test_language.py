"""Tests of the feed in German."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from cdb_desktop.live.feed_filter import without_type
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.live.conftest import LiveWindow


@pytest.fixture(autouse=True)
def _german(set_language: SetLanguage) -> None:
    set_language("de")


def test_everything_is_translated(live: LiveWindow) -> None:
    """Also numbers and titles of columns."""
    live.actions["pause"].trigger()
    live.view.set_filter(without_type(live.view.model.feed.filter, "SEARCH"))
    assert live.banner.text().startswith("Angehalten, noch nichts Neues")
    assert live.view.strip.status.startswith("Angehalten · ")
    assert live.view.strip.counts == "85 von 100 gezeigt"
    assert live.view.strip.chip.text == "ohne SEARCH"
    assert live.view.model.headerData(0, Qt.Orientation.Horizontal) == "Id"
