"""Files, packages, options, actions, users and pictures in documents exist."""

import ast
import os
import re
import struct
import tomllib
from pathlib import Path

import pytest
from platformdirs.api import PlatformDirsABC
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from cdb_desktop.ui.actions import action_specs
from server_stub.demo.people import all_people
from tests.architecture.sources import PROGRAMS, ROOT, nodes, python_files

README = ROOT / "README.md"
INTERFACE = ROOT / "server_stub" / "INTERFACE.md"
PROGRAM_READMES = [ROOT / program / "README.md" for program in PROGRAMS]
DOCUMENTS = [
    README,
    *PROGRAM_READMES,
    INTERFACE,
    ROOT / "packaging" / "README.md",
    ROOT / "tests" / "performance" / "README.md",
    *sorted((ROOT / ".github").rglob("*.md")),
]
COMMANDS = ("cdb-desktop", "cdb-server", ".venv/bin/python -m tests.performance")
_SOURCE_FOLDERS = ("cdb_desktop", "server_stub", "tests", "packaging", "resources")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _code(document: Path) -> list[str]:
    """The code spans of a document, and the lines of its code blocks."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text := _text(document), re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [*re.findall(r"`([^`\n]+)`", prose), *(line for block in blocks for line in block.splitlines())]


def _section(title: str) -> str:
    return _text(README).split(f"\n## {title}\n")[1].split("\n## ")[0]


def _rows(section: str) -> list[list[str]]:
    """The rows of the only table of a section, without its head."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_readme_is_one_page() -> None:
    """README has fewer than 900 words."""
    assert len(_text(README).split()) < 900


def test_readme_begins_with_the_two_commands() -> None:
    """The two commands come before the first section and are executable."""
    start = _text(README).split("\n## ")[0]
    commands = re.findall(r"^(packaging/\w+) +#", start, re.MULTILINE)
    assert commands == ["packaging/run", "packaging/test"]
    assert all(os.access(ROOT / command, os.X_OK) for command in commands)


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_links_lead_to_files(document: Path) -> None:
    """Relative links refer to files of the repository."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", _text(document))
    missing = [link for link in links if "://" not in link and not (document.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_named_files_exist(document: Path) -> None:
    """Paths in code spans exist, relative to the root or to the folder of the document."""
    pattern = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|json|toml|txt|md)|(?:[\w.-]+/)+")
    named = [span for span in _code(document) if pattern.fullmatch(span)]
    if document in PROGRAM_READMES:
        assert len(named) > 10
    missing = [span for span in named if not any((base / span).exists() for base in (ROOT, document.parent))]
    assert not missing


@pytest.mark.parametrize("document", PROGRAM_READMES, ids=_name)
def test_named_methods_exist(document: Path) -> None:
    """A `Class.method` exists in the sources."""
    defined = {
        f"{each.name}.{part.name}"
        for path in python_files(document.parent.name)
        for each in nodes(path)
        if isinstance(each, ast.ClassDef)
        for part in each.body
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    named = {span for span in _code(document) if re.fullmatch(r"[A-Z]\w+\.\w+", span)} - {"FILE.part"}
    assert named
    assert not named - defined


def test_the_tree_shows_every_folder() -> None:
    """The tree in README matches the repository, with two levels for the programs."""
    shown: set[str] = set()
    top = ""
    for line in _section("The tree").split("```")[1].splitlines():
        names = re.findall(r"(\w+)/", line)
        if line and not line.startswith(" "):
            top = names[0]
            shown.add(top)
        else:
            shown.update(f"{top}/{name}" for name in names)
    packages = {_name(path.parent) for each in PROGRAMS for path in (ROOT / each).glob("*/__init__.py")}
    assert shown == set(_SOURCE_FOLDERS) | packages


def test_places_to_change_exist() -> None:
    """Each row names a different existing file or folder."""
    places = [row[1].strip("`") for row in _rows(_section("Where do I change X?"))]
    assert len(set(places)) == 10
    assert not [place for place in places if not (ROOT / place).exists()]


def test_demo_users() -> None:
    """README lists every account with a public password."""
    listed = [(login.strip("`"), password.strip("`")) for login, password, _ in _rows(_section("Demo users"))]
    assert listed == [(person.login, person.password) for person in all_people() if person.password]


@pytest.mark.parametrize(("folders", "column"), [(Unix, 1), (MacOS, 2)])
def test_folders(folders: type[PlatformDirsABC], column: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of folders agrees with platformdirs."""
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    desktop, server = (folders(name, appauthor=False) for name in ("cdb-desktop", "cdb-server"))
    paths = (
        desktop.user_config_dir,
        desktop.user_log_dir,
        f"{desktop.user_data_dir}/demo",
        server.user_data_dir,
    )
    prefix = str(Path.home() / "Library") + "/" if folders is MacOS else ""
    expected = [path.removeprefix(prefix).replace(str(Path.home()), "~") for path in paths]
    assert [row[column].strip("`") for row in _rows(_section("Data and logs"))] == expected


def test_named_options_exist() -> None:
    """Every option after the name of a program is one that the programs read."""
    calls = [span for document in DOCUMENTS for span in _code(document) if span.startswith(COMMANDS)]
    texts = {
        node.value
        for path in python_files(*PROGRAMS, "tests/performance")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert len(calls) > 5
    # Some are composed of the dashes and a name.
    known = {"--help"} | {f"--{text.removeprefix('--')}" for text in texts}
    named = {(call, option) for call in calls for option in re.findall(r"--[a-z][a-z-]*", call)}
    assert {(call, option) for call, option in named if option not in known} == set()


def test_named_actions_exist() -> None:
    """Menus and keys have the names that the window shows."""
    actions = {spec.name: spec for spec in action_specs()}
    texts = {name: spec.text.replace("&", "") for name, spec in actions.items()}
    menu = actions["report"].menu.replace("&", "")
    assert f"*{texts['connect']}* ({actions['connect'].key})" in _text(README)
    assert f"*{menu} → {texts['report']}*" in _text(README)
    assert f"presses {actions['export'].key} " in _text(PROGRAM_READMES[0])
    assert f"({actions['export_options'].key})" in _text(PROGRAM_READMES[0])


def test_changelog_has_the_version_and_unreleased_changes() -> None:
    """The newest version is that of the project, below the unreleased changes."""
    project = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]
    heads = re.findall(r"^## (\S+)", _text(ROOT / ".github" / "CHANGELOG.md"), re.MULTILINE)
    assert heads[:2] == ["Unreleased", project["version"]]


def _interface_sections() -> dict[str, str]:
    """The text of each section of the interface by its number, such as "§4.2" or "wire §3"."""
    parts = re.split(r"^#+ ((?:wire )?§\d+(?:\.\d+)?) .*$", _text(INTERFACE), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _exists(citation: str, sections: dict[str, str]) -> bool:
    """Whether a citation is a section, or a numbered rule in one: "§4.2 rule 1", "§5.2"."""
    number, _, rule = citation.partition(" rule ")
    if number not in sections and not rule:
        number, _, rule = number.rpartition(".")
    text = sections.get(number)
    return text is not None and (not rule or re.search(rf"^{rule}\. ", text, re.MULTILINE) is not None)


def test_cited_sections_exist() -> None:
    """Every section or rule of the interface that the programs and tests cite is in its document."""
    sections = _interface_sections()
    cited = {
        " ".join(citation.split())
        for program in (*PROGRAMS, "tests")
        for path in python_files(program)
        if path != Path(__file__)
        for citation in re.findall(r"(?:\bwire\s+)?§\d+(?:\.\d+)?(?: rule \d+)?", _text(path))
    }
    assert len(cited) > 40
    assert [citation for citation in sorted(cited) if not _exists(citation, sections)] == []


def test_interface_is_short() -> None:
    """The interface has at most 400 lines."""
    assert len(_text(INTERFACE).splitlines()) <= 400


ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging" / "pictures"
PICTURES = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("alternative", "link"), PICTURES)
def test_pictures_show_the_smallest_window(alternative: str, link: str) -> None:
    """Each picture is a PNG of 1366x768 below 250 KB with an alternative text."""
    data = (ROOT / link).read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (1366, 768)
    assert len(data) < 250_000
    assert alternative


def test_readme_shows_every_picture_once() -> None:
    """README shows every picture once."""
    assert PICTURES
    assert sorted(link for _, link in PICTURES) == sorted(
        path.relative_to(ROOT).as_posix() for path in FOLDER.iterdir()
    )
