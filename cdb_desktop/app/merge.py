"""`cdb-desktop merge`: merges three versions of a model file, without a window and without Qt.

`options` documents the arguments and the exit codes. The README of this program has the lines that make it a
merge driver of Git.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from cdb_desktop.app.options import MergeOptions
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.files.merged_files import MergedFile, decode_version, merge_files
from cdb_desktop.schema.files.model_files import ModelFile, encode_model
from cdb_desktop.schema.merge.report import json_report, text_report

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
    sys.stderr.write(text_report(options.name or options.output, merged.conflicts, problems))
    if not options.report:
        return
    content = msgspec.json.format(
        msgspec.json.encode(json_report(merged.merge, merged.conflicts, problems)), indent=2
    )
    if options.report == "-":
        sys.stdout.write(f"{content.decode()}\n")
        return
    try:
        write_whole(Path(options.report), content + b"\n", private=False)
    except OSError as error:
        raise _VersionError(f"{options.report}: {error.strerror}") from error
