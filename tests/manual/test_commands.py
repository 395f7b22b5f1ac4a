"""Tests that the command lines in the texts of the manual run."""

import shlex
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
import trustme

from cdb_desktop.app import check, dictionary, merge, options
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import VIEWS_FILE, SavedView, encode_view_file, encode_views
from server_stub.__main__ import _parser as server_parser
from server_stub.__main__ import main as run_server
from server_stub.conformance import run as conformance
from tests.desktop.app.test_watch import Watcher
from tests.desktop.schema.models import exported_text, museum_export
from tests.manual.test_texts import BLOCK, LANGUAGES, texts
from tests.server import address, start
from tests.server_process import ServerProcess

# Only parsed here; tests of `desktop/app` start windows with files, links and services.
_WINDOWS = (
    "cdb-desktop",
    "cdb-desktop --demo --generation 6",
    "cdb-desktop --server https://db.example.org --login root",
    "cdb-desktop --server https://db.example.org --login anna",
    "cdb-desktop museum.json",
    "cdb-desktop deletions.jsonl",
    "cdb-desktop 'cdb://events/19908?profile=Museum&v=1'",
)
# Tests of `server_stub/database` and `endurance` start servers of PostgreSQL with workers and standbys.
_OF_POSTGRESQL = (
    "cdb-server --database postgresql://cdb@localhost/cdb",
    "cdb-server --database postgresql://cdb@localhost/cdb --workers 4",
    "cdb-server --database 'postgresql://cdb@/cdb?host=first:5432&host=second:5432' --replica auto",
    "cdb-server --database postgresql://cdb@first/cdb --replica postgresql://cdb@second/cdb",
)
_VIEWS = tuple(
    SavedView(name, Query(types=("OBJECT_DELETE",))) for name in ("Deletions", "Backups", "Exports")
)
_ENDING = ("user", "migrate", "backup", "restore", "snapshot", "retain", "check", "dictionary", "merge")


@cache
def _command_lines() -> dict[str, list[str]]:
    """The command lines of our programs in blocks of code, and their words; the same in both languages."""
    english, german = (
        {
            line: shlex.split(line, comments=True)
            for text in texts(language).values()
            for kind, block in BLOCK.findall(text)
            if kind == "sh"
            for line in map(str.strip, block.replace("\\\n", " ").splitlines())
            if line.startswith(("cdb-desktop", "cdb-server"))
        }
        for language in LANGUAGES
    )
    assert list(map(shlex.join, english.values())) == list(map(shlex.join, german.values()))
    return {shlex.join(words): words for words in english.values()}


def test_command_lines_are_valid() -> None:
    """The programs' own parsers take them."""
    assert len(_command_lines()) > 30
    for line, words in _command_lines().items():
        try:
            _parse(words)
        except SystemExit as end:
            pytest.fail(f"{line} ends with {end.code}")


def _parse(words: list[str]) -> None:
    match words:
        case ["cdb-server", *arguments]:
            server_parser().parse_args(arguments)
        case [_, "check", *arguments]:
            options.parse_check_options(arguments)
        case [_, "dictionary", *arguments]:
            options.parse_dictionary_options(arguments)
        case [_, "merge", *arguments]:
            options.parse_merge_options(arguments)
        case [_, "watch", *arguments]:
            options.parse_watch_options(arguments, {})
        case [_, *arguments]:
            options.parse_options(arguments, {})


def test_command_lines_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that end by themselves one after the other, then servers and what needs one, side by side."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "a-long-password")
    # One group of checks shows that the command runs; `server_stub/conformance` tests all of them.
    monkeypatch.setattr(conformance, "GROUPS", conformance.GROUPS[:1])
    _write_files(tmp_path)
    lines = dict(_command_lines())
    for line in (*_WINDOWS, *_OF_POSTGRESQL):
        del lines[line]
    assert run_server(["user", "add", "root", "--right", "system.root"]) == 0
    ending = {
        line: lines.pop(line) for line, words in list(lines.items()) if words[1:2] and words[1] in _ENDING
    }
    codes = {line: _run(_placed(words, tmp_path)) for line, words in ending.items()}
    # The policy asks for more than the model has.
    policy = "cdb-desktop check model.json --policy policy.toml --base main.json"
    assert {line: code for line, code in codes.items() if code} == {policy: 1}
    Path("policy.toml").write_text(_block("policies", "toml", "de"), encoding="utf-8")
    assert _run(shlex.split(policy)) == 1
    assert {"cdb.backup", "merged.json", "model.html"} <= {path.name for path in tmp_path.iterdir()}
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "admin")
    _run_beside_servers(lines, tmp_path)
    assert Path("report.html").exists()


def _write_files(folder: Path) -> None:
    """The files that the command lines name, and a saved view."""
    for name in ("model", "model-old", "main", "base", "mine", "theirs"):
        (folder / f"{name}.json").write_text(exported_text(museum_export()), encoding="utf-8")
    (folder / "policy.toml").write_text(_block("policies", "toml"), encoding="utf-8")
    (folder / "rules.json").write_text(_block("simulate-faults", "json"), encoding="utf-8")
    issued = trustme.CA().issue_cert("localhost")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    (folder / "deletions.cdbview").write_bytes(encode_view_file(_VIEWS[0]))


def _block(topic: str, kind: str, language: Language = "en") -> str:
    (found,) = (block for each, block in BLOCK.findall(texts(language)[topic]) if each == kind)
    return str(found)


def _placed(words: list[str], folder: Path) -> list[str]:
    """The words with the places of the test; a file takes the place of a database of PostgreSQL."""
    return [
        str(folder / "migrated.sqlite")
        if word.startswith("postgresql:")
        else word.replace("/srv/", f"{folder}/cdb-server/")
        for word in words
    ]


def _run_beside_servers(lines: dict[str, list[str]], folder: Path) -> None:
    """Runs servers until they listen, and what needs a service beside them; watches until they are ready."""
    with ExitStack() as ends:
        servers = {
            line: ends.enter_context(_server(words[1:], folder / f"{number}.sqlite"))
            for number, (line, words) in enumerate(lines.items())
            if words[0] == "cdb-server" and "conform" not in words
        }
        urls = {line: address(server) for line, server in servers.items()}
        assert not [line for line, url in urls.items() if not url]
        service = urls["cdb-server --demo"]
        watchers = {
            line: _watcher(words[2:], folder / f"home-{number}", service)
            for number, (line, words) in enumerate(lines.items())
            if "watch" in words
        }
        for watcher in watchers.values():
            ends.callback(watcher.process.kill)
        (conform,) = (words for words in lines.values() if "conform" in words)
        assert run_server([service if word.startswith("https:") else word for word in conform[1:]]) == 0
        for watcher in watchers.values():
            watcher.wait_until_ready()
        assert {line: watcher.end() for line, watcher in watchers.items()} == dict.fromkeys(watchers, 0)
        for server in servers.values():
            server.stdin.close()
        assert {line: server.wait(60) for line, server in servers.items()} == dict.fromkeys(servers, 0)
        assert len(servers) + len(watchers) + 1 == len(lines)


def _server(options: list[str], database: Path) -> ServerProcess:
    """A server in its smallest form: with few events, at a free port."""
    few = ("--demo-events", "200") if "--demo" in options else ()
    return start(database, *_placed(options, database.parent), *few, "--port", "0")


def _watcher(options: list[str], home: Path, service: str) -> Watcher:
    """A watch of a service in place of the demo, with saved views."""
    settings = home / ".config/cdb-desktop"
    settings.mkdir(parents=True)
    (settings / VIEWS_FILE).write_text(encode_views(_VIEWS), encoding="utf-8")
    return Watcher(home, service, *(option for option in options if option != "--demo"))


def _run(words: list[str]) -> int:
    """Runs a command in this process, since starting one takes a second; returns its exit code."""
    match words:
        case ["cdb-server", *arguments]:
            return run_server(arguments)
        case [_, "check", *arguments]:
            return check.run(options.parse_check_options(arguments))
        case [_, "dictionary", *arguments]:
            return dictionary.run(options.parse_dictionary_options(arguments))
    return merge.run(options.parse_merge_options(words[2:]))
