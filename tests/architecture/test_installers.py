"""Recipes of the packages name what exists; the build itself is a long test."""

from __future__ import annotations

import configparser
import ctypes
import hashlib
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from packaging.requirements import Requirement

from cdb_desktop.app.options import VIEW_SUFFIX
from cdb_desktop.schema.files.xml_format import NAMESPACE
from tests.architecture.sources import ROOT

RECIPES = ROOT / "packaging" / "installers"
ICONS = ROOT / "packaging" / "icons"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROGRAMS = {*PROJECT["scripts"], *PROJECT["gui-scripts"]}
MIME = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}


def _recipe(name: str) -> ModuleType:
    """A module of `packaging/installers`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # Data classes look up their module.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _ini(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # names are case-sensitive
    parser.read_string((RECIPES / name).read_text(encoding="utf-8"))
    return parser


def _types() -> dict[str, ET.Element]:
    root = ET.fromstring((RECIPES / "mime-types.xml").read_text(encoding="utf-8"))  # noqa: S314
    return {each.attrib["type"]: each for each in root.findall("m:mime-type", MIME)}


def test_the_menu_entry_starts_the_desktop_with_its_icon() -> None:
    """Its name is that of the application id; each command is a program of the project."""
    entry = _ini("cdb-desktop.desktop")
    main = entry["Desktop Entry"]
    assert main["Type"] == "Application"
    assert main["Icon"] == "cdb-desktop"
    application = (ROOT / "cdb_desktop/app/application.py").read_text(encoding="utf-8")
    assert 'setDesktopFileName("cdb-desktop")' in application
    assert main["Exec"] == "cdb-desktop %f"
    assert {section["Exec"].split()[0] for section in map(entry.__getitem__, entry.sections())} <= PROGRAMS
    actions = [f"Desktop Action {name}" for name in main["Actions"].split(";") if name]
    assert entry.sections() == ["Desktop Entry", *actions]


def test_menu_entry_and_metadata_name_the_types_that_are_installed() -> None:
    """Views by their suffix, models by their beginning and by the namespace of XML."""
    types = _types()
    assert set(_ini("cdb-desktop.desktop")["Desktop Entry"]["MimeType"].split(";")) - {""} == set(types)
    metadata = ET.fromstring((RECIPES / "metainfo.xml").read_text(encoding="utf-8"))  # noqa: S314
    assert {each.text for each in metadata.findall("provides/mediatype")} == set(types)
    assert {each.text for each in metadata.findall("provides/binary")} == PROGRAMS
    assert metadata.findtext("launchable") == "cdb-desktop.desktop"
    glob = types["application/x-cdb-view+json"].find("m:glob", MIME)
    assert glob is not None
    assert glob.attrib["pattern"] == f"*{VIEW_SUFFIX}"
    root = types["application/x-cdb-model+xml"].find("m:root-XML", MIME)
    assert root is not None
    assert root.attrib == {"namespaceURI": NAMESPACE, "localName": "schema"}


@pytest.mark.parametrize("name", ["small", "wide", "wide-old-form", "nested"])
def test_models_are_recognized_by_how_they_begin(name: str) -> None:
    """Each key of the rule is within its range of bytes."""
    beginning = (ROOT / "tests/data/models" / f"{name}.json").read_bytes()[:2000]
    outer = _types()["application/x-cdb-model+json"].find("m:magic/m:match", MIME)
    assert outer is not None
    assert _matches(outer, beginning)
    assert any(_matches(each, beginning) for each in outer)


def _matches(rule: ET.Element, content: bytes) -> bool:
    first, last = map(int, rule.attrib["offset"].split(":"))
    return first <= content.find(rule.attrib["value"].encode(), first) <= last


@pytest.mark.parametrize("path", sorted(ICONS.glob("*.png")), ids=lambda path: path.stem)
def test_icons_have_the_size_in_their_name(path: Path) -> None:
    """Each PNG is a square of this many pixels."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (int(path.stem), int(path.stem))


def test_icon_files_hold_complete_pictures() -> None:
    """The ico and the icns file contain PNG pictures that end where the files say."""
    ico = (ICONS / "cdb-desktop.ico").read_bytes()
    count = struct.unpack_from("<H", ico, 4)[0]
    sides = set()
    for index in range(count):
        width, size, offset = struct.unpack_from("<B7xII", ico, 6 + 16 * index)
        assert ico[offset : offset + 4] == b"\x89PNG"
        assert ico[offset : offset + size].endswith(b"IEND\xaeB`\x82")
        sides.add(width or 256)
    assert {16, 32, 48, 256} <= sides
    icns = (ICONS / "cdb-desktop.icns").read_bytes()
    assert struct.unpack_from(">4sI", icns) == (b"icns", len(icns))


@pytest.mark.parametrize("name", ["cdb-server.service", "cdb-server.user.service"])
def test_units_start_the_server_with_few_rights(name: str) -> None:
    """The server is not started by any other unit than the one that enables it."""
    unit = _ini(name)
    assert unit["Service"]["ExecStart"].startswith("/usr/bin/cdb-server ")
    assert unit["Service"]["NoNewPrivileges"] == "yes"
    assert unit["Service"]["SystemCallFilter"] == "@system-service"
    assert unit["Install"]["WantedBy"] in {"multi-user.target", "default.target"}


def test_tools_are_pinned_and_build_the_project() -> None:
    """The pinned build backend is one that pyproject.toml allows."""
    lines = (RECIPES / "tools.txt").read_text(encoding="utf-8").splitlines()
    pins = {each.name: each.specifier for line in lines if line[0] != "#" for each in [Requirement(line)]}
    assert all(re.fullmatch(r"==[\w.]+", str(each)) for each in pins.values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for line in project["build-system"]["requires"]:
        wanted = Requirement(line)
        assert wanted.specifier.contains(str(pins[wanted.name]).removeprefix("=="))


def test_no_recipe_states_the_version() -> None:
    """It comes from pyproject.toml alone."""
    version = PROJECT["version"]
    for path in (*RECIPES.rglob("*"), ROOT / "packaging/build"):
        if path.is_file() and path.suffix != ".pyc":
            assert version not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("script", ["packaging/build"])
def test_the_build_can_be_started(script: str) -> None:
    """It is executable and stops at the first error."""
    assert os.access(ROOT / script, os.X_OK)
    assert "\nset -euo pipefail\n" in (ROOT / script).read_text(encoding="utf-8")


@pytest.mark.parametrize("script", ["install", "uninstall"])
def test_scripts_of_the_archive_run_with_any_shell(script: str) -> None:
    """They are executable, stop at the first error and have no syntax error."""
    path = RECIPES / "tar" / script
    assert os.access(path, os.X_OK)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in text
    subprocess.run(["sh", "-n", path], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="the archive is for Linux")
def test_the_archive_is_installed_upgraded_and_removed(tmp_path: Path) -> None:
    """Files of others stay, and so do no files of an older version; paths may contain spaces."""
    archive, prefix = tmp_path / "un packed", tmp_path / "pre fix"
    menu = prefix / "share/applications/cdb-desktop.desktop"
    target = prefix / "lib/cdb-desktop"
    _stand_in_archive(archive, old="share/only-in-the-first.txt")
    foreign = prefix / "share/applications/other.desktop"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("", encoding="utf-8")
    _installed(archive, prefix)
    assert f'\nExec="{target}/cdb-desktop" %f\n' in menu.read_text(encoding="utf-8")
    assert _output(prefix / "bin/cdb-server").strip().endswith("cdb-server")
    assert (prefix / "share/only-in-the-first.txt").exists()
    shutil.rmtree(archive)
    _stand_in_archive(archive)
    _installed(archive, prefix)
    assert not (prefix / "share/only-in-the-first.txt").exists()
    _output(target / "uninstall")
    left = [path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if not path.is_dir()]
    # The caches of the desktop are there for the files of others too.
    kept = [path for path in left if "share/mime/" not in path and not path.endswith(".cache")]
    assert kept == ["share/applications/other.desktop"]


def test_the_archive_replaces_no_folder_of_others(tmp_path: Path) -> None:
    """A folder of the same name that was not installed by it stays."""
    archive, prefix = tmp_path / "archive", tmp_path / "prefix"
    _stand_in_archive(archive)
    (prefix / "lib/cdb-desktop/mine").mkdir(parents=True)
    done = subprocess.run([archive / "install", "--prefix", prefix], capture_output=True, check=False)
    assert done.returncode == 1
    assert (prefix / "lib/cdb-desktop/mine").is_dir()


def _stand_in_archive(folder: Path, old: str = "") -> None:
    (folder / "share/applications").mkdir(parents=True)
    shutil.copy(RECIPES / "cdb-desktop.desktop", folder / "share/applications")
    for script in ("install", "uninstall"):
        shutil.copy(RECIPES / "tar" / script, folder)
    (folder / "cdb-desktop").write_text('#!/bin/sh\necho "$0"\n', encoding="utf-8")
    (folder / "cdb-desktop").chmod(0o755)
    (folder / "cdb-server").hardlink_to(folder / "cdb-desktop")
    if old:
        (folder / old).write_text("", encoding="utf-8")


def _installed(archive: Path, prefix: Path) -> None:
    assert "installed in" in _output(archive / "install", "--prefix", str(prefix))


def _output(program: Path, *arguments: str) -> str:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def test_man_pages_have_all_options() -> None:
    """Each option of --help is the head of a paragraph; the page names the program once."""
    text = subprocess.run(
        [sys.executable, "-m", "server_stub", "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"},
    ).stdout  # fmt: skip
    page = _recipe("deb").man_page_of_help("cdb-server", text, "1.2.3", "2026-01-02")
    assert page.startswith('.TH CDB-SERVER 1 "2026-01-02" "CDB Desktop 1.2.3" "User Commands"\n')
    heads = set(re.findall(r"^\.TP\n\.B (\S+)", page.replace("\\-", "-"), re.MULTILINE))
    assert {"--host", "--port", "--tls-cert", "--chaos"} <= heads
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
        assert f"\n.SH {section}\n" in page


@pytest.mark.skipif(sys.platform != "linux", reason="libraries of Linux")
def test_libraries_work_without_their_padding(tmp_path: Path) -> None:
    """A library of a wheel that is mostly zeros can still be loaded and called."""
    found = importlib.util.find_spec("pygraphviz")
    assert found
    assert found.origin
    padded = sorted((Path(found.origin).parents[1] / "pygraphviz.libs").glob("libpng16-*"))
    if not padded:
        pytest.skip("this installation has no such library")
    content = padded[0].read_bytes()
    small = _recipe("elf_files").without_padding(content)
    assert len(small) < len(content) / 2
    target = tmp_path / "libpng.so"
    target.write_bytes(small)
    program = (
        "import ctypes, sys; png = ctypes.CDLL(sys.argv[1]); "
        "png.png_get_libpng_ver.restype = ctypes.c_char_p; print(png.png_get_libpng_ver(None).decode())"
    )
    for path in (padded[0], target):
        printed = subprocess.run(
            [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
        ).stdout
        assert re.match(r"1\.6\.", printed)
    assert ctypes.sizeof(ctypes.c_void_p) == 8


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="packages for Linux")
def test_two_builds_are_equal_and_the_bundle_works() -> None:
    """All packages are built twice; the bundle is tried out under X11."""
    if not (shutil.which("dpkg-deb") and shutil.which("xvfb-run")):
        pytest.skip("needs dpkg-deb and xvfb-run")
    sums = []
    for _ in range(2):
        subprocess.run([ROOT / "packaging/build", "all"], check=True, stdin=subprocess.DEVNULL)
        sums.append((ROOT / "dist/SHA256SUMS").read_text(encoding="utf-8"))
    assert sums[0] == sums[1]
    for line in sums[0].splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((ROOT / "dist" / name).read_bytes()).hexdigest() == digest
    bundle = ROOT / "build/bundle/cdb-desktop"
    subprocess.run(
        ["xvfb-run", "--auto-servernum", sys.executable, RECIPES / "smoke.py", bundle],
        check=True, env={name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"},
    )  # fmt: skip
