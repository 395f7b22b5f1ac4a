"""The pictures of the manual are those that the texts show, and show the program as it is."""

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "resources" / "manual"
STRUCTURES = Path(__file__).parent / "pictures"
LANGUAGES = ("en", "de")
_MOST_BYTES = 5_000_000
_INDEXED = 3  # the type of colors of a PNG with a palette


def _structure(folder: Path, language: str) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_show_every_picture_once(language: str) -> None:
    """Each picture that a text shows exists, and each is shown once, with the numbers that the text names."""
    shown: dict[str, str] = {}
    for path in sorted((MANUAL / language).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"!\[[^\]]+\]\(pictures/([a-z-]+)\.png\)", text):
            assert name not in shown
            shown[name] = text
    pictures = {path.stem for path in (MANUAL / "pictures" / language).iterdir()}
    structure = _structure(STRUCTURES, language)
    assert set(shown) == pictures == set(structure)
    for name, text in shown.items():
        numbers = len(structure[name][-1]) - 1
        assert {"①②③④⑤".index(sign) + 1 for sign in re.findall("[①②③④⑤]", text)} == set(
            range(1, numbers + 1)
        ), name


def test_the_pictures_are_small() -> None:
    """They are PNG files with a palette, and together not larger than planned."""
    paths = list((MANUAL / "pictures").rglob("*.png"))
    assert paths
    for path in paths:
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG\r\n\x1a\n"), path
        assert struct.unpack(">B", data[25:26]) == (_INDEXED,), path
    assert sum(path.stat().st_size for path in paths) <= _MOST_BYTES


@pytest.mark.timeout(400)  # the program is started and goes to 20 places
@pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.long)])
def test_the_pictures_show_the_program_as_it_is(language: str, tmp_path: Path) -> None:
    """Widgets and texts are those of the pictures; else `packaging/screenshots` makes them anew."""
    done = subprocess.run(
        [ROOT / "packaging" / "screenshots", "--structure", tmp_path, language],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=330,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made, kept = _structure(tmp_path, language), _structure(STRUCTURES, language)
    stale = [name for name in made if made[name] != kept.get(name)]
    assert not stale, {name: [row for row in made[name] if row not in kept.get(name, [])] for name in stale}
