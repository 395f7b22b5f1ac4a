"""Tests of the text of a remaining duration."""

import pytest

from cdb_desktop.ui.events.export.dialogs import time_left_text
from tests.desktop.conftest import SetLanguage


@pytest.mark.parametrize(
    ("seconds", "english", "german"),
    [
        (0.2, "1 s left", "noch 1 s"),
        (45.4, "45 s left", "noch 45 s"),
        (64, "1 minute left", "noch 1 Minute"),
        (1_810, "30 minutes left", "noch 30 Minuten"),
        (3_600, "1 hour left", "noch 1 Stunde"),
        (7_500, "2 hours 5 minutes left", "noch 2 Stunden 5 Minuten"),
    ],
)
def test_durations_have_suitable_units(
    set_language: SetLanguage, seconds: float, english: str, german: str
) -> None:
    """Seconds are shown only below a minute."""
    assert time_left_text(seconds) == english
    set_language("de")
    assert time_left_text(seconds) == german
