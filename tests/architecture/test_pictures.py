"""README's pictures exist and have the documented size."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging" / "pictures"
PICTURES = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("alternative", "link"), PICTURES)
def test_pictures_show_the_smallest_window(alternative: str, link: str) -> None:
    """Each picture is a PNG of 1366x768 below 250 KB with an alternative text."""
    data = (ROOT / link).read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (1366, 768)
    assert len(data) < 250_000
    assert alternative


def test_readme_shows_every_picture_once() -> None:
    """README shows every picture once."""
    assert PICTURES
    assert sorted(link for _, link in PICTURES) == sorted(
        path.relative_to(ROOT).as_posix() for path in FOLDER.iterdir()
    )


def test_the_script_that_makes_them_can_be_started() -> None:
    """The script is executable and stops at the first error."""
    script = ROOT / "packaging" / "screenshots"
    assert os.access(script, os.X_OK)
    assert "\nset -euo pipefail\n" in script.read_text(encoding="utf-8")
