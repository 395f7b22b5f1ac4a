"""Tests of formatted sizes of data."""

from collections.abc import Iterator

import pytest

from cdb_desktop.foundation import i18n
from cdb_desktop.foundation.i18n import size_text


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    i18n.use_language("en", i18n._english_number)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (12_400, "12.4 kB"),
        (3_100_000, "3.1 MB"),
        (10**12, "1.0 TB"),
    ],
)
def test_sizes_are_decimal(size: int, text: str) -> None:
    """Sizes have decimal units, as in file managers."""
    assert size_text(size) == text


def test_sizes_follow_the_language() -> None:
    """Separators and the word for bytes are localized."""
    i18n.use_language("de", lambda value, decimals: f"{value:.{decimals}f}".replace(".", ","))
    assert (size_text(12_400), size_text(7)) == ("12,4 kB", "7 Bytes")
