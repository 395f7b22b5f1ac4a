"""`cdb-server`: arguments and messages only."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from importlib import import_module
from ipaddress import ip_network
from multiprocessing import freeze_support
from pathlib import Path

from platformdirs import user_data_path

from server_stub.accounts import AccountError
from server_stub.accounts.configuration import DEFAULTS, Value, parse_setting
from server_stub.backup import BackupError
from server_stub.database import (
    DatabaseUnusableError,
    WrongDatabaseError,
    check_address,
    check_replicas,
    has_password,
    read_address,
)
from server_stub.foundation.command_line import CommandParser, number, run_quietly, whole_number
from server_stub.foundation.resources import HELPER, leave_libraries_to_others
from server_stub.http.application import HOST_NAME, is_loopback
from server_stub.http.routes import DIALECTS
from server_stub.process import backup_commands, user_commands
from server_stub.process.composition import CannotServeError
from server_stub.process.serving import (
    LEVELS,
    ChaosUnusableError,
    serve,
    start_logging,
)
from server_stub.schema.render import helper as render_helper

_URL_IS_PUBLIC = (
    "Warning: every user of this machine can see the password of the database in the list of processes. "
    "Give it in PGPASSWORD, PGPASSFILE or --database-url-file instead."
)
_REFUSALS = (
    AccountError,
    BackupError,
    CannotServeError,
    ChaosUnusableError,
    DatabaseUnusableError,
)


def main(arguments: list[str] | None = None) -> int:
    """Runs the server or a subcommand; returns the exit code.

    It is 0 after a clean end, 1 if the server cannot run, and 2 if the arguments (including the address of
    the database) are wrong. Those of `conform` are in its help, and `run_quietly` adds its own.
    """
    return run_quietly(partial(_main, arguments))


def _main(arguments: list[str] | None) -> int:
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
    _check_combinations(parser, given)
    start_logging(given.log_level)
    try:
        if given.command == "conform":
            # The table of checks takes as long to load as half of the server.
            return int(import_module("server_stub.conformance.run").run(given))
        _run(given)
    except _REFUSALS as error:
        print(f"cdb-server: {error}", file=sys.stderr)
        return 2 if isinstance(error, WrongDatabaseError | ChaosUnusableError) else 1
    return 0


def _check_combinations(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Ends the process with 2 if options exclude each other."""
    if (given.tls_cert is None) != (given.tls_key is None):
        parser.error("--tls-cert and --tls-key go together")
    if given.database and given.database_url_file:
        parser.error("--database and --database-url-file exclude each other")
    if given.metrics and not given.metrics_token_file and not is_loopback(given.metrics[0]):
        parser.error("--metrics for other machines needs --metrics-token-file")
    if given.archive and (given.workers > 1 or given.demo):
        parser.error("--archive excludes --demo and several --workers")


def _run(given: argparse.Namespace) -> None:
    """Runs the server, or a subcommand other than conform."""
    match given.command:
        case "migrate":
            backup_commands.run_migration(given, _URL_IS_PUBLIC)
        case "import-events":
            backup_commands.run_import(given)
        case "retain":
            backup_commands.run_retention(given, _database(given))
        case "user":
            user_commands.run(given, _database(given))
        case command if command in backup_commands.NAMES:
            backup_commands.run(given, _database(given))
        case _:
            serve(given, _database(given))


def _database(given: argparse.Namespace) -> str:
    """The address of the database. Raises WrongDatabaseError."""
    if given.database:
        check_address(given.database)
    if given.database_url_file:
        database = read_address(given.database_url_file)
    else:
        database = given.database or f"sqlite:///{_default_file()}"
    check_replicas(database, given.replica)
    if any(has_password(each) for each in (*given.replica, given.database or "")):
        print(_URL_IS_PUBLIC, file=sys.stderr)
    return database


def _default_file() -> Path:
    return user_data_path("cdb-server", appauthor=False) / "cdb.sqlite"


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="cdb-server",
        description="The reference server.",
        examples=(
            "--demo",
            "--database /srv/cdb.sqlite --host 0.0.0.0 --port 8040 --tls-cert cert.pem --tls-key key.pem",
        ),
    )
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
    parser.add_argument(
        "--trusted-proxy",
        type=_network,
        action="append",
        default=[],
        metavar="ADDRESS",
        help="address or network (10.0.0.0/8) of a proxy whose X-Forwarded-For or Forwarded names the "
        "address of the client, for events and the delays of failed log-ins; several times",
    )
    parser.add_argument(
        "--port", type=whole_number(0, 65_535), default=8040, help="0 takes a free one (default: %(default)s)"
    )
    parser.add_argument(
        "--metrics",
        type=_metrics_address,
        metavar="[HOST:]PORT",
        help="serve metrics in the format of Prometheus at http://HOST:PORT/metrics, without TLS; without a "
        "host for this machine only (127.0.0.1); port 0 takes a free one",
    )
    parser.add_argument(
        "--metrics-token-file",
        type=Path,
        metavar="FILE",
        help="a file with the token that metrics are read with (Authorization: Bearer TOKEN); needed where "
        "other machines can reach them",
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        help="SQLite file, which only its owner may read, and which must not be copied without its -wal file "
        "(use the command backup), or postgresql://user@host/name, whose password "
        "belongs into PGPASSWORD, PGPASSFILE or --database-url-file (default: a file in the user's data)",
    )
    parser.add_argument(
        "--database-url-file",
        type=Path,
        metavar="FILE",
        help="a file with the address of the database, which may contain a password",
    )
    parser.add_argument(
        "--replica",
        action="append",
        default=[],
        metavar="URL",
        help="a hot standby of the PostgreSQL database, from which lists, CSV and single events are read "
        "while it is up to date, and everything while there is no primary; several times; auto takes the "
        "standbys among the servers that the address of the database names (host=first&host=second)",
    )
    parser.add_argument(
        "--workers", type=whole_number(1), default=1, help="server processes (default: %(default)s)"
    )
    _add_generation(
        parser, "which generation of the interface to speak; a server of each may run on one database"
    )
    parser.add_argument("--demo", action="store_true", help="fill an empty database with demo data")
    parser.add_argument(
        "--demo-events",
        type=whole_number(1),
        default=20_000,
        metavar="N",
        help="how many (default: %(default)s)",
    )
    parser.add_argument(
        "--activity",
        type=number(0, 1_000_000, "events"),
        default=0.0,
        metavar="PER_MINUTE",
        help="simulated activity",
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
    parser.add_argument(
        "--archive",
        action="store_true",
        help="serve a database of import-events for reading: nothing is logged, and the log-in of "
        "--login-from-stdin may only read events; needs one worker",
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="certificate and those up to its root, PEM")
    parser.add_argument(
        "--tls-key", metavar="FILE", help="private key of the certificate, PEM, no passphrase"
    )
    parser.add_argument(
        "--chaos",
        metavar="SEED|FILE|off",
        help="inject faults, to try out a client: a whole number gives one request in twenty a random fault, "
        "the same ones for the same number and requests; a file holds rules as JSON (see README.md); off "
        "only adds the call /chaos, with which root sets rules; needs a loopback --host and one worker",
    )
    parser.add_argument(
        "--log-level",
        type=_level,
        default=os.environ.get("CDB_LOG_LEVEL") or "WARNING",
        metavar="LEVEL",
        help=f"{', '.join(LEVELS)} (default: CDB_LOG_LEVEL, else WARNING)",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="without one the server starts")
    user_commands.add_arguments(
        commands.add_parser(
            "user",
            help="administer users",
            description="Administer users, also while a server runs.",
            examples=("user list", "user add anna --password-stdin --right system.root"),
        )
    )
    backup_commands.add_commands(commands)
    _add_conformance(
        commands.add_parser(
            "conform",
            help="compare a service with the interface",
            description=_CONFORMANCE,
            examples=("conform https://cdb.example.org --login root --html report.html",),
        )
    )
    return parser


_CONFORMANCE = (
    "Compare a service with the interface and print for each check whether it agrees, differs or was not "
    "tried. Without --write nothing that the service stores changes except for sessions: the checks sign in "
    "and out several times, which a service logs as USER_LOGIN and USER_LOGOUT. The exit code is 0 if "
    "nothing differs, 1 if something does, and 2 if the checks cannot run."
)


def _add_conformance(parser: argparse.ArgumentParser) -> None:
    _add_generation(parser, "which generation of the interface the service speaks")
    parser.add_argument(
        "--client-id",
        default="web-client",
        metavar="ID",
        help="public client of OAuth 2.0 to sign in with in generation 6 (default: %(default)s)",
    )
    parser.add_argument("url", metavar="URL", help="address of the service, such as https://cdb.example.org")
    parser.add_argument("--login", required=True, metavar="NAME", help="who signs in")
    password = parser.add_mutually_exclusive_group()
    password.add_argument(
        "--password-file", type=Path, metavar="FILE", help="read the password from the first line of a file"
    )
    password.add_argument(
        "--password-stdin", action="store_true", help="read the password from the first line of stdin"
    )
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificates to verify the service with, PEM"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="also insert events, save HEAD as it was read, and try what a faulty service might store; "
        "inserted events are deleted if the log-in may; the schema is never committed",
    )
    parser.add_argument(
        "--timeout",
        type=number(0.001, 3600, "seconds"),
        default=30.0,
        metavar="SECONDS",
        help="time for each call (default: %(default)g)",
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report as one HTML page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")


def _add_generation(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument(
        "--generation",
        type=int,
        choices=sorted(DIALECTS),
        default=min(DIALECTS),
        help=f"{meaning} (default: %(default)s)",
    )


def _host_name(text: str) -> str:
    if not HOST_NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no host name such as cdb.example.org, without a port")
    return text


def _network(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}, such as 127.0.0.1 or 10.0.0.0/8") from error


def _metrics_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host.strip("[]") or "127.0.0.1", whole_number(0, 65_535)(port)


def _level(text: str) -> str:
    if text.upper() not in LEVELS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(LEVELS)}")
    return text.upper()


def _setting(text: str) -> tuple[str, Value]:
    try:
        return parse_setting(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


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
