"""The command lines as values. Importing this module loads nothing heavy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from cdb_desktop.foundation.bundle import installed_version
from cdb_desktop.foundation.command_line import CommandParser, number, whole_number
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    from cdb_desktop.ui import actions
else:
    actions = lazy("cdb_desktop.ui.actions")

# The commands that need no window.
CHECK, DICTIONARY, MERGE, WATCH = "check", "dictionary", "merge", "watch"
VIEW_SUFFIX = ".cdbview"
_LINK = "cdb:"
LOG_SUFFIXES = frozenset({".jsonl", ".ndjson", ".cdbarchive"})
LOG_LEVEL = "CDB_LOG_LEVEL"
DEMO_INTERFACE, NEW_INTERFACE = 5, 6
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST_TIME = 366 * 86_400  # seconds
_SHORTEST_INTERVAL, _LONGEST_INTERVAL = 0.1, 3600.0  # seconds
PASSWORD = "CDB_PASSWORD"  # noqa: S105  # the variable's name


@dataclass(frozen=True, slots=True)
class Options:
    """The options; without ``demo``, ``server`` and a file the last connection opens, or the start page.

    ``password`` comes from the environment and takes precedence over the keyring. ``view`` is the file of a
    view of events, which is opened with the next connection; ``link`` is a link to events (``cdb:``).
    ``model`` and ``log`` are files that are opened instead of a connection. ``interface`` is that of the
    ``demo``, 5 or 6; ``timeout`` that of ``smoke``.
    ``restarted`` is the time, in seconds since 1970, at which the program had started that became this one;
    then ``page`` is shown, the event with the id ``event`` is selected unless that is 0, and nothing is
    opened that is not named. ``show`` is the action with which the ``demo`` begins.
    """

    demo: bool = False
    server: str = ""
    login: str = ""
    password: str = field(default="", repr=False)
    smoke: bool = False
    timeout: float = 40.0
    model: str = ""
    view: str = ""
    link: str = ""
    log: str = ""
    restarted: float = 0.0
    page: str = ""
    event: int = 0
    interface: int = DEMO_INTERFACE
    show: str = ""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The options of ``cdb-desktop watch``; ``views`` are names of saved views or ``.cdbview`` files.

    Without ``demo`` and ``server`` the last connection is used. ``more_than`` or ``none_for`` replace the
    rule of each view; times are in seconds. ``after`` is the id of the event to begin after. ``interface``
    is that of the demo.
    """

    views: tuple[str, ...]
    demo: bool = False
    server: str = ""
    login: str = ""
    password: str = field(default="", repr=False)
    output: str = ""
    more_than: int | None = None
    within: int = 300
    none_for: int | None = None
    after: int | None = None
    interval: float = 1.0
    interface: int = DEMO_INTERFACE


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of ``cdb-desktop check``: the model's file, a policy, a base, and what is written."""

    file: str
    policy: str = ""
    base: str = ""
    hints: bool = False
    json: bool = False


def parse_check_options(arguments: Sequence[str]) -> CheckOptions:
    """Parses what follows ``cdb-desktop check``. Exits as `parse_options`."""
    return CheckOptions(**vars(_check_parser().parse_args(arguments)))


@dataclass(frozen=True, slots=True)
class DictionaryOptions:
    """The options of ``cdb-desktop dictionary``: files, and the language of the headings (en or de)."""

    model: str
    output: str
    against: str = ""
    language: str = "en"

    @property
    def is_markdown(self) -> bool:
        """Whether Markdown is written instead of HTML."""
        return Path(self.output).suffix.lower() == ".md"


def parse_dictionary_options(arguments: Sequence[str]) -> DictionaryOptions:
    """Parses what follows ``cdb-desktop dictionary``. Exits as `parse_options`."""
    parser = _dictionary_parser()
    given = parser.parse_args(arguments)
    if Path(given.output).suffix.lower() not in (".html", ".htm", ".md"):
        parser.error("the name of OUT must end in .html or .md")
    return DictionaryOptions(given.model, given.output, given.against, given.language)


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """The options of ``cdb-desktop merge``: paths of three versions and of the result.

    ``report`` is the file for a report as JSON, ``-`` for standard output; ``name`` is the name of the model
    in messages.
    """

    base: str
    mine: str
    theirs: str
    output: str
    report: str = ""
    name: str = ""


def parse_merge_options(arguments: Sequence[str]) -> MergeOptions:
    """Parses what follows ``cdb-desktop merge``. Exits as `parse_options`."""
    return MergeOptions(**vars(_merge_parser().parse_args(arguments)))


def parse_watch_options(arguments: Sequence[str], environment: Mapping[str, str]) -> WatchOptions:
    """Parses what follows ``cdb-desktop watch``. Exits as `parse_options`."""
    parser = _watch_parser()
    given = parser.parse_args(arguments)
    if given.server and given.demo:
        parser.error("--demo and --server exclude each other")
    if given.login and not given.server:
        parser.error("--login needs --server URL")
    if given.more_than is not None and given.none_for is not None:
        parser.error("--more-than and --none-for exclude each other")
    return WatchOptions(
        **{**vars(given), "views": tuple(given.views)}, password=environment.get(PASSWORD, "")
    )


def parse_options(arguments: Sequence[str], environment: Mapping[str, str]) -> Options:
    """Parses the command line. Exits with 0 after --help, and with 2 if the arguments are wrong."""
    parser = _parser()
    given = parser.parse_args(arguments)
    password = environment.get(PASSWORD, "")
    if given.server and given.demo:
        parser.error("--demo and --server exclude each other")
    if given.login and not given.server:
        parser.error("--login needs --server URL")
    if given.show and not (given.demo and given.show in {spec.name for spec in actions.action_specs()}):
        parser.error("--show needs --demo and the name of an action")
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
        given.timeout,
        model="" if is_view or is_log else given.file,
        view=given.file if is_view else "",
        log=given.file if is_log else "",
        restarted=given.restarted,
        page=given.page,
        event=given.event,
        interface=given.interface,
        show=given.show,
    )


def parsers() -> tuple[CommandParser, ...]:
    """The parsers of the program without a command and of all commands."""
    return _parser(), _check_parser(), _dictionary_parser(), _merge_parser(), _watch_parser()


def _local_path(file: str) -> str:
    """The path of a file that a desktop passes as a URL; other arguments are returned unchanged."""
    parts = urlsplit(file) if file.lower().startswith("file://") else None
    return unquote(parts.path) if parts is not None and parts.netloc in ("", "localhost") else file


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="cdb-desktop",
        description="Administer a Content Database Service.",
        epilog=(
            f"Environment: {PASSWORD} is the password of --login. {LOG_LEVEL}=DEBUG, INFO, WARNING (default) "
            "or ERROR sets the level of the log, which is written to stderr and to the log folder. "
            "cdb-desktop watch --help: writes alarms without a window. "
            "cdb-desktop check --help: checks a data model without a window. "
            "cdb-desktop dictionary --help: writes the data dictionary of a data model. "
            "cdb-desktop merge --help: merges data models without a window."
        ),
        examples=("--demo", "--server https://cdb.example.org --login root", "museum.json"),
        allow_abbrev=False,
    )
    parser.add_argument(
        "file",
        nargs="?",
        default="",
        metavar="FILE",
        help="open a data model (JSON or XML), a saved view of events (.cdbview), a link (cdb://events?…) or "
        "a log: an export, a backup or a recording of events as JSON lines (.jsonl), or the manifest of "
        "an archive (.cdbarchive)",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    _add_service(parser, "; else a dialog asks for it")
    parser.add_argument(
        "--smoke", action="store_true", help="show data once, print how long it took, and end"
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number(1, 3600, "seconds"),
        default=40.0,
        help="how long --smoke waits for the data (default: %(default)g)",
    )
    # Of a restart by the program itself.
    parser.add_argument("--restarted", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--page", default="", help=argparse.SUPPRESS)
    parser.add_argument("--show", default="", help=argparse.SUPPRESS)  # of the manual
    parser.add_argument("--event", type=int, default=0, help=argparse.SUPPRESS)
    return parser


def _check_parser() -> CommandParser:
    parser = CommandParser(
        prog=f"cdb-desktop {CHECK}",
        description="Check a data model without a window, for CI and git hooks.",
        epilog="Exit codes: 0 nothing to object, 1 errors or violations of the policy (with --hints also "
        "hints), 2 wrong arguments or a file that cannot be read.",
        examples=("check museum.json --policy policy.toml --base museum-old.json",),
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="the data model (JSON or XML)")
    parser.add_argument("--policy", metavar="FILE", default="", help="a policy (TOML or JSON)")
    parser.add_argument(
        "--base", metavar="FILE", default="", help="the model before, for no_drops and changes of types"
    )
    parser.add_argument("--hints", action="store_true", help="write hints too, and fail if there are any")
    parser.add_argument("--json", action="store_true", help="write JSON lines instead of text")
    return parser


def _dictionary_parser() -> CommandParser:
    parser = CommandParser(
        prog=f"cdb-desktop {DICTIONARY}",
        description="Write the data dictionary of a data model: one page of HTML, or Markdown.",
        epilog="The exit code is 2 for wrong arguments, and 1 if a file cannot be read or written.",
        examples=("dictionary museum.json -o museum.html --against museum-old.json",),
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="FILE", help="a data model (JSON or XML)")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="a file whose name ends in .html or .md"
    )
    parser.add_argument(
        "--against", metavar="FILE", default="", help="list what has changed since this data model"
    )
    parser.add_argument("--language", choices=("en", "de"), default="en", help="of the headings")
    return parser


def _add_service(parser: CommandParser, otherwise: str) -> None:
    parser.add_argument("--demo", action="store_true", help="open a service of your own with demo data")
    parser.add_argument(
        "--generation",
        dest="interface",
        type=int,
        choices=(DEMO_INTERFACE, NEW_INTERFACE),
        default=DEMO_INTERFACE,
        help="the interface of the service of --demo (default: %(default)s)",
    )
    parser.add_argument("--server", metavar="URL", default="", help="sign in at the service at URL")
    parser.add_argument(
        "--login",
        metavar="NAME",
        default="",
        help=f"as this user, with the password in {PASSWORD} or of the keyring{otherwise}",
    )


_WATCH = """\
Write a line of JSON for each alarm of saved views, until SIGINT or SIGTERM ends it with 0.

A view raises the alarms that are set in the window, without any an alarm for each event. With the right
system.api.event.get all events are read, also those since the last time; a log-in without it sees only what
polls bring while this command runs, which is stated on stderr.
"""
_WATCH_LINES = """\
Each line is an object:
  view    the name of the view
  alarm   any, more or none: an event, more events than allowed, no event for a time
  time    of the event, or the end of the time without one
  id      of the event; not in lines of none
  number  of events, and since when; in lines of more
  since   the last event before the time without one; in lines of none
  record  the event as the service returns it, without its session and with masked secrets

The position in the log is stored after the lines are written. With --output no line is missing or
repeated, however this command ends: it reads the end of the file when it starts. On standard output the
lines of the last answer may be repeated if it is killed between writing them and storing the position:
drop lines with known view, alarm, id and since. The exit code is 2 for wrong arguments, and 1 if the
service refuses the log-in or a call, or the lines cannot be written.
"""


def _watch_parser() -> CommandParser:
    parser = CommandParser(
        prog="cdb-desktop watch",
        description=_WATCH,
        epilog=_WATCH_LINES,
        examples=(
            "watch Deletions --server https://cdb.example.org --login root --more-than 20 --within 5m",
        ),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "views", nargs="+", metavar="VIEW", help="a saved view, by name or as a .cdbview file"
    )
    _add_service(parser, "")
    parser.add_argument("--output", metavar="FILE", default="", help="append to FILE; by default to stdout")
    parser.add_argument(
        "--more-than", metavar="N", type=whole_number(0), help="alarm for more than N events ..."
    )
    parser.add_argument(
        "--within",
        metavar="TIME",
        type=_seconds,
        default=300,
        help="... within TIME: 90s, 5m (default), 1h, 2d",
    )
    parser.add_argument(
        "--none-for", metavar="TIME", type=_seconds, help="alarm if there is no event for TIME"
    )
    parser.add_argument(
        "--after",
        metavar="ID",
        type=whole_number(0),
        help="begin after the event ID if there is no position yet; by default with the next event",
    )
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=number(_SHORTEST_INTERVAL, _LONGEST_INTERVAL, "seconds"),
        default=1.0,
        help="between two requests (default: 1)",
    )
    return parser


_MERGE = """\
Merge the changes of two versions of a data model since their common version BASE, by the ids of tables and
columns, with masks and localized names. BASE may be empty. The result has the format of MINE.

New elements of both sides with the same id get other ids in MINE, with all that refers to them.
"""
_MERGE_CODES = """\
Where both sides have changed the same in different ways the result has the value of MINE, and the conflict is
written to stderr and into the report. The exit code is 0 if everything has been merged, 1 for conflicts and
for changes that make the model invalid together, and 2 if a file cannot be read or written or the arguments
are wrong; the result is not written then.
"""


def _merge_parser() -> CommandParser:
    parser = CommandParser(
        prog="cdb-desktop merge",
        description=_MERGE,
        epilog=_MERGE_CODES,
        examples=("merge base.json mine.json theirs.json -o merged.json",),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", metavar="BASE", help="the common version of both, JSON or XML")
    parser.add_argument("mine", metavar="MINE", help="my version")
    parser.add_argument("theirs", metavar="THEIRS", help="the other version")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="write the result to FILE")
    parser.add_argument(
        "--report", metavar="FILE", default="", help="write conflicts as JSON to FILE, - for stdout"
    )
    parser.add_argument("--name", metavar="NAME", default="", help="the name of the model in messages")
    return parser


def _seconds(text: str) -> int:
    unit = _UNITS.get(text[-1:])
    try:
        value = int(text[:-1]) * unit if unit else int(text)
    except ValueError:
        value = 0
    if not 0 < value <= _LONGEST_TIME:
        raise argparse.ArgumentTypeError(f"{text!r} is no time from 1s to 366d, such as 90s, 5m, 1h or 2d")
    return value


class _Version(argparse.Action):
    """Prints name and version, which are looked up only then."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,  # noqa: ARG002
        values: object,  # noqa: ARG002
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        sys.stdout.write(f"{parser.prog} {installed_version() or '(not installed)'}\n")
        parser.exit()
