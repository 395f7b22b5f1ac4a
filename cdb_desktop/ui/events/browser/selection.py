"""The selected rows of a table as stretches, without asking a million rows one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtWidgets import QTableView

Stretch = tuple[int, int]
MOST_SELECTED = 10_000  # rows that are read one by one; more are better named by a filter


def selected_stretches(table: QTableView) -> list[Stretch]:
    """First and last row of every stretch of selected rows, from the top, none twice."""
    chosen = table.selectionModel().selection()
    return joined((chosen.at(place).top(), chosen.at(place).bottom()) for place in range(chosen.count()))


def joined(ranges: Iterable[Stretch]) -> list[Stretch]:
    """The same rows as stretches that neither touch nor overlap, from the top."""
    result: list[Stretch] = []
    for top, bottom in sorted(ranges):
        if result and top <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(bottom, result[-1][1]))
        else:
            result.append((top, bottom))
    return result


def number_of_rows(stretches: list[Stretch]) -> int:
    """How many rows they are."""
    return sum(last - first + 1 for first, last in stretches)


def rows_of(stretches: list[Stretch]) -> Iterator[int]:
    """Each row, from the top."""
    for first, last in stretches:
        yield from range(first, last + 1)
