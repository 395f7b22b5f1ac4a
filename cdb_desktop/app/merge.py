"""`cdb-desktop merge`: merges three versions of a model file, without a window and without Qt.

`options` documents the arguments and the exit codes. The README of this program has the lines that make it a
merge driver of Git.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from cdb_desktop.app.options import MergeOptions
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.schema.checks.validation import Problem
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.schema.files.merged_files import MergedFile, decode_version, merge_files
from cdb_desktop.schema.files.model_files import ModelFile, encode_model
from cdb_desktop.schema.merge.conflict import Conflict
from cdb_desktop.schema.merge.merge import Merge

_MERGED, _CONFLICTS, _UNREADABLE = 0, 1, 2  # exit codes


class _VersionError(Exception):
    """A version cannot be read, or the result cannot be written."""


def run(options: MergeOptions) -> int:
    """Merges and writes the result; returns the exit code."""
    try:
        base, mine, theirs = (_read(path) for path in (options.base, options.mine, options.theirs))
        merged = merge_files(base, theirs, mine)
        _write(options.output, merged.file)
        _report(options, merged)
    except _VersionError as error:
        sys.stderr.write(f"cdb-desktop merge: {error}\n")
        return _UNREADABLE
    return _CONFLICTS if merged.conflicts or merged.new_problems else _MERGED


def _read(path: str) -> ModelFile:
    try:
        return decode_version(Path(path).read_bytes())
    except OSError as error:
        raise _VersionError(f"{path}: {error.strerror}") from error
    except DocumentError as error:
        raise _VersionError(f"{path}: {error}") from error


def _write(path: str, file: ModelFile) -> None:
    try:
        write_whole(Path(path), encode_model(file), private=False)
    except OSError as error:
        raise _VersionError(f"{path}: {error.strerror}") from error


def _report(options: MergeOptions, merged: MergedFile) -> None:
    problems = merged.new_problems
    sys.stderr.write(_text_report(options.name or options.output, merged.conflicts, problems))
    if not options.report:
        return
    content = msgspec.json.format(
        msgspec.json.encode(_json_report(merged.merge, merged.conflicts, problems)), indent=2
    )
    if options.report == "-":
        sys.stdout.write(f"{content.decode()}\n")
        return
    try:
        write_whole(Path(options.report), content + b"\n", private=False)
    except OSError as error:
        raise _VersionError(f"{options.report}: {error.strerror}") from error


def _text_report(name: str, conflicts: Sequence[Conflict], problems: Iterable[Problem]) -> str:
    """Lines on each conflict and on each problem of the result; empty without any."""
    lines = []
    if conflicts:
        count = "1 conflict" if len(conflicts) == 1 else f"{len(conflicts)} conflicts"
        lines.append(f"{name}: {count}; the result has my values")
    for conflict in conflicts:
        lines.append(f"  {conflict.element or 'model'}: {conflict.what}")
        values = (("before", conflict.base), ("mine", conflict.mine), ("theirs", conflict.theirs))
        lines += [f"    {label + ':':8}{str(value) or '(nothing)'}" for label, value in values]
    lines += [f"{name}: the merged model has a problem: {problem.message}" for problem in problems]
    return "".join(f"{line}\n" for line in lines)


def _json_report(
    merge: Merge, conflicts: Sequence[Conflict], problems: Iterable[Problem]
) -> dict[str, object]:
    """The same as an object: numbers of changes, conflicts with their values and results, problems."""
    return {
        "their_changes": len(merge.their_changes),
        "my_changes": len(merge.my_changes),
        "conflicts": [
            {
                "element": one.element,
                "what": str(one.what),
                "base": str(one.base),
                "mine": str(one.mine),
                "theirs": str(one.theirs),
                "result_of_mine": str(one.mine_result),
                "result_of_theirs": str(one.theirs_result),
            }
            for one in conflicts
        ],
        "problems": [
            {"element": element_name(merge.document, one.ref), "code": one.code, "text": str(one.message)}
            for one in problems
        ],
        "new_ids": {
            "tables": {str(key): value for key, value in merge.versions.tables.items()},
            "columns": {str(key): value for key, value in merge.versions.columns.items()},
        },
    }
