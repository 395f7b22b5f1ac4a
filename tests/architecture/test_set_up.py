"""What `packaging/setup.sh` says when it cannot do its work: one sentence that names a remedy."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

FILES = (
    "pyproject.toml",
    "LICENSE",
    "packaging/setup.sh",
    "packaging/system.sh",
    "packaging/constraints.txt",
)
NOBODY = 65534

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the set-up is for Linux")


@pytest.fixture
def checkout() -> Iterator[Path]:
    """A folder that all users can read, with what the set-up reads, and a path that is not ASCII."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        root = Path(folder, "Prüfung mit Größe")
        for name in FILES:
            root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        yield root


def _set_up(
    checkout: Path, temporary: Path, environment: dict[str, str], user: int | None = None
) -> list[str]:
    """The lines that a failing set-up writes; it must not write to stdout, which belongs to the program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "LC_", "LANG"))}
    run = subprocess.run(
        [checkout / "packaging" / "setup.sh", "run"],
        env=kept | {"TMPDIR": str(temporary)} | environment,
        user=user,
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, b"")
    return run.stderr.decode().splitlines()


@pytest.mark.long
def test_without_network(checkout: Path, tmp_path: Path) -> None:
    """The output of pip goes into a file; LC_ALL=C and a path with umlauts are no obstacle."""
    environment = {
        "LC_ALL": "C",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
        "PIP_PROXY": "http://[::1]:9",
    }
    *steps, last = _set_up(checkout, tmp_path, environment)
    (log,) = tmp_path.glob("cdb-desktop-set-up.*.log")
    assert [line.split()[:2] for line in steps] == [["set-up:", "making"], ["set-up:", "installing"]]
    assert last == (
        "set-up: pip cannot reach its package index: check the network connection, or the proxy in "
        f"HTTPS_PROXY, and start again (all output: {log})"
    )
    assert "hatchling" in log.read_text(encoding="utf-8")
    assert not checkout.joinpath(".venv", ".set-up").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user")
def test_in_a_checkout_of_another_user(checkout: Path, tmp_path: Path) -> None:
    """Nothing is changed."""
    (line,) = _set_up(checkout, tmp_path, {}, NOBODY)
    assert line == (
        f"set-up: cannot write into {checkout}, which belongs to {checkout.owner()}: copy the checkout into "
        "a folder of your own and start it there"
    )
    assert not checkout.joinpath(".venv").exists()


def _sourced(script: str, path: str) -> subprocess.CompletedProcess[str]:
    """What a script prints that uses the functions of the set-up."""
    return subprocess.run(
        [
            shutil.which("bash") or "",
            "-c",
            f'set -euo pipefail; source "{ROOT}/packaging/system.sh"; {script}',
        ],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_libraries_are_found_without_python(tmp_path: Path) -> None:
    """Where there is none yet, those that are there are not reported as missing."""
    script = "find_python || echo none; loads libc.so.6 && echo there; loads libnothing.so.9 || echo missing"
    done = _sourced(script, str(tmp_path))
    assert (done.stdout, done.stderr) == ("none\nthere\nmissing\n", "")


def test_a_build_names_what_is_missing_before_it_begins() -> None:
    """The tools, and the shared library of the Python that is used."""
    script = """
        kind=build targets="deb rpm" log=
        present() { [[ $1 == python ]]; }
        install_packages() { return 1; }
        ensure_system
    """
    done = _sourced(script, os.environ["PATH"])
    assert done.returncode == 1
    assert "strip" in done.stderr
    assert "rpmbuild" in done.stderr
    python = _sourced(
        "$(find_python) -c 'import sys; print(*sys.version_info[:2], sep=str(chr(46)))'", os.environ["PATH"]
    )
    assert f"libpython{python.stdout.strip()}.so.1.0" in done.stderr
    assert "cannot go on without: " in done.stderr
