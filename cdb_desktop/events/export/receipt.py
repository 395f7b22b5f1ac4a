"""What an export has written, as a file beside it: others can tell what it is and that it is whole."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cdb_desktop.client import CsvOptions, EventFilter
from cdb_desktop.events.export.checkpoint import Checkpoint
from cdb_desktop.events.export.csv_columns import all_columns
from cdb_desktop.events.export.options import ExportOptions, is_table_format
from cdb_desktop.events.query import Query, TimeSpan
from cdb_desktop.foundation.files import write_whole

_DATES = ("date_from", "date_to")


def receipt_path(target: Path) -> Path:
    """Where the receipt of a file lies."""
    return target.with_name(f"{target.name}.receipt.json")


class ExportedQuery(msgspec.Struct, frozen=True):
    """What an export has asked for.

    ``query`` is what was entered, None where only its filter is known; ``entered`` is that filter, and
    ``sent`` the one that was sent, which ends with the moment in which the rows were loaded; ``newest`` is
    the id of the newest event then. ``selected`` events were chosen one by one, 0 means all.
    """

    entered: EventFilter
    sent: EventFilter
    query: Query | None = None
    newest: int | None = None
    selected: int = 0


def write_receipt(
    target: Path, wish: ExportOptions, asked: ExportedQuery, kept: Checkpoint, service: str, cut: int = 0
) -> Path:
    """Writes query, options, columns, rows, first and last id and the checksum of ``target``. Raises OSError.

    ``service`` is its address without anything secret, ``cut`` how many values were too long for the form.
    Takes a second for each gigabyte or so.
    """
    with target.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    told = {
        "file": target.name,
        "size": target.stat().st_size,
        "sha256": checksum,
        "rows": kept.rows,
        "unreadable_rows": kept.unreadable,
        "first_id": kept.first,
        "last_id": kept.last,
        "order": "ascending id",
        "service": service,
        "query": _entered(asked),
        "dates_resolved": _resolved(asked),
        "frozen": _frozen(asked),
        "selected_rows": asked.selected or None,
        "form": wish.form,
        "csv": _told(wish.options) if wish.form == "csv" else None,
        "table": _of_table(wish.options) if is_table_format(wish.form) else None,
        "columns": all_columns(kept.stretches) or "whole records",
        "formula_guard": wish.guard,
        "values_cut": cut,
        "masked": "session tokens and passwords" if wish.takes_records else "session tokens",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    receipt = receipt_path(target)
    write_whole(receipt, msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n", private=False)
    return receipt


def _told(value: msgspec.Struct) -> dict[str, object]:
    return {key: one for key, one in msgspec.structs.asdict(value).items() if one not in (None, ())}


def _entered(asked: ExportedQuery) -> dict[str, object]:
    """The filters as they were entered: relative dates stay relative."""
    told = _told(asked.entered)
    if asked.query is None or not _is_relative(asked.query.span):
        return told
    dates = {key: one for key, one in msgspec.to_builtins(asked.query.span).items() if one is not None}
    return {key: one for key, one in told.items() if key not in _DATES} | {"date": dates}


def _resolved(asked: ExportedQuery) -> dict[str, object] | None:
    """What relative dates meant when the rows were loaded."""
    if asked.query is None or not _is_relative(asked.query.span):
        return None
    last = asked.entered.date_to and asked.sent.date_to
    return {"date_from": asked.sent.date_from, "date_to": last}


def _frozen(asked: ExportedQuery) -> dict[str, object]:
    """The moment in which the rows were loaded: what has happened since is left out."""
    is_cut = asked.sent.date_to != asked.entered.date_to
    return {"last_second": asked.sent.date_to if is_cut else None, "newest_id": asked.newest}


def _is_relative(span: TimeSpan) -> bool:
    return span.preset is not None or span.first_ago is not None or span.last_ago is not None


def _of_table(options: CsvOptions) -> dict[str, object]:
    return {
        "times": "UTC",
        "column_for_each_key": options.explode,
        "longest_value": options.max_length or None,
    }
