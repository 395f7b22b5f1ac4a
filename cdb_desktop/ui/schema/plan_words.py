"""What is at stake in a commit, in numbers and in the language of the moment; knows no widget."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.schema.commit.plan import CommitPlanLine, CommitStep
from cdb_desktop.ui.language.numbers import filled, plural
from cdb_desktop.ui.schema.bottom_panel import risk_notes


def line_words(line: CommitPlanLine) -> str:
    """A line of the sheet: sign, what changes, and what that does to the data."""
    change = line.change
    sign, what = ("!", line.steps[0].name) if change is None else (change.sign, str(change.message))
    notes = [note for note in (*map(_stake, line.steps), _risk(line)) if note]
    return "  ·  ".join((f"{sign}  {what}", *notes))


def lost_words(lost: int) -> str:
    """How many values are gone afterwards."""
    translate = QCoreApplication.translate
    return plural(lost, translate("Plan", "1 value is lost"), translate("Plan", "%1 values are lost"))


def _risk(line: CommitPlanLine) -> str:
    """Only what nobody has counted is told as a risk."""
    is_counted = line.is_counted and (line.steps or line.change is None)
    return "" if is_counted or line.change is None else risk_notes()[line.change.risk]


def _stake(step: CommitStep) -> str:
    translate = QCoreApplication.translate
    if step.blocking:
        if step.rows == 1:
            return translate("Plan", "the only row blocks this")
        one = translate("Plan", "1 of %2 rows blocks this")
        many = translate("Plan", "%1 of %2 rows block this")
        return plural(step.blocking, one, many, step.blocking, step.rows)
    if step.action == "drop_table":
        return _table_words(step)
    if step.lost:
        return lost_words(step.lost)
    return translate("Plan", "nothing is lost") if step.action in _LOSING else ""


def _table_words(step: CommitStep) -> str:
    """What goes with a table, in all combinations of one and several."""
    translate = QCoreApplication.translate
    if step.rows == 1 and step.values == 1:
        return translate("Plan", "1 row with 1 value is lost")
    if step.rows == 1:
        return filled(translate("Plan", "1 row with %1 values is lost"), step.values)
    if step.values == 1:
        return filled(translate("Plan", "%1 rows with 1 value are lost"), step.rows)
    return filled(translate("Plan", "%1 rows with %2 values are lost"), step.rows, step.values)


_LOSING = ("drop_column", "convert_column")
