"""`cdb-server`: arguments and messages only."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from platformdirs import user_data_path

from server_stub.accounts.configuration import Value, parse_setting
from server_stub.database import DatabaseUnusableError
from server_stub.serve import CannotServeError, Options, serve


def main(arguments: list[str] | None = None) -> int:
    """Runs the server; 0 after a clean end, 1 when it cannot serve, 2 when the arguments are wrong."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(
        stream=sys.stderr,
        level=os.environ.get("CDB_LOG_LEVEL", "WARNING").upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    options = Options(
        database=given.database or f"sqlite:///{_default_file()}",
        host=given.host,
        port=given.port,
        workers=given.workers,
        demo_events=given.demo_events if given.demo else None,
        activity=given.activity,
        settings=dict(given.set),
        exit_with_stdin=given.exit_with_stdin,
        login_from_stdin=given.login_from_stdin,
    )
    try:
        serve(options)
    except (CannotServeError, DatabaseUnusableError) as error:
        print(f"cdb-server: {error}", file=sys.stderr)
        return 1
    return 0


def _default_file() -> Path:
    return user_data_path("cdb-server", appauthor=False) / "cdb.sqlite"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cdb-server", description="The reference server.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=8040, help="0 takes a free one (default: %(default)s)")
    parser.add_argument(
        "--database", metavar="URL", help="SQLAlchemy URL or SQLite file (default: user's data)"
    )
    parser.add_argument(
        "--workers", type=_positive, default=1, help="server processes (default: %(default)s)"
    )
    parser.add_argument("--demo", action="store_true", help="fill an empty database with demo data")
    parser.add_argument("--demo-events", type=_positive, default=20_000, metavar="N")
    parser.add_argument(
        "--activity", type=float, default=0.0, metavar="PER_MINUTE", help="simulated activity"
    )
    parser.add_argument("--set", type=_setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--exit-with-stdin", action="store_true", help="end when standard input closes")
    parser.add_argument(
        "--login-from-stdin",
        action="store_true",
        help='let the {"login": …, "password": …} of the first line of standard input in, with every right',
    )
    return parser


def _setting(text: str) -> tuple[str, Value]:
    try:
        return parse_setting(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise ValueError(text)
    return number


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


if __name__ == "__main__":
    sys.exit(main())
