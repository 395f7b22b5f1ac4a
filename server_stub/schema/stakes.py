"""What rows have at stake in a commit: numbers to ask for, per table one query; knows no document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, column, func, select, table

from server_stub.foundation.errors import UserError
from server_stub.schema.physical import PRIMARY_KEY

Number = ColumnElement[Any]

# What a query may select has a limit in every database: 2000 in SQLite, 1664 in PostgreSQL.
_MOST = 500
_PAGE = 1000


class Judge:
    """Asks about every row what no database can: whether a value converts, fulfils a check, comes twice."""

    blocking = 0
    lossy: int | None = None
    refusal: UserError | None = None

    def __init__(self, *columns: str) -> None:
        self.columns = columns

    def take(self, values: Sequence[object]) -> None:
        """Looks at the judge's columns of one row, by ascending id."""
        raise NotImplementedError

    def finish(self) -> None:
        """All rows have been there."""


class Question(msgspec.Struct, frozen=True):
    """What one step puts at stake: how many values, and how many of them would refuse the commit and how."""

    values: tuple[Number, ...]
    blocking: Number | Judge | None = None
    refusal: UserError | None = None


class Stake(msgspec.Struct, frozen=True):
    """The answer to a question; None where the step cannot refuse or lose anything."""

    rows: int
    values: int
    blocking: int | None = None
    lossy: int | None = None
    refusal: UserError | None = None


def stakes(connection: Connection, table_name: str, questions: Sequence[Question]) -> Iterator[Stake]:
    """Answers questions about one table: one query for what is counted, one for what must be read."""
    rows, *numbers = _counted(connection, table_name, questions)
    _read(connection, table_name, [each.blocking for each in questions if isinstance(each.blocking, Judge)])
    rest = iter(numbers)
    for question in questions:
        values = sum(next(rest) for _ in question.values)
        match question.blocking:
            case None:
                yield Stake(rows, values)
            case Judge() as judge:
                yield Stake(rows, values, judge.blocking, judge.lossy, judge.refusal)
            case _:
                blocking = next(rest)
                yield Stake(rows, values, blocking, None, question.refusal if blocking else None)


def _counted(connection: Connection, table_name: str, questions: Sequence[Question]) -> list[int]:
    wanted: list[Number] = [func.count()]
    for question in questions:
        wanted.extend(question.values)
        if isinstance(question.blocking, ColumnElement):
            wanted.append(question.blocking)
    numbers: list[int] = []
    for start in range(0, len(wanted), _MOST):
        some = wanted[start : start + _MOST]
        labelled = (number.label(f"n{place}") for place, number in enumerate(some))
        numbers.extend(connection.execute(select(*labelled).select_from(table(table_name))).one())
    return numbers


def _read(connection: Connection, table_name: str, judges: Sequence[Judge]) -> None:
    names = sorted({name for judge in judges for name in judge.columns})
    places = {name: place for place, name in enumerate(names)}
    asked: list[tuple[Callable[[Sequence[object]], None], list[int]]] = [
        (judge.take, [places[name] for name in judge.columns]) for judge in judges
    ]
    if names:
        columns: list[Number] = [column(name) for name in names]
        chosen = select(*columns).select_from(table(table_name)).order_by(column(PRIMARY_KEY))
        for row in connection.execute(chosen, execution_options={"yield_per": _PAGE}):
            for take, wanted in asked:
                take([row[place] for place in wanted])
    for judge in judges:
        judge.finish()
