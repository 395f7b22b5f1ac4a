"""Tests of reversed commits, on the reference server with real rows."""

import pytest

from cdb_desktop.schema.commit.reversal import LossKind, RevertLoss
from cdb_desktop.schema.diff.compare import Risk, compare
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from tests.desktop.schema.commit.reversed_commits import Cell, ReversedCommit, Values, reversed_commit

_CERTAIN = (LossKind.ROWS, LossKind.VALUES, LossKind.OPTION, LossKind.REPLACED)
_IDS = ("_id", "_version", "_uplink_id")
_SYSTEM_COLUMNS = {"is_hierarchical": "_parent_id", "pool_link": "_pool_id", "has_tags": "_tags"}


@pytest.mark.parametrize(
    "wanted", [12, pytest.param(500, marks=[pytest.mark.long, pytest.mark.timeout(1200)])]
)
def test_random_commits_are_reversed(wanted: int) -> None:
    """The document is the former one but for ids, and exactly the predicted values are lost."""
    done = refused = lost = 0
    seed = 0
    while done < wanted:
        found = reversed_commit(seed)
        seed += 1
        if found is None:
            continue
        done += 1
        _check_document(found, seed - 1)
        if found.refused is not None:
            refused += 1
            risky = [one.risk for one in found.reversal.changes if one.option != "target"]
            assert Risk.NARROWING in risky or len(risky) < len(found.reversal.changes), found.refused
            continue
        lost += _check_losses(found, seed - 1)
    assert lost > 0
    assert refused < done / 2


def _check_document(found: ReversedCommit, seed: int) -> None:
    kept = {loss.ref for loss in found.reversal.losses if loss.kind is LossKind.TYPE}
    before = found.reversal.before
    differences = compare(before, align(found.result, before, MatchBy.NAMES).document)
    assert [str(one.message) for one in differences if one.ref not in kept] == [], seed
    assert {one.ref for one in differences} <= kept, seed


def _check_losses(found: ReversedCommit, seed: int) -> int:
    """Compares predicted and actual losses; returns the number of lost values."""
    lost = _lost(found)
    certain, possible = _predicted(found)
    assert certain <= lost.keys(), (seed, certain - lost.keys())
    assert lost.keys() <= certain | possible, (seed, lost.keys() - certain - possible)
    for loss in found.reversal.losses:
        if loss.kind in (LossKind.VALUES, LossKind.ROWS, LossKind.OPTION):
            assert loss.count == _count(loss, found.was), (seed, str(loss.message))
    return sum(map(len, lost.values()))


def _count(loss: RevertLoss, was: Values) -> int:
    """Its values as the service counts them: without those of the system, and rows if there are no others."""
    cells = _cells(loss.ref, loss.option, was)
    if loss.kind is not LossKind.ROWS:
        return sum(len(was[cell]) for cell in cells)
    values = sum(len(was[cell]) for cell in cells if isinstance(cell[1], int))
    return values or len(was.get((loss.ref.table, "_id"), {}))


def _predicted(found: ReversedCommit) -> tuple[set[Cell], set[Cell]]:
    """The columns with values that will be lost, and those whose values may be lost."""
    certain: set[Cell] = set()
    possible: set[Cell] = set()
    for loss in found.reversal.losses:
        cells = _cells(loss.ref, loss.option, found.was)
        if loss.kind in _CERTAIN:
            certain |= cells
        elif loss.kind in (LossKind.DETAIL, LossKind.TYPE):
            possible |= cells
    return certain, possible


def _cells(ref: TableRef | ColumnRef, option: str, values: Values) -> set[Cell]:
    if isinstance(ref, ColumnRef):
        return {cell for cell in values if cell == (ref.table, ref.column)}
    if option:
        return {cell for cell in values if cell == (ref.table, _SYSTEM_COLUMNS[option])}
    return {cell for cell in values if cell[0] == ref.table and cell[1] not in _IDS}


def _lost(found: ReversedCommit) -> Values:
    """The values before the commit that are not there after its reversal, by the former columns."""
    now = _by_former_keys(found)
    lost: Values = {}
    for cell, rows in found.was.items():
        if cell[1] in _IDS:
            continue
        gone = {row: value for row, value in rows.items() if now.get(cell, {}).get(row) != value}
        if gone:
            lost[cell] = gone
    return lost


def _by_former_keys(found: ReversedCommit) -> Values:
    names = _names(found.result)
    former = {name: cell for cell, name in _names(found.reversal.before).items()}
    values: Values = {}
    for cell, rows in found.now.items():
        key = former.get(names[cell]) if isinstance(cell[1], int) else None
        if key is not None:
            values[key] = rows
        elif isinstance(cell[1], str):
            table = former.get((names[cell[0], 0][0], ""))
            if table is not None:
                values[table[0], cell[1]] = rows
    return values


def _names(document: Document) -> dict[tuple[int, int | str], tuple[str, str]]:
    """Names of tables and columns by their keys; those of tables with the column 0."""
    found: dict[tuple[int, int | str], tuple[str, str]] = {}
    for table in document.tables:
        found[table.key, 0] = (table.name, "")
        found |= {(table.key, column.key): (table.name, column.name) for column in table.columns}
    return found
