"""Recipes of the packages name what exists; the build itself is a long test."""

import configparser
import ctypes
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import plistlib
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]
from packaging.requirements import Requirement

from cdb_desktop.app.options import CHECK, DICTIONARY, MERGE, VIEW_SUFFIX, WATCH
from cdb_desktop.queries.links import SCHEME
from cdb_desktop.schema.files.model_files import NAMESPACE, to_xml
from cdb_desktop.vocabulary.manual import contents
from tests.architecture.sources import ROOT

RECIPES = ROOT / "packaging" / "installers"
ICONS = ROOT / "packaging" / "icons"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROGRAMS = {*PROJECT["scripts"], *PROJECT["gui-scripts"]}
Recipe = Callable[[str], ModuleType]
MIME = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}


@pytest.fixture(scope="module")
def recipe() -> Iterator[Recipe]:
    """Imports modules of `packaging/installers`, which is no package, and forgets them afterwards."""
    names = [path.stem for path in RECIPES.glob("*.py")]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RECIPES))
        yield importlib.import_module
    for name in names:
        sys.modules.pop(name, None)


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
    assert main["Exec"] == "cdb-desktop %u"
    assert {section["Exec"].split()[0] for section in map(entry.__getitem__, entry.sections())} <= PROGRAMS
    actions = [f"Desktop Action {name}" for name in main["Actions"].split(";") if name]
    assert entry.sections() == ["Desktop Entry", *actions]


def test_menu_entry_and_metadata_name_the_types_that_are_installed() -> None:
    """Views by their suffix, models by their beginning and by the namespace of XML; links by their scheme."""
    types, links = _types(), f"x-scheme-handler/{SCHEME}"
    offered = set(_ini("cdb-desktop.desktop")["Desktop Entry"]["MimeType"].split(";")) - {""}
    assert offered == {*types, links}
    metadata = ET.fromstring((RECIPES / "metainfo.xml").read_text(encoding="utf-8"))  # noqa: S314
    assert {each.text for each in metadata.findall("provides/mediatype")} == offered
    assert {each.text for each in metadata.findall("provides/binary")} == PROGRAMS
    assert metadata.findtext("launchable") == "cdb-desktop.desktop"
    for suffix in ("json", "xml"):
        # Any other file with the suffix keeps its type: that of the higher weight, by default 50.
        globs = types[f"application/x-cdb-model+{suffix}"].findall("m:glob", MIME)
        weights = {each.attrib["pattern"]: int(each.get("weight", "50")) for each in globs}
        assert weights == {f"*.cdbmodel.{suffix}": 50, f"*.{suffix}": 10}
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


def test_desktops_recognize_models_by_their_contents(tmp_path: Path) -> None:
    """GLib, which GNOME uses, finds the type of files as the program saves them; other files keep theirs."""
    known = Path("/usr/share/mime/packages/freedesktop.org.xml")
    if not (shutil.which("gio") and shutil.which("update-mime-database") and known.is_file()):
        pytest.skip("needs gio and update-mime-database")
    mime = tmp_path / "data/mime"
    (mime / "packages").mkdir(parents=True)
    for source in (known, RECIPES / "mime-types.xml"):
        shutil.copy(source, mime / "packages")
    subprocess.run(["update-mime-database", mime], check=True, capture_output=True)
    model = (ROOT / "tests/data/models/small.json").read_bytes()
    files = {
        "model.json": (model, "application/x-cdb-model+json"),
        "model.xml": (to_xml(json.loads(model)), "application/x-cdb-model+xml"),
        "view.cdbview": (b"{}", "application/x-cdb-view+json"),
        "other.json": (b'{"schema": {"type": "object"}}', "application/json"),
        "other.xml": (b'<?xml version="1.0"?><schema/>', "application/xml"),
        "without-declaration.xml": (b"<schema/>", "application/xml"),
    }
    for name, (content, expected) in files.items():
        (tmp_path / name).write_bytes(content)
        done = subprocess.run(
            ["gio", "info", "--attributes=standard::content-type", tmp_path / name],
            capture_output=True, text=True, check=True,
            env=os.environ | {"XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path / "data")},
        )  # fmt: skip
        assert f"content-type: {expected}\n" in done.stdout, name


@pytest.mark.parametrize("name", ["cdb-server.service", "cdb-server.user.service"])
def test_units_start_the_server_with_few_rights(name: str) -> None:
    """The server is not started by any other unit than the one that enables it."""
    unit = _ini(name)
    assert unit["Service"]["ExecStart"].startswith("/usr/bin/cdb-server ")
    assert unit["Service"]["NoNewPrivileges"] == "yes"
    assert unit["Service"]["SystemCallFilter"] == "@system-service"
    assert unit["Install"]["WantedBy"] in {"multi-user.target", "default.target"}


def test_units_are_valid(tmp_path: Path, recipe: Recipe) -> None:
    """systemd finds no unknown setting."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze")
    for source, target in recipe("content").UNITS.items():
        unit = tmp_path / target
        unit.parent.mkdir(parents=True)
        # The program is not installed here.
        text = (RECIPES / source).read_text(encoding="utf-8").replace("/usr/bin/cdb-server", "/bin/true")
        unit.write_text(text, encoding="utf-8")
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *(["--user"] if "/user/" in target else []), unit],
            capture_output=True, text=True, check=False, env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_of_the_machine_is_hardly_exposed() -> None:
    """By the rating of systemd, from 0 to 10. A user's own has what a user may restrict."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze")
    unit = RECIPES / "cdb-server.service"
    subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=20", unit], check=True)


@pytest.fixture
def stand_in(recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A bundle of scripts in place of the frozen one, a page in place of the manual, a bill of materials."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<!DOCTYPE html>", encoding="utf-8")
    monkeypatch.setattr(recipe("content"), "MANUAL", site)
    bundle = tmp_path / "bundle"
    (bundle / "_internal").mkdir(parents=True)
    (bundle / "_internal/library.so").write_text("library", encoding="utf-8")
    (bundle / "cdb-desktop").write_text('#!/bin/sh\necho "$0"\n', encoding="utf-8")
    (bundle / "cdb-desktop").chmod(0o755)
    (bundle / "cdb-server").hardlink_to(bundle / "cdb-desktop")
    bill = tmp_path / "sbom.json"
    bill.write_text("{}", encoding="utf-8")
    return bundle, bill


@pytest.fixture
def tree(stand_in: tuple[Path, Path], recipe: Recipe, tmp_path: Path) -> Path:
    """What the .deb and the .rpm have in common, as it is installed."""
    folder = tmp_path / "tree"
    recipe("content").write_tree(folder, *stand_in, 1_700_000_000)
    recipe("content").normalize(folder, 1_700_000_000)
    return folder


def test_packages_contain_what_desktop_and_system_need(tree: Path) -> None:
    """Both programs are one file; units and menu entry name what is there; nothing is writable for others."""
    for program in PROGRAMS:
        assert (tree / "usr/bin" / program).resolve() == tree / "usr/lib/cdb-desktop" / program
        assert (tree / f"usr/share/man/man1/{program}.1.gz").is_file()
    assert (tree / "usr/bin/cdb-desktop").samefile(tree / "usr/bin/cdb-server")
    assert {path.name for path in tree.rglob("*.service")} == {"cdb-server.service"}
    for name in ("applications/cdb-desktop.desktop", "mime/packages/cdb-desktop.xml"):
        assert (tree / "usr/share" / name).is_file()
    for path in tree.rglob("*"):
        status = path.lstat()
        assert status.st_mtime == 1_700_000_000
        assert path.is_symlink() or not status.st_mode & 0o022
        assert b"@VERSION@" not in (path.read_bytes() if path.is_file() else b"")


def test_the_rpm_requires_the_libraries_that_the_deb_depends_on(tree: Path, recipe: Recipe) -> None:
    """By their names, which are the same on each system; all files are listed."""
    rpm, content = recipe("rpm"), recipe("content")
    spec = rpm.spec(tree, "1.2.3", 1_700_000_000, 6)
    required = set(re.findall(r"^Requires: (.*)$", spec, re.MULTILINE))
    assert {
        "glibc >= 2.36",
        "libGL.so.1()(64bit)",
        "libEGL.so.1()(64bit)",
        "libdbus-1.so.3()(64bit)",
    } <= required
    named = {each.partition("(")[0] for each in required}
    of_glibc = {name for name, package in content.SYSTEM_LIBRARIES.items() if package.startswith("libc6 ")}
    assert set(content.SYSTEM_LIBRARIES) - named == of_glibc
    listed = {line.rpartition(" ")[2] for line in spec.partition("%files")[2].splitlines() if "/" in line}
    for path in tree.rglob("*"):
        installed = Path("/", path.relative_to(tree))
        assert path.is_dir() or {str(each) for each in (installed, *installed.parents)} & listed


def test_packages_recommend_the_optional_libraries(tree: Path, recipe: Recipe) -> None:
    """They are no dependencies: the program runs without them."""
    deb, rpm, content = recipe("deb"), recipe("rpm"), recipe("content")
    spec = rpm.spec(tree, "1.2.3", 1_700_000_000, 6)
    deb.write_control(tree, "1.2.3", 1)
    control = (tree / "DEBIAN/control").read_text(encoding="utf-8")
    assert content.OPTIONAL_LIBRARIES
    for library, package in content.OPTIONAL_LIBRARIES.items():
        assert f"\nRecommends: {library}()(64bit)\n" in spec
        assert f"\nRequires: {library}" not in spec
        lines = {
            line.partition(": ")[0]: line.partition(": ")[2].split(", ") for line in control.splitlines()
        }
        assert package in lines["Recommends"]
        assert package not in lines["Depends"]
    # A recommended Graphviz and keyring would install 700 MB.
    assert "graphviz" not in {*lines["Recommends"], *lines["Depends"]}
    assert "\nSuggests: graphviz\n" in spec


def test_packages_name_the_project(tree: Path, recipe: Recipe) -> None:
    """Addresses and authors are those of pyproject.toml."""
    deb, rpm, content = recipe("deb"), recipe("rpm"), recipe("content")
    home = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]
    deb.write_control(tree, "1.2.3", 1)
    assert f"\nHomepage: {home}\n" in (tree / "DEBIAN/control").read_text(encoding="utf-8")
    assert f"\nURL: {home}\n" in rpm.spec(tree, "1.2.3", 1_700_000_000, 6)
    written = tree / f"usr/share/metainfo/{content.APP_ID}.metainfo.xml"
    metadata = ET.fromstring(written.read_text(encoding="utf-8"))  # noqa: S314
    assert metadata.findtext("url[@type='homepage']") == home
    assert metadata.findtext("developer/name") == content.AUTHORS
    pictures = [each.text or "" for each in metadata.findall("screenshots/screenshot/image")]
    assert pictures
    assert all((ROOT / "packaging/pictures" / each.rpartition("/")[2]).is_file() for each in pictures)


def test_the_bill_of_materials_lists_what_a_bundle_takes(recipe: Recipe) -> None:
    """Each library once, and none of which only the metadata would be taken."""
    bill = json.loads(recipe("sbom").bill_of_materials(1_700_000_000))
    references = [each["bom-ref"] for each in bill["components"]]
    assert bill["dependencies"][0]["dependsOn"] == sorted(set(references)) == sorted(references)
    names = {each["name"].casefold() for each in bill["components"]}
    assert {"cpython", "msgspec", "pyside6_essentials"} <= names
    assert not names & {"python-dotenv", "pyyaml", "watchfiles"}


def test_the_bill_of_materials_lists_what_wheels_contain(recipe: Recipe, tmp_path: Path) -> None:
    """As their own bills say, which may name the machine that built them."""
    folder = tmp_path / "some_lib-1.0.dist-info"
    (folder / "sboms").mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: Some.Lib\nVersion: 1.0\n", "utf-8")
    listed = ["pkg:rpm/centos/cairo@1.2?file=/build/cairo", "pkg:pypi/some_lib@1.0"]
    inside = [{"name": purl[8:], "version": "1", "purl": purl} for purl in listed]
    (folder / "sboms/wheel.json").write_text(json.dumps({"components": inside}), "utf-8")
    others = importlib.metadata.distributions(path=[str(tmp_path)])
    found = recipe("sbom").bill_of_materials(1, others, "3.11.9")
    assert [each["purl"] for each in json.loads(found)["components"]] == [
        "pkg:pypi/some-lib@1.0", "pkg:rpm/centos/cairo@1.2", "pkg:generic/cpython@3.11.9"
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="takes a Debian")
def test_the_bill_of_materials_lists_what_the_system_contributes(recipe: Recipe, tmp_path: Path) -> None:
    """The source packages of what lies beside Python's libraries, by name and version."""
    (tmp_path / "_internal").mkdir()
    for name in ("libz.so.1", "libm.so.6", "libnobody.so.9"):
        (tmp_path / "_internal" / name).touch()
    found = recipe("sbom").bill_of_materials(1, (), "3.11.9", tmp_path)
    names = [each["purl"].partition("@")[0] for each in json.loads(found)["components"]]
    assert names == ["pkg:deb/debian/glibc", "pkg:deb/debian/zlib", "pkg:generic/cpython"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "tool", "suffix"), [("deb", "dpkg-deb", "_amd64.deb"), ("rpm", "rpmbuild", ".x86_64.rpm")]
)
def test_two_packages_of_the_same_files_are_equal(
    stand_in: tuple[Path, Path], recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    kind: str, tool: str, suffix: str,
) -> None:  # fmt: skip
    """Neither the time nor the machine is in a package."""
    if not shutil.which(tool):
        pytest.skip(f"needs {tool}")
    module = recipe(kind)
    contents = []
    for name in ("first", "second"):
        monkeypatch.setattr(module, "WORK", tmp_path / "work" / name)
        target = tmp_path / name
        target.mkdir()
        made = module.build(*stand_in, target, 1_700_000_000, 1)
        assert made.parent == target
        assert made.name.startswith("cdb-desktop")
        assert made.name.endswith(suffix)
        contents.append(made.read_bytes())
    assert contents[0] == contents[1]
    assert str(tmp_path).encode() not in contents[0]


@pytest.mark.skipif(sys.platform != "linux", reason="scripts for Linux")
@pytest.mark.parametrize("kind", ["deb", "rpm"])
def test_scripts_of_packages_have_no_errors(recipe: Recipe, kind: str) -> None:
    """Where systemd does not run, as in containers, they do nothing and succeed."""
    if Path("/run/systemd/system").is_dir():
        pytest.skip("would act on the systemd of this machine")
    for script in recipe(kind).SCRIPTS.values():
        for argument in ("0", "1", "remove", "configure", "upgrade"):
            subprocess.run(["sh", "-eu", "-c", script, "script", argument, "1.0"], check=True)


def test_the_appimage_starts_both_programs(
    stand_in: tuple[Path, Path], recipe: Recipe, tmp_path: Path
) -> None:
    """The desktop; or the server by the name of a link, or by its name as the first argument."""
    folder = tmp_path / "App Dir"
    recipe("appimage").write_folder(folder, *stand_in, 1_700_000_000)
    start = folder / "AppRun"
    assert (folder / ".DirIcon").resolve().read_bytes().startswith(b"\x89PNG")
    assert (folder / "cdb-desktop.desktop").is_file()
    assert _output(start).strip().endswith("/cdb-desktop")
    assert _output(start, "cdb-server").strip().endswith("/cdb-server")
    linked = subprocess.run(
        [start], capture_output=True, text=True, check=True, env=os.environ | {"ARGV0": "/opt/bin/cdb-server"}
    )
    assert linked.stdout.strip().endswith("/cdb-server")


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
    assert f'\nExec="{target}/cdb-desktop" %u\n' in menu.read_text(encoding="utf-8")
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


@pytest.fixture(scope="module")
def server_help() -> str:
    """What `cdb-server --help` prints."""
    return subprocess.run(
        [sys.executable, "-m", "server_stub", "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"},
    ).stdout  # fmt: skip


def test_man_pages_have_all_options_and_the_topic(recipe: Recipe, server_help: str) -> None:
    """Each option of --help is the head of a paragraph; the text of the topic follows."""
    topic = (
        "# Begin\n\nChoose {action:export}. [Show me](show:export)\n\n1. `--one`\n2. Two\n\n```sh\n.x\n```\n"
    )
    page = recipe("man_pages").page("cdb-server", server_help, topic, "1.2.3", "2026-01-02")
    assert page.startswith('.TH CDB-SERVER 1 "2026-01-02" "CDB Desktop 1.2.3" "User Commands"\n')
    heads = set(re.findall(r"^\.TP\n\.B (\S+)", page.replace("\\-", "-"), re.MULTILINE))
    assert {"--host", "--port", "--tls-cert", "--chaos"} <= heads
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "BEGIN", "SEE ALSO"):
        assert f"\n.SH {section}\n" in page
    told = page.partition(".SH BEGIN\n")[2].partition(".SH SEE ALSO")[0]
    steps = ".IP 1. 4\n\\fB\\-\\-one\\fR\n.IP 2. 4\nTwo\n.PP\n.nf\n\\&.x\n.fi\n"
    assert told == f".PP\nChoose \\fBExport (Ctrl+E)\\fR.\n{steps}"


def test_all_commands_have_man_pages(recipe: Recipe, server_help: str) -> None:
    """The table of the pages names every command of both programs, and topics that exist."""
    commands = recipe("man_pages").COMMANDS
    own = {CHECK, DICTIONARY, MERGE, WATCH}
    listed = server_help.partition("  COMMAND\n")[2].partition("\n\n")[0]
    served = set(re.findall(r"^    (\S+)", listed, re.MULTILINE))
    names = {f"cdb-desktop {name}" for name in own} | {f"cdb-server {name}" for name in served}
    assert commands.keys() == names | {"cdb-desktop", "cdb-server"}
    assert {topic for _, topic in commands.values()} <= {topic.name for topic in contents().topics}


@pytest.mark.skipif(sys.platform != "linux", reason="libraries of Linux")
def test_libraries_work_without_their_padding(recipe: Recipe, tmp_path: Path) -> None:
    """A library of a wheel that is mostly zeros can still be loaded and called."""
    found = importlib.util.find_spec("pygraphviz")
    assert found
    assert found.origin
    padded = sorted((Path(found.origin).parents[1] / "pygraphviz.libs").glob("libpng16-*"))
    if not padded:
        pytest.skip("this installation has no such library")
    content = padded[0].read_bytes()
    small = recipe("elf_files").without_padding(content)
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


@pytest.mark.skipif(sys.platform != "linux", reason="commands for Linux")
def test_the_flatpak_takes_its_files_from_the_archive(
    stand_in: tuple[Path, Path], recipe: Recipe, tmp_path: Path
) -> None:
    """Its commands work on an unpacked archive; what leaves the sandbox is named after the application."""
    (manifest,) = (RECIPES / "flatpak").glob("*.yaml")
    content = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    name = content["id"]
    assert manifest.stem == name == recipe("content").APP_ID
    bundle, bill = stand_in
    recipe("content").write_shared_files(bundle / "share", bill, 1_700_000_000)
    shutil.copy(ROOT / "LICENSE", bundle)
    target = tmp_path / "app"
    (module,) = content["modules"]
    for command in module["build-commands"]:
        subprocess.run(["sh", "-c", command.replace("/app/", f"{target}/")], cwd=bundle, check=True)
    for program in PROGRAMS:
        assert _output(target / "bin" / program).strip().endswith(program)
    share = target / "share"
    assert f'<icon name="{name}"/>' in (share / f"mime/packages/{name}.xml").read_text(encoding="utf-8")
    assert (share / f"metainfo/{name}.metainfo.xml").is_file()
    assert (share / "applications" / content["rename-desktop-file"]).is_file()
    assert (share / f"icons/hicolor/256x256/apps/{content['rename-icon']}.png").is_file()


def test_the_disk_image_shows_the_application_and_its_target() -> None:
    """Both are within the window; the rights of the program are switches that are on."""
    given = {"defines": {"application": "/build/CDB Desktop.app"}}
    settings = runpy.run_path(str(RECIPES / "macos/dmg_settings.py"), init_globals=given)
    assert settings["files"] == ["/build/CDB Desktop.app"]
    assert set(settings["icon_locations"]) == {"CDB Desktop.app", *settings["symlinks"]}
    _, size = settings["window_rect"]
    assert all(0 < x < size[0] and 0 < y < size[1] for x, y in settings["icon_locations"].values())
    entitlements = plistlib.loads((RECIPES / "macos/entitlements.plist").read_bytes())
    assert entitlements
    assert all(value is True for value in entitlements.values())


def test_the_application_of_macos_opens_links() -> None:
    """The recipe of the bundle declares their scheme."""
    recipe = (RECIPES / "bundle.spec").read_text(encoding="utf-8")
    found = re.search(r'"CFBundleURLTypes": \[\s*\{.*?"CFBundleURLSchemes": \["(\w+)"\]', recipe, re.DOTALL)
    assert found
    assert found[1] == SCHEME


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("readelf"), reason="needs readelf")
def test_the_bundle_does_not_depend_on_what_the_machine_has(recipe: Recipe, tmp_path: Path) -> None:
    """Libraries of the system that no library of the bundle needs are removed."""
    qt = importlib.util.find_spec("PySide6.QtCore")
    assert qt
    assert qt.origin
    folder = tmp_path / "_internal"
    (folder / "PySide6").mkdir(parents=True)
    shutil.copy(qt.origin, folder / "PySide6")
    own = Path(qt.origin).parent
    (needed,) = own.glob("libpyside6.abi3.so.*")
    for name in (needed.name, "libpython3.so", "libgtk.so"):
        shutil.copy(needed, folder / name)
    (folder / "libwheel.so").symlink_to("PySide6/libwheel.so")
    assert recipe("elf_files").remove_unneeded(tmp_path) == ["libgtk.so"]
    left = {path.name for path in folder.iterdir()}
    assert left == {"PySide6", needed.name, "libpython3.so", "libwheel.so"}


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="packages for Linux")
def test_two_builds_are_equal_and_the_bundle_works() -> None:
    """All packages are built twice, with little compression; the bundle is tried out under X11."""
    missing = [each for each in ("dpkg-deb", "rpmbuild", "xvfb-run") if not shutil.which(each)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    sums = []
    for _ in range(2):
        subprocess.run([ROOT / "packaging/build", "all", "--fast"], check=True, stdin=subprocess.DEVNULL)
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
