"""`cdb-server`: arguments and messages only."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from math import inf
from multiprocessing import freeze_support
from pathlib import Path

from platformdirs import user_data_path

from server_stub.accounts import AccountError
from server_stub.accounts.configuration import DEFAULTS, Value, parse_setting
from server_stub.database import DatabaseUnusableError, WrongDatabaseError
from server_stub.foundation.resources import HELPER, leave_libraries_to_others
from server_stub.http.host_check import HOST_NAME
from server_stub.process import user_commands
from server_stub.process.logs import LEVELS, start_logging
from server_stub.process.serving import CannotServeError, Options, serve
from server_stub.process.tls import Certificate, CertificateUnusableError
from server_stub.schema.render import helper as render_helper

_REFUSALS = (
    AccountError,
    CannotServeError,
    CertificateUnusableError,
    DatabaseUnusableError,
)


def main(arguments: list[str] | None = None) -> int:
    """Runs the server or a subcommand; returns the exit code.

    It is 0 after a clean end, 1 if the server cannot run, 2 if the arguments (including the address of the
    database) are wrong, and 130 if Ctrl+C ended it before it was ready.
    """
    # In the worker process of a frozen bundle this call runs the worker and never returns.
    freeze_support()
    leave_libraries_to_others()
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == [HELPER]:
        # The helper process that draws pictures runs the same program.
        render_helper.main(*arguments[1:])
        return 0
    parser = _parser()
    given = parser.parse_args(arguments)
    if (given.tls_cert is None) != (given.tls_key is None):
        parser.error("--tls-cert and --tls-key go together")
    start_logging(given.log_level)
    database = given.database or f"sqlite:///{_default_file()}"
    try:
        if given.command == "user":
            user_commands.run(given, database)
        else:
            serve(_options(given, database))
    except _REFUSALS as error:
        print(f"cdb-server: {error}", file=sys.stderr)
        return 2 if isinstance(error, WrongDatabaseError) else 1
    except KeyboardInterrupt:
        return 130
    return 0


def _options(given: argparse.Namespace, database: str) -> Options:
    return Options(
        database=database,
        host=given.host,
        port=given.port,
        workers=given.workers,
        demo_events=given.demo_events if given.demo else None,
        activity=given.activity,
        settings=dict(given.set),
        allowed_hosts=tuple(given.allow_host),
        exit_with_stdin=given.exit_with_stdin,
        login_from_stdin=given.login_from_stdin,
        certificate=Certificate(given.tls_cert, given.tls_key) if given.tls_cert else None,
        log_level=given.log_level,
    )


def _default_file() -> Path:
    return user_data_path("cdb-server", appauthor=False) / "cdb.sqlite"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cdb-server", description="The reference server.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--allow-host",
        type=_host_name,
        action="append",
        default=[],
        metavar="NAME",
        help="while only this machine can call, requests must name a loopback host such as localhost or "
        "127.0.0.1, so that no web page can reach the server under its own name (DNS rebinding); this allows "
        "another name, without a port; several times",
    )
    parser.add_argument("--port", type=_port, default=8040, help="0 takes a free one (default: %(default)s)")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="SQLAlchemy URL or SQLite file, which only its owner may read (default: user's data)",
    )
    parser.add_argument(
        "--workers",
        type=_positive,
        default=1,
        help="server processes; more than one only with SQLite (default: %(default)s)",
    )
    parser.add_argument("--demo", action="store_true", help="fill an empty database with demo data")
    parser.add_argument(
        "--demo-events", type=_positive, default=20_000, metavar="N", help="how many (default: %(default)s)"
    )
    parser.add_argument(
        "--activity", type=_rate, default=0.0, metavar="PER_MINUTE", help="simulated activity"
    )
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"base configuration, kept in the database; several times ({', '.join(DEFAULTS)})",
    )
    parser.add_argument("--exit-with-stdin", action="store_true", help="end when standard input closes")
    parser.add_argument(
        "--login-from-stdin",
        action="store_true",
        help='let the {"login": …, "password": …} of the first line of standard input in, with every right',
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="certificate and those up to its root, PEM")
    parser.add_argument(
        "--tls-key", metavar="FILE", help="private key of the certificate, PEM, no passphrase"
    )
    parser.add_argument(
        "--log-level",
        type=_level,
        default=os.environ.get("CDB_LOG_LEVEL") or "WARNING",
        metavar="LEVEL",
        help=f"{', '.join(LEVELS)} (default: CDB_LOG_LEVEL, else WARNING)",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", help="without one the server starts; user: administer users"
    )
    user_commands.add_arguments(
        commands.add_parser("user", description="Administer users, also while a server runs.")
    )
    return parser


def _host_name(text: str) -> str:
    if not HOST_NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no host name such as cdb.example.org, without a port")
    return text


def _level(text: str) -> str:
    if text.upper() not in LEVELS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(LEVELS)}")
    return text.upper()


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


def _rate(text: str) -> float:
    rate = float(text)
    if not 0 <= rate < inf:
        raise ValueError(text)
    return rate


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


class _Version(argparse.Action):
    """Prints name and version, which are looked up only when needed."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,  # noqa: ARG002
        values: object,  # noqa: ARG002
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        # As slow to import as all the rest of the command line.
        metadata = import_module("importlib.metadata")
        try:
            version = metadata.version("cdb-desktop")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        print(parser.prog, version)
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
