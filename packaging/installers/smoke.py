"""Tries out an installed or unpacked bundle in a home folder of its own; needs only Python and a display.

Under X11, since some errors do not appear on Qt's offscreen platform::

    xvfb-run -a python3 packaging/installers/smoke.py build/bundle/cdb-desktop
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

_GRAPH = b"digraph { a [label=<<table><tr><td>x</td></tr></table>>]; a -> b }"
_PICTURES = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
_TABLE = "_id,timestamp,type,user_id\n1,2026-01-02T03:04:05Z,SEARCH,7\n2,2026-01-02T03:04:06Z,\xe4,\n"


class SmokeError(Exception):
    """A program did not do what it should."""


def _expect(condition: object, said: object) -> None:
    if not condition:
        raise SmokeError(said)


class Smoke:
    """The programs in one folder, run with an empty home."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        self._home = home
        kept = {name: os.environ[name] for name in ("DISPLAY", "XAUTHORITY") if name in os.environ}
        self._environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **kept}

    def versions(self) -> str:
        """Both programs print the same version."""
        found = [self._output(program, "--version").split()[-1] for program in ("cdb-desktop", "cdb-server")]
        _expect(found[0] == found[1], found)
        return found[0].decode()

    def pictures(self) -> str:
        """The Graphviz inside pygraphviz draws in the helpers of both programs."""
        for form, beginning in _PICTURES.items():
            drawn = self._output("cdb-server", "--helper", form, "dot", given=_GRAPH)
            _expect(beginning in drawn[:1000], (form, drawn[:100]))
        helper = ("--helper", "cdb_desktop.schema.diagram.graphviz_helper")
        for form in ("-Tjson", "-Tplain", "-Tsvg"):
            _expect(self._output("cdb-desktop", *helper, form, given=_GRAPH), form)
        return ", ".join(_PICTURES)

    def tables(self) -> str:
        """Tables are written as Parquet and XLSX."""
        source = self._home / "events.csv"
        source.write_text(_TABLE, encoding="utf-8")
        sizes = []
        for form, beginning in (("parquet", b"PAR1"), ("xlsx", b"PK")):
            made = self._home / f"events.{form}"
            helper = ("--helper", "cdb_desktop.events.export.table_helper")
            printed = self._output("cdb-desktop", *helper, form, str(source), str(made), "2")
            _expect(made.read_bytes().startswith(beginning), printed)
            sizes.append(f"{form} {made.stat().st_size} bytes")
        return ", ".join(sizes)

    def postgresql(self) -> str:
        """The driver is there: what fails is the connection."""
        address = "postgresql://nobody@127.0.0.1:1/none"
        done = self._run("cdb-server", "--port", "0", "--database", address)
        _expect(done.returncode == 1, done)
        _expect(b"refused" in done.stderr, done.stderr)
        return done.stderr.decode().strip().splitlines()[-1][:80]

    def server(self) -> str:
        """The server answers and ends cleanly, with one process and with two."""
        said = []
        for workers in ("1", "2"):
            started = time.monotonic()
            database = str(self._home / f"server{workers}.sqlite")
            options = ("--demo", "--demo-events", "500", "--port", "0", "--database", database)
            process = subprocess.Popen(
                [self._folder / "cdb-server", *options, "--workers", workers],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self._environment,
            )  # fmt: skip
            try:
                output = process.stdout or sys.stdin
                address = output.readline().removeprefix("Listening on ").strip()
                with urllib.request.urlopen(f"{address}/api/v1/session") as answer:  # noqa: S310
                    _expect(json.load(answer), process.returncode)
                said.append(f"{workers}: {time.monotonic() - started:.1f} s")
                process.send_signal(signal.SIGTERM)
                _expect(process.wait(20) == 0, process.returncode)
            finally:
                process.kill()
                process.wait()
        return ", ".join(said)

    def window(self) -> str:
        """The window shows data of the embedded server."""
        return self._output("cdb-desktop", "--demo", "--smoke", "--timeout", "100").decode().strip()

    def picture_of_window(self, target: Path) -> str:
        """A picture of the window some seconds after its start, taken with ImageMagick."""
        process = subprocess.Popen([self._folder / "cdb-desktop", "--demo"], env=self._environment)
        try:
            time.sleep(15)
            subprocess.run(["import", "-window", "root", target], check=True, env=self._environment)
        finally:
            process.terminate()
            process.wait(20)
        return str(target)

    def _output(self, program: str, *arguments: str, given: bytes = b"") -> bytes:
        done = self._run(program, *arguments, given=given)
        _expect(done.returncode == 0, done)
        return done.stdout

    def _run(self, program: str, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self._folder / program, *arguments],
            input=given, capture_output=True, env=self._environment, timeout=120, check=False,
        )  # fmt: skip


def main() -> int:
    """Runs all checks and prints a line for each; 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with cdb-desktop and cdb-server")
    parser.add_argument("--picture", type=Path, help="where to write a picture of the window (PNG)")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        smoke = Smoke(given.folder.resolve(), Path(home))
        checks = [smoke.versions, smoke.pictures, smoke.tables, smoke.postgresql, smoke.server, smoke.window]
        if given.picture:
            checks.append(lambda: smoke.picture_of_window(given.picture))
        for check in checks:
            name = getattr(check, "__name__", "picture")
            try:
                print(f"ok      {name}: {check()}", flush=True)
            except Exception as error:  # noqa: BLE001  # the other checks run as well
                failed += 1
                print(f"FAILED  {name}: {error!r}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
