"""A fixture that changes the language in a test; the desktop's fixtures reset it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cdb_desktop.foundation.i18n import Language, use_language


@pytest.fixture
def set_language() -> Callable[[Language], None]:
    """Returns a function that sets the language."""
    return lambda language: use_language(language, lambda value, decimals: f"{value:,.{decimals}f}")
