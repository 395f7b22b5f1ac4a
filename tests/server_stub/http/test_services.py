"""Tests of the services of a server."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

import pytest
from sqlalchemy.exc import OperationalError

from server_stub.accounts import Session
from server_stub.foundation.errors import ServerError
from server_stub.http.services import ErrorReports

if TYPE_CHECKING:
    from server_stub.database import Database


class _FailedDatabase:
    is_silent = False

    def write(self) -> None:
        raise OperationalError("INSERT", {}, Exception("connection refused"))


def test_details_of_errors_in_many_threads_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the database fails, the calls of all threads fail and keep their details in memory."""
    monkeypatch.setattr("server_stub.http.services.log.disabled", True)
    reports = ErrorReports(cast("Database", _FailedDatabase()), lambda: 0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            error = ServerError("database", "refused")
            calls = [threads.submit(reports.keep, error, "GET", "/event", (), None) for _ in range(4000)]
        kept = [call.result() for call in calls]
    finally:
        sys.setswitchinterval(interval)
    assert reports.details(kept[-1], Session("reader", 0, 0)) is not None
