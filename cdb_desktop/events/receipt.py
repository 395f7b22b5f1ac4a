"""What an export has written, as a file beside it: others can tell what it is and that it is whole."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cdb_desktop.client import CsvOptions, EventFilter
from cdb_desktop.events.exploded import columns_of
from cdb_desktop.events.export import Kept
from cdb_desktop.events.export_wish import Wish, is_table


def receipt_file(target: Path) -> Path:
    """Where the receipt of a file lies."""
    return target.with_name(f"{target.name}.receipt.json")


def write_receipt(
    target: Path, wish: Wish, asked: EventFilter, kept: Kept, service: str, cut: int = 0, selected: int = 0
) -> Path:
    """Writes query, options, columns, rows, first and last id and the checksum of ``target``. Raises OSError.

    ``service`` is its address without anything secret, ``cut`` how many values were too long for the form,
    ``selected`` how many of the query's events were chosen one by one, 0 for all.
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
        "query": _told(asked),
        "selected_rows": selected or None,
        "form": wish.form,
        "csv": _told(wish.options) if wish.form == "csv" else None,
        "table": _of_table(wish.options) if is_table(wish.form) else None,
        "columns": columns_of(kept.stretches) or "whole records",
        "formula_guard": wish.guard,
        "values_cut": cut,
        "masked": "session tokens and passwords" if wish.takes_records else "session tokens",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    receipt = receipt_file(target)
    receipt.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n")
    return receipt


def _told(value: msgspec.Struct) -> dict[str, object]:
    return {key: one for key, one in msgspec.structs.asdict(value).items() if one not in (None, ())}


def _of_table(options: CsvOptions) -> dict[str, object]:
    return {
        "times": "UTC",
        "column_for_each_key": options.explode,
        "longest_value": options.max_length or None,
    }
