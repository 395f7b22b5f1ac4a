"""`cdb-desktop dictionary`: writes the data dictionary of a model file, without a window and without Qt."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime
from pathlib import Path

from cdb_desktop.app.options import DictionaryOptions
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr, use_language
from cdb_desktop.schema.diagram.graphviz_layout import GraphvizError, find_graphviz
from cdb_desktop.schema.dictionary.contents import Dictionary, DictionarySource
from cdb_desktop.schema.dictionary.html_page import draw_svg, write_html
from cdb_desktop.schema.dictionary.markdown import write_markdown
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.model_files import ModelFile, current_names, read_file

_DONE, _FAILED = 0, 1  # exit codes


def run(options: DictionaryOptions) -> int:
    """Writes the file; returns the exit code. Errors are on stderr."""
    if options.language == "de":
        use_language("de", _german_number)
    try:
        model = _read(Path(options.model))
        base = _read(Path(options.against)).document if options.against else None
        content = asyncio.run(_content(options, model, base))
        write_whole(Path(options.output), content.encode(errors="replace"), private=False)
    except _ReadError as error:
        sys.stderr.write(f"cdb-desktop: {error}\n")
        return _FAILED
    except OSError as error:
        sys.stderr.write(f"cdb-desktop: {options.output}: {error.strerror or error}\n")
        return _FAILED
    return _DONE


class _ReadError(Exception):
    """A model file cannot be read."""


def _read(path: Path) -> ModelFile:
    try:
        return read_file(path).model
    except OSError as error:
        raise _ReadError(f"{path}: {error.strerror or error}") from error
    except DocumentError as error:
        raise _ReadError(f"{path}: {error}") from error


async def _content(options: DictionaryOptions, model: ModelFile, base: Document | None) -> str:
    dictionary = Dictionary(
        DictionarySource(
            title=Path(options.model).stem,
            document=model.document,
            made_at=datetime.now().astimezone(),
            base=base,
            base_name=Path(options.against).name,
            names=current_names(model, model.document),
        )
    )
    if options.is_markdown:
        return write_markdown(dictionary)
    try:
        svg, reason = await draw_svg(model.document, find_graphviz()), ""
    except GraphvizError as error:
        svg, reason = "", tr("The diagram could not be drawn: {reason}", reason=str(error.message))
        sys.stderr.write(f"cdb-desktop: {reason}\n")
    return write_html(dictionary, svg, reason)


def _german_number(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", ".,"))
