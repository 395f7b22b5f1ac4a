"""`cdb-desktop watch`: writes the alarms of saved views as lines of JSON, without a window and without Qt.

`options` documents the lines. Where the list may be read, events come from it and not from polls: those leave
out what is not pollable (§4.2 rule 3), and what happened while nobody polled. The position in the log and the
states of the rules are one file, which is replaced after the lines have been written. A file of lines is read
from its end before anything is appended, so that lines that were written after the last position are not
repeated.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Self

import msgspec
from filelock import BaseFileLock, Timeout

from cdb_desktop.app.connection.connect import (
    BrowserAccess,
    Connection,
    NetworkAccess,
    demo_connection,
    service_connection,
)
from cdb_desktop.app.connection.passwords import PasswordStore, Secrets
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.log_files import start_logging
from cdb_desktop.app.options import PASSWORD, VIEW_SUFFIX, WatchOptions
from cdb_desktop.client import Client, ClientError, OAuthClient, Session, SignInError
from cdb_desktop.client.backoff import retry_pause
from cdb_desktop.client.errors import TEMPORARY
from cdb_desktop.embedded import ServerLostError
from cdb_desktop.foundation.files import DAMAGE, lock_of, release_lock, set_aside, write_whole
from cdb_desktop.live.alarm_rules import Alarm, AlarmRule, AlarmState, ViewAlarm, alarms_file, usable_rule
from cdb_desktop.live.alarm_watch import AlarmBatch, AlarmWatch, EventSource, EventTail, PolledEvents
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.live.log_follower import (
    EventsReceived,
    FollowerReport,
    LogFollower,
    PollRefused,
    PollSettings,
    ServiceRestored,
    ServiceUnavailable,
    SessionEnded,
    StreamChanged,
)
from cdb_desktop.queries.saved_views import VIEWS_FILE, SavedView, ViewFileError, ViewStore, decode_view_file
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_json import wire_record
from cdb_desktop.vocabulary.profile_key import ProfileKey

_POSITIONS = "watch"  # a folder next to the settings
_DONE, _FAILED, _WRONG = 0, 1, 2  # exit codes
_BLOCK = 1 << 16  # bytes that are read from the end of a file at first
_POLLS_ONLY = (
    "without the right system.api.event.get only polled events are seen: no event that is not "
    "pollable{hidden}. Events of the time in which this command does not run are missed."
)
_HIDDEN = ", no object created in another session, no user changed by another user, and no info"

LineKey = tuple[object, ...]


class WatchError(Exception):
    """The command cannot begin or continue; ``code`` is its exit code."""

    def __init__(self, text: str, code: int = _FAILED) -> None:
        super().__init__(text)
        self.code = code


class WatchPosition(msgspec.Struct, frozen=True):
    """Up to which event the alarms have been written, and the states of the rules after it."""

    last_id: int
    states: dict[str, AlarmState] = {}


def run(options: WatchOptions, folders: UserFolders) -> int:
    """Runs until a signal or an error ends it; returns the exit code."""
    start_logging(folders.logs, os.environ, console=False)
    try:
        with asyncio.Runner() as runner:
            runner.run(_run(options, folders))
    except WatchError as error:
        _say(str(error))
        return error.code
    except (KeyboardInterrupt, asyncio.CancelledError):
        return _DONE
    return _DONE


async def _run(options: WatchOptions, folders: UserFolders) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows raises KeyboardInterrupt
            loop.add_signal_handler(number, task.cancel if task else loop.stop)
    store = ConnectionStore(ConnectionFile(folders.connections), PasswordStore())
    profile = None if options.demo else _profile(options, store)
    key = ProfileKey("demo") if profile is None else ProfileKey(profile.address, profile.login)
    views = [_view(name, folders) for name in options.views]
    rules = [_rule(view, options, key, folders) for view in views]
    with WatchOutput(_position_file(options, key, folders), options.output) as output:
        await _connect(options, store, profile, folders, Watch(options, output, views, rules))


async def _connect(
    options: WatchOptions,
    store: ConnectionStore,
    profile: ConnectionProfile | None,
    folders: UserFolders,
    watch: Watch,
) -> None:
    """Watches with a connection, which is opened again until the service accepts it."""
    failures = 0
    while True:
        try:
            async with _connection(options, store, profile, folders) as connection:
                if failures:
                    _say("the service answers again")
                await watch.run(connection)
                return
        except TEMPORARY as error:
            if not failures:
                _say_lost(error)
            await asyncio.sleep(retry_pause(failures))
            failures += 1
        except (ClientError, ServerLostError) as error:
            raise WatchError(_text(error)) from error


@asynccontextmanager
async def _connection(
    options: WatchOptions, store: ConnectionStore, profile: ConnectionProfile | None, folders: UserFolders
) -> AsyncIterator[Connection]:
    if profile is None:
        try:
            server = demo_server(folders.demo, options.interface)
        except OSError as error:
            raise WatchError(f"the demo cannot be started: {error.strerror}") from error
        async with demo_connection(server) as connection:
            yield connection
        return
    entered = ConnectionInput(profile, options.password)
    if options.password:
        entered = replace(entered, profile=profile.signed_in_by("password"))

    async def remembered() -> Secrets:
        return await store.secrets(entered)

    secrets = await remembered()
    if not secrets.suffice:
        uses_browser = entered.profile.sign_in.method == "browser"
        known = "sign-in is kept: connect in the window once, or" if uses_browser else "password is known:"
        raise WatchError(f"no {known} set {PASSWORD}", _WRONG)
    network = profile.network
    passphrase = await store.passwords.password(profile.passphrase_key) if network.certificate else ""
    access = NetworkAccess(network.options(passphrase))
    browser = BrowserAccess(_no_browser, store)
    async with service_connection(entered.profile, secrets, remembered, access, browser) as connection:
        yield connection


async def _no_browser(_client: Client, _oauth: OAuthClient) -> Session:
    raise SignInError("browser_only")


class Watch:
    """Reads events, evaluates the rules and writes the alarms."""

    def __init__(
        self, options: WatchOptions, output: WatchOutput, views: list[SavedView], rules: list[AlarmRule]
    ) -> None:
        self._options, self._output = options, output
        self._views, self._rules = views, rules

    async def run(self, connection: Connection) -> None:
        """Runs until it is cancelled. Raises ClientError, WatchError and ServerLostError."""
        client, session = connection.client, connection.session

        follower: LogFollower | None = None

        async def renew() -> None:
            renewed = await connection.sign_in(await connection.remembered())
            if follower is not None:
                follower.renew(renewed)

        client.renew_with(renew)
        may_list = session.allows(LIST_RIGHT)
        newest = session.current_max_event_id or 0
        tail = EventTail(client, self._first_id(newest, has_sessions=client.capabilities.sessions))
        polled = PolledEvents()
        source: EventSource = tail if may_list else polled
        watch = AlarmWatch(client, source, self._take, _report, self._options.interval)
        works: list[Coroutine[object, object, object]] = [watch.run()]
        if may_list:
            last_id = await tail.begin()
        else:
            _say(_POLLS_ONLY.format(hidden=_HIDDEN if client.capabilities.sessions else ""))
            last_id = watch.last_id = newest
            follower = LogFollower(client, session, _Polls(polled))
            follower.set_poll_settings(PollSettings(self._options.interval))
            works.append(follower.run())
        watch.alarms = self._alarms(await watch.service_time(), may_list=may_list)
        if may_list and not client.capabilities.full_list and any(one.needs_whole for one in watch.alarms):
            _say("this version of the service does not list info: conditions on it cannot be tested")
        self._output.store(WatchPosition(last_id, {one.rule.view: one.state for one in watch.alarms}))
        if connection.server is not None:
            works.append(connection.server.watch(lambda _phase: None))
        names = ", ".join(view.name for view in self._views)
        _say(f"watching {names} after event {last_id}")
        await _first_failure(works)

    def _first_id(self, newest: int, *, has_sessions: bool) -> int | None:
        """The event to begin after; ``newest`` is the one before the session.

        Starting a session is itself an event: one that begins below the position is of another log.
        """
        position = self._output.position
        if position is None:
            return self._options.after
        if has_sessions and position.last_id > newest:
            _say(f"the service has another log, which begins again after event {newest}")
            self._output.store(WatchPosition(newest))
        return min(position.last_id, newest)

    def _alarms(self, now: float, *, may_list: bool) -> tuple[ViewAlarm, ...]:
        position = self._output.position
        states = {} if position is None else position.states
        alarms = []
        for view, rule in zip(self._views, self._rules, strict=True):
            alarm = ViewAlarm(rule, view.query, states.get(view.name) or AlarmState(now))
            if alarm.needs_service and not may_list:
                text = f"groups and kinds of users in {view.name} need the right {LIST_RIGHT}"
                raise WatchError(text)
            alarms.append(alarm)
        return tuple(alarms)

    def _take(self, batch: AlarmBatch) -> None:
        try:
            self._output.write(batch.alarms)
            self._output.store(WatchPosition(batch.last_id, dict(batch.states)))
        except OSError as error:
            raise WatchError(f"the alarms cannot be written: {error.strerror}") from error


class _Polls:
    """Takes the reports of a follower: events for the rules, and what the user has to know."""

    def __init__(self, polled: PolledEvents) -> None:
        self._polled = polled
        self._is_away = False

    def __call__(self, report: FollowerReport) -> None:
        if isinstance(report, EventsReceived) and report.batch.source != "list":
            self._polled.add(report.batch.events)
        elif isinstance(report, ServiceUnavailable) and not self._is_away:
            self._is_away = True
            _report(report.error)
        elif isinstance(report, ServiceRestored) and self._is_away:
            self._is_away = False
            _report(None)
        elif isinstance(report, StreamChanged) and report.state == "refused":
            _say(f"events are polled, as no event stream opens: {report.refusal}")
        elif isinstance(report, SessionEnded | PollRefused):
            self._polled.fail(report.error)


class WatchOutput:
    """The lines and the position behind them; at most one command at a time has them open."""

    def __init__(self, position: Path, output: str) -> None:
        self._path = position
        self._file = Path(output).absolute() if output else None
        self._stream: BinaryIO | None = None
        self._locks: list[BaseFileLock] = []
        self._stored = b""
        self._written: set[LineKey] = set()  # lines of the file behind the position
        self.position: WatchPosition | None = None

    def __enter__(self) -> Self:
        """Raises WatchError if a file is in use, or cannot be read or written."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            for path in filter(None, (self._path, self._file)):
                lock = lock_of(path, 0)
                lock.acquire()
                self._locks.append(lock)
            self.position = self._read_position()
            if self._file is not None:
                self._open(self._file)
        except Timeout:
            self.__exit__()
            raise WatchError("the same command is running already, or another one writes this file") from None
        except OSError as error:
            self.__exit__()
            raise WatchError(f"{error.filename or self._path}: {error.strerror}") from error
        return self

    def __exit__(self, *_error: object) -> None:
        if self._stream is not None:
            self._stream.close()
        for lock in self._locks:
            release_lock(lock)

    def write(self, alarms: Iterable[Alarm]) -> None:
        """Appends lines, except for those that the file has already. Raises OSError."""
        lines = [line for alarm in alarms if _key(line := alarm_line(alarm)) not in self._written]
        if not lines:
            return
        body = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        stream = self._stream or sys.stdout.buffer
        stream.write(body)
        stream.flush()
        if self._stream is not None:
            # The lines are on the disk before the position is.
            os.fsync(self._stream.fileno())

    def store(self, position: WatchPosition) -> None:
        """Stores the position if it has changed. Raises OSError."""
        content = msgspec.json.encode(position)
        if content != self._stored:
            write_whole(self._path, content)
            self._stored, self.position = content, position

    def _read_position(self) -> WatchPosition | None:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=WatchPosition)
        except FileNotFoundError:
            return None
        except DAMAGE as error:
            set_aside(self._path, error)
            return None

    def _open(self, path: Path) -> None:
        """Opens the file of lines, removes a line that was written in part, and finds the last ones."""
        self._stream = path.open("a+b")
        self._stream.truncate(_complete_length(self._stream))
        after = -1 if self.position is None else self.position.last_id
        for line in _last_lines(self._stream):
            number = line.get("id")
            if isinstance(number, int) and number <= after:
                break
            if self.position is None and isinstance(number, int):
                self.position = WatchPosition(number)  # the position is lost: the file shows where it was
                after = number
            self._written.add(_key(line))


def alarm_line(alarm: Alarm) -> dict[str, object]:
    """An alarm as the object that is written as a line."""
    line: dict[str, object] = {"view": alarm.rule.view, "alarm": alarm.rule.kind, "time": _time(alarm.moment)}
    if alarm.event is not None and alarm.rule.kind != "none":
        line["id"] = alarm.event.id
    if alarm.rule.kind == "more":
        line["number"] = alarm.number
    if alarm.since is not None:
        line["since"] = _time(alarm.since)
    if alarm.event is not None:
        line["record"] = {key: value for key, value in wire_record(alarm.event).items() if key != "_session"}
    return line


def _key(line: Mapping[str, object]) -> LineKey:
    return tuple(line.get(name) for name in ("view", "alarm", "id", "since"))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _complete_length(stream: BinaryIO) -> int:
    """The length of a file without an incomplete last line."""
    end = stream.seek(0, os.SEEK_END)
    place = end
    while place:
        first = max(0, place - _BLOCK)
        stream.seek(first)
        found = stream.read(place - first).rfind(b"\n")
        if found >= 0:
            return first + found + 1
        place = first
    return 0


def _last_lines(stream: BinaryIO) -> Iterator[dict[str, object]]:
    """The lines of a file that are objects, the last one first."""
    place, rest = stream.seek(0, os.SEEK_END), b""
    while place:
        first = max(0, place - _BLOCK)
        stream.seek(first)
        lines = (stream.read(place - first) + rest).split(b"\n")
        place, rest = first, lines[0] if first else b""
        for line in reversed(lines[1:] if first else lines):
            with suppress(*DAMAGE):
                yield msgspec.json.decode(line, type=dict[str, object])


def _position_file(options: WatchOptions, key: ProfileKey, folders: UserFolders) -> Path:
    """The file for these views and this output: other commands have positions of their own."""
    output = str(Path(options.output).absolute()) if options.output else ""
    name = hashlib.sha256(msgspec.json.encode([key.key, sorted(options.views), output])).hexdigest()[:16]
    return folders.settings / _POSITIONS / f"{name}.json"


def _profile(options: WatchOptions, store: ConnectionStore) -> ConnectionProfile:
    if options.server:
        return store.profile(options.server, options.login)
    if store.file.profiles:
        return store.file.profiles[0]
    raise WatchError("no connection is known: give --server URL --login NAME, or --demo", _WRONG)


def _view(name: str, folders: UserFolders) -> SavedView:
    try:
        if Path(name).suffix.lower() == VIEW_SUFFIX:
            return decode_view_file(Path(name).read_bytes())
        views = ViewStore(folders.settings / VIEWS_FILE).read()
    except ViewFileError as error:
        raise WatchError(f"{name} is not a saved view: {error}", _WRONG) from error
    except OSError as error:
        raise WatchError(f"{error.filename or name}: {error.strerror}", _WRONG) from error
    found = next((view for view in views if view.name == name), None)
    if found is None:
        known = ", ".join(view.name for view in views) or "none"
        raise WatchError(f"there is no saved view “{name}”; known views: {known}", _WRONG)
    return found


def _rule(view: SavedView, options: WatchOptions, key: ProfileKey, folders: UserFolders) -> AlarmRule:
    if options.more_than is not None:
        return usable_rule(AlarmRule(view.name, "more", options.more_than, options.within))
    if options.none_for is not None:
        return usable_rule(AlarmRule(view.name, "none", seconds=options.none_for))
    stored = alarms_file(folders.settings).read(key.key)
    rules = () if stored is None else stored.rules
    return usable_rule(next((rule for rule in rules if rule.view == view.name), AlarmRule(view.name)))


async def _first_failure(works: Iterable[Coroutine[object, object, object]]) -> None:
    """Runs all until one raises an exception, which it raises, or the task is cancelled."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _report(error: ClientError | None) -> None:
    if error is None:
        _say("the service answers again")
    else:
        _say_lost(error)


def _say_lost(error: BaseException) -> None:
    _say(f"{_text(error)} Trying again until the service answers.")


def _text(error: BaseException) -> str:
    message = error_message(error)
    return " ".join(f"{message.title}. {message.text}".split())


def _say(text: str) -> None:
    """Writes a line to stderr."""
    with suppress(OSError):
        sys.stderr.write(f"cdb-desktop watch: {text}\n")
        sys.stderr.flush()
