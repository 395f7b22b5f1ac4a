"""Fixtures that change the language and the zone in a test; the desktop's fixtures reset the language."""

import time
from collections.abc import Callable, Iterator

import pytest

from cdb_desktop.foundation.i18n import Language, use_language
from cdb_desktop.vocabulary.times import choose_zone


@pytest.fixture
def set_language() -> Callable[[Language], None]:
    """Returns a function that sets the language."""
    return lambda language: use_language(language, lambda value, decimals: f"{value:,.{decimals}f}")


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sets the zone of the machine to Berlin, and chooses the zone of the machine after the test."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    choose_zone("local")
    monkeypatch.undo()
    time.tzset()
