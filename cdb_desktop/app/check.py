"""`cdb-desktop check`: checks a data model without a window and without Qt.

Each finding is a line ``FILE: error: TEXT``, or with ``--json`` an object {severity, code, element, message}.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cdb_desktop.app.options import CheckOptions
from cdb_desktop.schema.checks.lint import (
    LocalizedNames,
    PolicyError,
    find_hints,
    read_policy_file,
    violations,
)
from cdb_desktop.schema.checks.validation import Severity, find_problems
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.schema.files.model_files import ModelFile, ModelFormat, read_file

_DONE, _FAILED, _WRONG = 0, 1, 2  # exit codes
_ERROR, _WARNING, _POLICY, _HINT = "error", "warning", "policy", "hint"


@dataclass(frozen=True, slots=True)
class _Line:
    severity: str
    code: str
    element: str
    message: str


def run(options: CheckOptions) -> int:
    """Writes the findings to standard output and returns the exit code."""
    try:
        lines = list(_lines(options))
    except OSError as error:
        name = error.filename or options.file
        return _wrong(f"{name}: {error.strerror or type(error).__name__}")
    except (DocumentError, PolicyError) as error:
        return _wrong(str(error))
    for line in lines:
        sys.stdout.write(_text(line, options) + "\n")
    return _FAILED if any(line.severity != _WARNING for line in lines) else _DONE


def _lines(options: CheckOptions) -> Iterator[_Line]:
    file = _model(options.file)
    base = _model(options.base).document if options.base else None
    document, names = file.document, _names(file)
    for problem in find_problems(document, base):
        severity = _ERROR if problem.severity is Severity.ERROR else _WARNING
        yield _Line(severity, problem.code, element_name(document, problem.ref), str(problem.message))
    if options.policy:
        policy = read_policy_file(Path(options.policy))
        for problem in violations(policy, document, base, names):
            yield _Line(_POLICY, problem.code, element_name(document, problem.ref), str(problem.message))
    for hint in find_hints(document, (), names) if options.hints else ():
        yield _Line(_HINT, hint.rule, hint.path, str(hint.message))


def _model(path: str) -> ModelFile:
    try:
        return read_file(Path(path)).model
    except DocumentError as error:
        raise DocumentError(f"{path}: {error.path}" if error.path else path, error.message) from error


def _names(file: ModelFile) -> LocalizedNames | None:
    """The localized names, None for formats without them."""
    has_names = file.form in (ModelFormat.EXPORT, ModelFormat.OLD_EXPORT)
    return LocalizedNames(file.names) if has_names else None


def _text(line: _Line, options: CheckOptions) -> str:
    if options.json:
        return msgspec.json.encode(line).decode()
    message = line.message.removeprefix("Policy: ") if line.severity == _POLICY else line.message
    return f"{options.file}: {line.severity}: {message}"


def _wrong(text: str) -> int:
    sys.stderr.write(f"cdb-desktop check: {text}\n")
    return _WRONG
