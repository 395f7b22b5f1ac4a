"""Changes the language within a test; the fixtures of the desktop's tests change it back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cdb_desktop.foundation.i18n import Language, use_language


@pytest.fixture
def speak() -> Callable[[Language], None]:
    """Translates into a language from now on."""
    return lambda language: use_language(language, lambda value, decimals: f"{value:,.{decimals}f}")
