"""Tests of `cdb-desktop dictionary`."""

from pathlib import Path

import pytest

from cdb_desktop.app import dictionary
from cdb_desktop.app.options import DictionaryOptions, parse_dictionary_options
from cdb_desktop.foundation.i18n import language, use_language
from tests.desktop.schema.models import MODEL_FILES

MODEL = str(MODEL_FILES[0])


def test_a_page_is_written(tmp_path: Path) -> None:
    """With the diagram, and the changes since another model."""
    out = tmp_path / "out.html"
    options = parse_dictionary_options([MODEL, "-o", str(out), "--against", str(MODEL_FILES[1])])
    assert dictionary.run(options) == 0
    text = out.read_text(encoding="utf-8")
    assert "<svg" in text
    assert f"Changes since {MODEL_FILES[1].name}" in text


def test_markdown_is_written_in_german(tmp_path: Path) -> None:
    """If the name of the file ends in .md."""
    before = language()
    try:
        assert dictionary.run(DictionaryOptions(MODEL, str(tmp_path / "out.md"), language="de")) == 0
    finally:
        use_language(before, lambda value, decimals: f"{value:,.{decimals}f}")
    assert "## Tabellen" in (tmp_path / "out.md").read_text(encoding="utf-8")


def test_failures_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of files that are not there, are no model, or cannot be written."""
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    out = str(tmp_path / "out.html")
    for options in (
        DictionaryOptions(str(tmp_path / "none.json"), out),
        DictionaryOptions(str(broken), out),
        DictionaryOptions(MODEL, out, against=str(broken)),
        DictionaryOptions(MODEL, str(tmp_path / "none" / "out.html")),
    ):
        assert dictionary.run(options) == 1
        assert capsys.readouterr().err.count("\n") == 1
    assert not Path(out).exists()


@pytest.mark.parametrize("arguments", [[], [MODEL], [MODEL, "-o", "out.txt"]])
def test_wrong_arguments(arguments: list[str]) -> None:
    """End the command with 2."""
    with pytest.raises(SystemExit) as caught:
        parse_dictionary_options(arguments)
    assert caught.value.code == 2
