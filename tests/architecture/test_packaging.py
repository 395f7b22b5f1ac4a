"""Pinned libraries, license notices and scripts; no file contains local paths or addresses."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.sources import PROGRAMS, ROOT, nodes, python_files

OWN = "cdb-desktop"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# httpcore looks for sniffio with every request, which takes long where it is missing; pandas writes XLSX with
# XlsxWriter.
NOT_IMPORTED = {"sniffio", "xlsxwriter"}
SCRIPTS = (
    *("packaging/run", "packaging/test", "packaging/build", "packaging/screenshots", "packaging/setup.sh"),
    ".ci/run",
)

# Written so that no pattern matches its own text.
REGISTRY = re.compile(
    r"(?:https?|file)://[\w./-]*(?:[p]ypi|[p]ythonhosted|[n]pmjs|[a]naconda|[d]eb\.debian)|[i]ndex-url|[f]ind-links"
)
PERSONAL_PATH = re.compile(r"(?<![\w.])/(?:home|Users|root|work|mnt)/\w")


def _requirements(lines: list[str]) -> list[Requirement]:
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def _constraints() -> list[Requirement]:
    return _requirements((ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines())


def _dependencies() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return _requirements([*project["dependencies"], *project["optional-dependencies"]["test"]])


def _repository_files() -> Iterator[Path]:
    """All files except for those in .gitignore; git is not required."""
    ignored = [".git", *(ROOT / ".gitignore").read_text(encoding="utf-8").split()]

    def kept(names: list[str]) -> list[str]:
        return [name for name in names if not any(Path(name).match(each) for each in ignored)]

    for folder, folders, files in os.walk(ROOT):
        folders[:] = kept(folders)
        yield from (Path(folder, name) for name in kept(files))


@pytest.mark.parametrize("python", PYTHONS)
def test_constraints_cover_every_direct_dependency(python: str) -> None:
    """For each version of Python, each library in pyproject.toml is pinned to an allowed version."""
    pinned = {canonicalize_name(each.name): each.specifier for each in _of(python, _constraints())}
    for dependency in _of(python, _dependencies()):
        versions = [each.version for each in pinned.get(canonicalize_name(dependency.name), [])]
        assert len(versions) == 1, f"{dependency.name} is not pinned"
        assert dependency.specifier.contains(versions[0]), f"{dependency} excludes {versions[0]}"


@pytest.mark.parametrize("python", PYTHONS)
def test_constraints_are_plain_pins(python: str) -> None:
    """Each is a name with one exact version, without hash or address, once for a version of Python."""
    constraints = _of(python, _constraints())
    names = [canonicalize_name(each.name) for each in constraints]
    assert len(set(names)) == len(names)
    assert not set(names) & {"cdb-desktop", "pip", "setuptools"}
    assert all(re.fullmatch(r"==[\w.]+", str(each.specifier)) and each.url is None for each in constraints)


def _of(python: str, requirements: list[Requirement]) -> list[Requirement]:
    """The requirements that a version of Python has."""
    environment = {"python_version": python}
    return [each for each in requirements if each.marker is None or each.marker.evaluate(environment)]


def test_the_supported_versions_of_python() -> None:
    """Metadata, set-up, documents and tools name the same ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    prefix = "Programming Language :: Python :: "
    classified = [line.removeprefix(prefix) for line in project["project"]["classifiers"]]
    assert [name for name in classified if re.fullmatch(r"3\.\d+", name)] == list(PYTHONS)
    assert project["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert project["tool"]["mypy"]["python_version"] == PYTHONS[0]
    assert project["tool"]["ruff"]["target-version"] == "py" + PYTHONS[0].replace(".", "")
    system = (ROOT / "packaging" / "system.sh").read_text(encoding="utf-8")
    assert f"OLDEST_PYTHON={PYTHONS[0]} NEWEST_PYTHON={PYTHONS[-1]}\n" in system
    for document in ("README.md", "packaging/description.md"):
        assert f"Python {PYTHONS[0]} to {PYTHONS[-1]}" in (ROOT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("installed", "found"),
    [
        ({"python3": "3.11", "python3.12": "3.12"}, "python3"),
        ({"python3": "3.10", "python3.12": "3.12", "python3.13": "3.13"}, "python3.13"),
        ({"python3": "3.15", "python3.11": "3.11"}, "python3.11"),
        ({"python3": "3.15"}, "python3"),
        ({"python3": "3.10"}, ""),
    ],
)
def test_the_set_up_chooses_a_python(installed: dict[str, str], found: str, tmp_path: Path) -> None:
    """That of the system if it is supported, else the newest that is, else one that is newer."""
    for name, version in installed.items():
        code = f"import sys; sys.version_info = (*map(int, '{version}'.split('.')), 0)\nexec(sys.argv.pop(1))"
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\nshift\nexec "{sys.executable}" -c "{code}" "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    script = f'source "{ROOT}/packaging/system.sh"; find_python'
    bash = shutil.which("bash") or ""
    run = subprocess.run(
        [bash, "-c", script], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (run.stdout.strip(), run.stderr, bool(run.returncode)) == (found, "", not found)


def test_the_description_for_package_indexes_stands_alone() -> None:
    """It has no relative links and pictures, which an index cannot show; its commands and extras exist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / project["readme"]).read_text(encoding="utf-8")
    assert not re.findall(r"!\[|<img|\]\((?!https://)", text)
    assert set(re.findall(r"cdb-desktop\[(\w+)\]", text)) == set(project["optional-dependencies"]) - {"test"}
    assert {*project["scripts"], *project["gui-scripts"]} <= set(re.findall(r"`([\w-]+) --help`", text))


def test_every_dependency_is_imported() -> None:
    """Every dependency is imported by a module."""
    imported = {
        name.split(".")[0]
        for path in python_files(*PROGRAMS)
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        )
    }
    distributions = packages_distributions()
    used = {canonicalize_name(each) for name in imported for each in distributions.get(name, ())}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["tables"]]
    declared = {canonicalize_name(each.name) for each in _requirements(lines)}
    assert declared - used == NOT_IMPORTED


def test_the_wheel_has_the_data_files_of_the_server() -> None:
    """`cdb-server` finds its files without the folder `resources`."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    packaged = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    read = {
        f"resources/{name}"
        for path in python_files("server_stub")
        for name in re.findall(r'\bresource\("([^"]+)"\)', path.read_text(encoding="utf-8"))
    }
    assert len(read) > 3
    for name in read:
        source = next(source for source in (name, str(Path(name).parent)) if source in packaged)
        assert packaged[source] == f"server_stub/_resources{source.removeprefix('resources')}"


def test_notices_name_every_library() -> None:
    """The installed notices list each library and its license."""
    notices = (ROOT / "packaging" / "third-party-notices.txt").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^  (\S+) · (.+)$", notices, re.MULTILINE))
    names = {canonicalize_name(name) for name, terms in listed.items() if terms.strip()}
    assert _installed_with(OWN, ("", "tables")) - names == set()
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in notices


def _installed_with(name: str, extras: tuple[str, ...]) -> set[str]:
    """The libraries that the project installs on this platform."""
    found: set[str] = set()
    waiting = [(name, extra) for extra in extras]
    while waiting:
        asked, extra = waiting.pop()
        for line in requires(asked) or ():
            each = Requirement(line)
            each_name = canonicalize_name(each.name)
            if each_name not in found and (each.marker is None or each.marker.evaluate({"extra": extra})):
                found.add(each_name)
                waiting += [(each.name, part) for part in ("", *each.extras)]
    return found


@pytest.mark.parametrize("pattern", [REGISTRY, PERSONAL_PATH], ids=["registry", "personal path"])
def test_no_file_names_the_machine_it_was_written_on(pattern: re.Pattern[str]) -> None:
    """No file contains the address of a package registry or an absolute path."""
    files = list(_repository_files())
    assert Path(__file__).resolve() in files
    texts = ((path.relative_to(ROOT), path.read_bytes().decode("utf-8", errors="ignore")) for path in files)
    assert not [f"{path}: {hit.group()}" for path, text in texts for hit in pattern.finditer(text)]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_can_be_started(script: str) -> None:
    """The commands are executable bash scripts that stop at the first error."""
    path = ROOT / script
    assert os.access(path, os.X_OK)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in text


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
def test_shellcheck_finds_nothing() -> None:
    """In no script of a shell, and in none that is sourced."""
    starts = (b"#!/usr/bin/env bash\n", b"#!/bin/sh\n", b"# shellcheck shell=")
    files = [path for folder in ("packaging", ".ci") for path in (ROOT / folder).rglob("*") if path.is_file()]
    scripts = [path for path in files if path.read_bytes().startswith(starts)]
    assert {ROOT / "packaging/system.sh", *(ROOT / each for each in SCRIPTS)} <= set(scripts)
    done = subprocess.run(
        ["shellcheck", "--external-sources", *scripts], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("folder", ["packaging", "resources"])
def test_folders_of_files_are_no_packages(folder: str) -> None:
    """`packaging` and `resources` are not Python packages, which could hide libraries."""
    assert (ROOT / folder).is_dir()
    assert not list((ROOT / folder).rglob("__init__.py"))
