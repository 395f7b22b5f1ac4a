"""Reads a file of CSV as frames of typed columns, some rows at a time. Knows no form of the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

Kind = Literal["number", "moment", "flag", "text"]

_KINDS: dict[str, Kind] = {
    "_id": "number",
    "timestamp": "moment",
    "object_id": "number",
    "object_version": "number",
    "pollable": "flag",
    "user_id": "number",
}
_FLAGS = {"true": True, "false": False}
_SLICE_BYTES = 8_000_000
_FEWEST = 100  # rows of a frame


class Frames:
    """A file, its columns and their kinds; a column with a value of another kind is text from end to end."""

    def __init__(self, file: Path, rows: int, at_once: int) -> None:
        """Reads the file once to see what its columns hold. Raises OSError, ValueError.

        A frame has ``at_once`` rows, or fewer where they are large.
        """
        self._file = file
        average = file.stat().st_size // max(rows, 1) + 1
        self._slice = max(_FEWEST, min(at_once, _SLICE_BYTES // average))
        self.columns: tuple[str, ...] = tuple(pd.read_csv(file, nrows=0, encoding="utf-8-sig").columns)
        self.kinds = self._looked_at()

    def __iter__(self) -> Iterator[pd.DataFrame]:
        """The rows in their order; what is empty is missing."""
        for texts in self._texts(self.columns):
            yield pd.DataFrame({name: _typed(texts[name], self.kinds[name]) for name in self.columns})

    def _looked_at(self) -> dict[str, Kind]:
        kinds: dict[str, Kind] = {name: _KINDS.get(name, "text") for name in self.columns}
        for texts in self._texts([name for name in self.columns if kinds[name] != "text"]):
            for name in texts.columns:
                try:
                    _typed(texts[name], kinds[name])
                except ValueError:
                    kinds[name] = "text"
        return kinds

    def _texts(self, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
        if columns:
            yield from pd.read_csv(
                self._file,
                usecols=list(columns),
                dtype=str,
                na_filter=False,
                chunksize=self._slice,
                encoding="utf-8-sig",
                encoding_errors="replace",
            )


def _typed(texts: pd.Series[str], kind: Kind) -> pd.Series:
    """The values of a column. Raises ValueError where one is of another kind."""
    there = texts.where(texts != "")
    if kind == "text":
        return there
    if kind == "moment":
        return pd.to_datetime(there, utc=True, format="ISO8601").dt.as_unit("us")
    fits = there.dropna().isin(_FLAGS) if kind == "flag" else there.dropna().str.fullmatch(r"-?\d{1,18}")
    if not fits.all():
        raise ValueError(kind)
    return there.map(_FLAGS).astype("boolean") if kind == "flag" else there.astype("Int64")
