"""What becomes of the columns of one kept table: renames, additions, conversions; knows no SQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from server_stub.schema.column_types import is_plain_cast
from server_stub.schema.model import Column, Table
from server_stub.schema.physical import PhysicalColumn, PhysicalTable, PhysicalUnique, column_key
from server_stub.schema.renames import ordered_renames
from server_stub.schema.steps import AddColumn, ConvertValues, RenameColumn, Step


class Conversion(msgspec.Struct, frozen=True):
    """A column whose values change their form; `moved` when they need a column of another kind."""

    before: Column
    after: Column
    moved: bool

    @property
    def key(self) -> str:
        """The key of the column before and after."""
        return column_key(self.after.id)

    @property
    def old_key(self) -> str:
        """The key of the column that holds the old values."""
        return f"{self.key}~old" if self.moved else self.key


class Moving(msgspec.Struct, frozen=True):
    """One kept table: as it was, as it will be, and between, when all columns of both stand in it."""

    old: PhysicalTable
    middle: PhysicalTable
    new: PhysicalTable
    conversions: tuple[Conversion, ...]

    def steps(self, languages: tuple[str, ...]) -> Iterator[Step]:
        """From `old` to `middle`, under the new name of the table."""
        standing = {column.key: column for column in self.middle.columns}
        moved = {conversion.key: conversion.old_key for conversion in self.conversions}
        names = {
            column.key: (column.name, standing[moved.get(column.key, column.key)].name)
            for column in self.old.columns
        }
        shape = replace(self.old, name=self.new.name, uniques=self.middle.uniques)
        for before, after in ordered_renames(names):
            yield RenameColumn(self.new.name, before, after, shape)
            shape = shape.renamed(before, after)
        stood = {moved.get(column.key, column.key) for column in self.old.columns}
        for column in self.middle.columns:
            if column.key not in stood:
                yield AddColumn(self.new.name, column)
        for conversion in self.conversions:
            source, target = standing[conversion.old_key].name, standing[conversion.key].name
            yield ConvertValues(self.new.name, source, target, conversion.before, conversion.after, languages)


def moving_columns(old: PhysicalTable, new: PhysicalTable, before: Table, after: Table) -> Moving:
    """How one kept table gets from one layout to the other; `old` stands under its new name already."""
    conversions = tuple(_conversions(old, new, before, after))
    moved = {conversion.key: conversion for conversion in conversions if conversion.moved}
    new_names = {column.name for column in new.columns}
    standing = [_standing(column, new, moved, new_names) for column in old.columns]
    known = {column.key for column in standing}
    added = [_added(column, moved) for column in new.columns if column.key not in known]
    uniques = _lasting_uniques(old, new, {conversion.key for conversion in conversions} | _cast(old, new))
    middle = replace(old, columns=(*standing, *added), uniques=uniques)
    return Moving(old, middle, new, conversions)


def _lasting_uniques(
    old: PhysicalTable, new: PhysicalTable, converted: set[str]
) -> tuple[PhysicalUnique, ...]:
    """Unique keys that stay; those of converted columns are made anew, when all values are there."""
    lasting = (unique for unique in old.uniques if unique in new.uniques)
    return tuple(unique for unique in lasting if converted.isdisjoint((*unique.columns, *unique.where)))


def _cast(old: PhysicalTable, new: PhysicalTable) -> set[str]:
    """Columns whose values the database itself brings into another form when it alters the table."""
    kept = ((column, new.find(column.key)) for column in old.columns)
    return {column.key for column, after in kept if after is not None and after.storage is not column.storage}


def _conversions(old: PhysicalTable, new: PhysicalTable, before: Table, after: Table) -> Iterator[Conversion]:
    for column in after.columns:
        was = before.columns_by_id.get(column.id)
        if was is None or was.family is column.family or is_plain_cast(was.family, column.family):
            continue
        key = column_key(column.id)
        yield Conversion(was, column, moved=old.column(key).storage is not new.column(key).storage)


def _standing(
    column: PhysicalColumn, new: PhysicalTable, moved: dict[str, Conversion], new_names: set[str]
) -> PhysicalColumn:
    if column.key in moved:
        return replace(column, key=moved[column.key].old_key, name=f"_old_{column.key}")
    kept = new.find(column.key)
    if kept is not None:
        return replace(column, name=kept.name)
    return replace(column, name=f"_dropped_{column.key}") if column.name in new_names else column


def _added(column: PhysicalColumn, moved: dict[str, Conversion]) -> PhysicalColumn:
    """What rows must have is asked once they have it; converted columns start empty."""
    if column.key in moved:
        return replace(column, nullable=True, default=None)
    return replace(column, nullable=True)
