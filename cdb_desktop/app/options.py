"""The command line as a value. Importing this module loads nothing heavy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

VIEW_SUFFIX = ".cdbview"
_LINK = "cdb:"
LOG_SUFFIXES = frozenset({".jsonl", ".ndjson"})
LOG_LEVEL = "CDB_LOG_LEVEL"
PASSWORD = "CDB_PASSWORD"  # noqa: S105  # the variable's name


@dataclass(frozen=True, slots=True)
class Options:
    """The options; without ``demo``, ``server`` and a file the last connection opens, or the start page.

    ``password`` comes from the environment and takes precedence over the keyring. ``view`` is the file of a
    view of events, which is opened with the next connection; ``link`` is a link to events (``cdb:``).
    ``model`` and ``log`` are files that are opened instead of a connection.
    """

    demo: bool = False
    server: str = ""
    login: str = ""
    password: str = field(default="", repr=False)
    smoke: bool = False
    model: str = ""
    view: str = ""
    link: str = ""
    log: str = ""


def parse_options(arguments: Sequence[str], environment: Mapping[str, str]) -> Options:
    """Parses the command line. Exits with 0 after --help, and with 2 if the arguments are wrong."""
    parser = _parser()
    given = parser.parse_args(arguments)
    password = environment.get(PASSWORD, "")
    if given.server and given.demo:
        parser.error("--demo and --server exclude each other")
    if given.login and not given.server:
        parser.error("--login needs --server URL")
    if given.file.lower().startswith(_LINK):
        # Whoever writes a link must not choose options with it, on systems that quote it badly.
        if given.demo or given.server or given.smoke:
            parser.error("a link is opened without options")
        return Options(link=given.file, password=password)
    given.file = _local_path(given.file)
    suffix = Path(given.file).suffix.lower()
    is_view, is_log = suffix == VIEW_SUFFIX, suffix in LOG_SUFFIXES
    if given.file and not is_view and (given.demo or given.server or given.smoke):
        parser.error("a model or log file is opened without a connection")
    demo = given.demo or (given.smoke and not given.server)
    return Options(
        demo,
        given.server,
        given.login,
        password,
        given.smoke,
        model="" if is_view or is_log else given.file,
        view=given.file if is_view else "",
        log=given.file if is_log else "",
    )


def _local_path(file: str) -> str:
    """The path of a file that a desktop passes as a URL; other arguments are returned unchanged."""
    parts = urlsplit(file) if file.lower().startswith("file://") else None
    return unquote(parts.path) if parts is not None and parts.netloc in ("", "localhost") else file


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cdb-desktop",
        description="Administer a Content Database Service.",
        epilog=(
            f"Environment: {PASSWORD} is the password of --login. {LOG_LEVEL}=DEBUG, INFO, WARNING (default) "
            "or ERROR sets the level of the log, which is written to stderr and to the log folder."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "file",
        nargs="?",
        default="",
        metavar="FILE",
        help="open a data model (JSON or XML), a saved view of events (.cdbview), a link (cdb://events?…), or "
        "a log: an export, a backup or a recording of events as JSON lines (.jsonl)",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    parser.add_argument("--demo", action="store_true", help="open a service of your own with demo data")
    parser.add_argument("--server", metavar="URL", default="", help="sign in at the service at URL")
    parser.add_argument(
        "--login",
        metavar="NAME",
        default="",
        help=f"as this user, with the password in {PASSWORD} or of the keyring; else a dialog asks for it",
    )
    parser.add_argument(
        "--smoke", action="store_true", help="show data once, print how long it took, and end"
    )
    return parser


class _Version(argparse.Action):
    """Prints name and version, which are looked up only then."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,  # noqa: ARG002
        values: object,  # noqa: ARG002
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        # Slow to import: it takes as long as all the rest of the command line.
        metadata = import_module("importlib.metadata")
        try:
            version = metadata.version("cdb-desktop")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        sys.stdout.write(f"{parser.prog} {version}\n")
        parser.exit()
