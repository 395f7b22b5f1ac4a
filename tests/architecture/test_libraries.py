"""Each library may only be imported by certain files, given by the beginning of their paths."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import PROGRAMS, nodes, python_files, shown

PLACES = {
    "PySide6": ("cdb_desktop/ui/", "cdb_desktop/app"),
    "qasync": ("cdb_desktop/app/application.py",),
    "httpx": ("cdb_desktop/client/transport.py", "server_stub/conformance/client.py"),
    "truststore": ("cdb_desktop/client/transport.py", "server_stub/conformance/client.py"),
    "authlib": ("cdb_desktop/client/generation6/sign_in.py",),
    "websockets": ("cdb_desktop/client/generation6/stream.py",),
    "keyring": ("cdb_desktop/app/connection/passwords.py",),
    "pandas": ("cdb_desktop/events/summary.py", "cdb_desktop/events/export/table_helper.py"),
    "pyarrow": ("cdb_desktop/events/export/table_helper.py",),
    "graphviz": ("cdb_desktop/schema/diagram", "server_stub/schema/render/"),
    "pygraphviz": ("cdb_desktop/schema/diagram", "server_stub/schema/render/"),
    "sqlglot": ("cdb_desktop/schema/exchange/sql.py",),
    "prometheus_client": ("server_stub/process/metrics.py",),
    "starlette": ("server_stub/http/", "server_stub/process/serving.py", "server_stub/process/metrics.py"),
    "uvicorn": (
        "server_stub/process/serving.py",
        "server_stub/process/connection_limits.py",
        "server_stub/process/stream_limits.py",
    ),
    "alembic": ("server_stub/schema/commit/transaction.py", "server_stub/database/"),
    "sqlite3": (
        "server_stub/database/",
        "server_stub/backup/snapshots.py",
        "cdb_desktop/embedded/",
        "cdb_desktop/events/export/sheet.py",
        "cdb_desktop/ui/shell/settings/view.py",
    ),
    "argon2": ("server_stub/accounts/users.py",),
    "re2": ("server_stub/schema/validation/value_checks.py", "cdb_desktop/vocabulary/pattern.py"),
}


@pytest.mark.parametrize("library", PLACES)
def test_a_library_stays_in_its_place(library: str) -> None:
    """No other file imports the library."""
    astray = [
        shown(path)
        for path in python_files(*PROGRAMS)
        if library in _imported(path) and not shown(path).startswith(PLACES[library])
    ]
    assert astray == []


def test_every_library_named_here_is_used() -> None:
    """Every library in the list is imported, except for planned ones."""
    used = {name for path in python_files(*PROGRAMS) for name in _imported(path)}
    assert set(PLACES) - used <= {"keyring", "pandas"}


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names
