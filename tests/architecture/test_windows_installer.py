"""The installer for Windows: what it takes, what its script names, and installations under Wine."""

import configparser
import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from pip._vendor import distlib

from cdb_desktop.app.options import VIEW_SUFFIX
from cdb_desktop.queries.links import SCHEME
from tests.architecture.sources import ROOT

RECIPES = ROOT / "packaging" / "installers"
SCRIPT = (RECIPES / "windows/setup.nsi").read_text(encoding="utf-8")
WINDOWS = {"sys_platform": "win32", "os_name": "nt", "platform_machine": "AMD64"}
LANGUAGES = {"ENGLISH": None, "GERMAN": "de"}
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# A program of Windows that does nothing but run for as many milliseconds as its argument says.
STAND_IN = """
#include <windows.h>
#include <stdlib.h>
int main(int count, char **arguments) { Sleep(count > 1 ? atoi(arguments[1]) : 0); return 0; }
"""


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The recipe."""
    monkeypatch.syspath_prepend(RECIPES)
    return importlib.import_module("windows")


@pytest.fixture
def unused_files(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The lists that all packages share."""
    monkeypatch.syspath_prepend(RECIPES)
    return importlib.import_module("unused_files")


def test_versions_for_windows_are_pinned(windows: ModuleType) -> None:
    """Each library has one version, and those that only Windows needs have one there alone."""
    version = ".".join(map(str, sys.version_info[:2]))
    pins = windows.pinned_versions(WINDOWS | {"python_version": version})
    elsewhere = windows.pinned_versions({"sys_platform": "linux", "python_version": version})
    assert set(pins) - set(elsewhere) == {"colorama", "pywin32-ctypes"}
    assert all(re.fullmatch(r"[\w.]+", each) for each in pins.values())
    assert all(re.fullmatch(r"[0-9a-f]{64}", each.sha256) for each in windows.PYTHONS.values())


@pytest.mark.parametrize(
    ("name", "installed"),
    [
        ("pyarrow/lib.cp311-win_amd64.pyd", True),
        ("pyarrow/_flight.cp311-win_amd64.pyd", False),
        ("pyarrow/parquet/core.py", True),
        ("pyarrow/parquet/encryption.py", False),
        ("pandas/tests/test_api.py", False),
        ("PySide6/Qt6Core.dll", True),
        ("PySide6/Qt6Quick.dll", False),
        ("PySide6/plugins/platforms/qwindows.dll", True),
        ("PySide6/plugins/platforms/qminimal.dll", False),
        ("PySide6/plugins/imageformats/qjpeg.dll", True),
        ("PySide6/plugins/imageformats/qwebp.dll", False),
        ("PySide6/translations/qtbase_de.qm", True),
        ("PySide6/translations/qtbase_fr.qm", False),
        ("PySide6/designer.exe", False),
        ("yaml/__init__.py", False),
        ("keyring-25.7.0.dist-info/entry_points.txt", True),
        ("keyring-25.7.0.dist-info/RECORD", False),
        ("a-1.data/scripts/a", False),
    ],
)
def test_what_is_used_of_wheels_is_installed(windows: ModuleType, name: str, *, installed: bool) -> None:
    """Tests, headers, tools and what the Linux bundle leaves out as well are not."""
    assert windows.installed_name(name) == (name if installed else "")


def test_files_in_data_folders_of_wheels_are_installed(windows: ModuleType) -> None:
    """Below the folder that pip would choose."""
    assert windows.installed_name("a-1.data/purelib/a/b.py") == "a/b.py"


def test_all_systems_share_one_list(unused_files: ModuleType) -> None:
    """A library has another name on each of them."""
    linux, mac = "PySide6/Qt/lib/libQt6Quick.so.6", "PySide6/Qt/lib/libQt6Quick.dylib"
    assert unused_files.common_name(linux) == "PySide6/Qt6Quick.so.6"
    for name in (linux, mac, "PySide6\\Qt6Quick.dll", "PySide6/Qt/plugins/tls/libqopensslbackend.so"):
        assert not unused_files.is_used(name)
    for name in ("PySide6/Qt/lib/libQt6Core.so.6", "PySide6\\Qt6Core.dll", "pyarrow/lib.cpython-311-x.so"):
        assert unused_files.is_used(name)


@pytest.mark.long
def test_a_missing_library_is_found(windows: ModuleType, tmp_path: Path) -> None:
    """With the file that imports it; libraries of Windows and of the package are not missing."""
    program = (Path(distlib.__path__[0]) / "t64.exe").read_bytes()
    (tmp_path / "sound.exe").write_bytes(program)
    assert "kernel32.dll" in windows.imports_of(tmp_path / "sound.exe")
    assert windows.unresolved(tmp_path) == {}
    (tmp_path / "broken.exe").write_bytes(program.replace(b"KERNEL32.dll", b"KERNEL99.dll"))
    assert windows.unresolved(tmp_path) == {"kernel99.dll": ["broken.exe"]}
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/Kernel99.dll").write_bytes(program)
    assert windows.unresolved(tmp_path) == {}


def test_versions_have_four_numbers(windows: ModuleType) -> None:
    """Windows compares no others."""
    assert windows.version_numbers("1.2") == "1.2.0.0"
    assert windows.version_numbers("1.2.3rc1") == "1.2.3.0"


def test_all_texts_of_the_installer_are_translated() -> None:
    """Into the languages of the program."""
    texts = re.findall(r"^LangString (\w+) \$\{LANG_(\w+)\}", SCRIPT, re.MULTILINE)
    names = {name for name, _ in texts}
    assert sorted(texts) == sorted((name, language) for name in names for language in LANGUAGES)
    assert set(re.findall(r"\$\((\w+)\)", SCRIPT)) == names


def test_the_installer_describes_the_types_of_all_systems() -> None:
    """Views by their suffix; models only in the menu of suffixes that belong to other programs too."""
    types = ET.fromstring((RECIPES / "mime-types.xml").read_text(encoding="utf-8"))  # noqa: S314
    for name, kind in (
        ("ViewText", "application/x-cdb-view+json"),
        ("ModelText", "application/x-cdb-model+json"),
    ):
        found = types.find(f"{MIME}mime-type[@type='{kind}']")
        assert found is not None
        comments = {each.get(LANGUAGE): each.text for each in found.findall(f"{MIME}comment")}
        for language, code in LANGUAGES.items():
            assert _text(name, language).casefold() == (comments[code] or "").casefold()
    assert f'"${{CLASSES}}\\{VIEW_SUFFIX}" "" "${{VIEW}}"' in SCRIPT
    for suffix in (".json", ".xml"):
        assert f'WriteRegNone HKCU "${{CLASSES}}\\{suffix}\\OpenWithProgids" "${{MODEL}}"' in SCRIPT
        assert f'WriteRegStr HKCU "${{CLASSES}}\\{suffix}"' not in SCRIPT


def test_the_installer_registers_the_scheme_of_links() -> None:
    """Removing the program removes the entry only if no other program has taken it over."""
    assert f'!define LINK "{SCHEME}"' in SCRIPT
    assert '!insertmacro WriteType "${LINK}" "$(LinkText)"' in SCRIPT
    assert 'WriteRegStr HKCU "${CLASSES}\\${LINK}" "URL Protocol" ""' in SCRIPT
    removal = SCRIPT.partition("Section Uninstall")[2]
    own = (
        """${If} $0 == '"$INSTDIR\\cdb-desktop.exe" "%1"'\n        DeleteRegKey HKCU "${CLASSES}\\${LINK}\""""
    )
    assert own in removal


def test_the_menu_entry_has_one_description() -> None:
    """That of the Linux packages."""
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]  # names are case-sensitive
    entry.read(RECIPES / "cdb-desktop.desktop", encoding="utf-8")
    main = entry["Desktop Entry"]
    assert _text("DescriptionText", "ENGLISH") == main["Comment"]
    assert _text("DescriptionText", "GERMAN") == main["Comment[de]"]


def _text(name: str, language: str) -> str:
    found = re.search(rf'^LangString {name} \${{LANG_{language}}} "(.*)"$', SCRIPT, re.MULTILINE)
    assert found
    return found[1]


# Under Wine

MENU = "AppData/Roaming/Microsoft/Windows/Start Menu/Programs"


class Wine:
    """An empty Windows 10 in a folder."""

    def __init__(self, folder: Path, display: str) -> None:
        self._environment: Mapping[str, str] = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "USER": "wine",
            "DISPLAY": display,
            "WINEPREFIX": str(folder / "prefix"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree=;mshtml=",
        }
        self.drive = folder / "prefix/drive_c"
        self.run("wineboot", "--init")
        self.run("winecfg", "/v", "win10")

    @property
    def user(self) -> Path:
        """The folder of the user."""
        return next(path for path in self.drive.glob("users/*") if (path / "AppData").is_dir())

    @property
    def folder(self) -> Path:
        """Where programs are installed if no other folder is given."""
        return self.user / "AppData/Local/Programs/CDB Desktop"

    @property
    def shortcuts(self) -> set[str]:
        """The names in the start menu."""
        return {path.stem for path in (self.user / MENU).glob("CDB*.lnk")}

    def run(self, *command: str | Path) -> int:
        """Runs a program to its end and returns its exit code."""
        return self.start(*command).wait(120)

    def start(self, *command: str | Path) -> subprocess.Popen[bytes]:
        """Starts a program."""
        return subprocess.Popen(
            ["wine", *command], env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def install(self, setup: Path, *, to: str = "") -> int:
        """Installs silently, into a folder of the drive if it is given."""
        return self.run(setup, "/S", *([f"/D=C:\\{to}"] if to else []))

    def uninstall(self, folder: Path) -> int:
        """Uninstalls silently; the uninstaller goes on in a copy of itself."""
        code = self.run(folder / "uninstall.exe", "/S")
        self.end()
        return code

    def is_registered(self, name: str) -> bool:
        """Whether there is a key of the user's registry below ``Software``."""
        return self.run("reg", "query", f"HKCU\\Software\\{name}") == 0

    def end(self) -> None:
        """Waits for all programs."""
        subprocess.run(["wineserver", "--wait"], env=self._environment, check=True, timeout=60)


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wine]:
    """Wine with a display of its own."""
    for tool in ("wine", "wineserver", "Xvfb", "makensis", "x86_64-w64-mingw32-gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    reading, writing = os.pipe()
    display = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing)], pass_fds=[writing], stderr=subprocess.DEVNULL
    )
    try:
        os.close(writing)
        number = os.read(reading, 20).decode().strip()
        made = Wine(tmp_path_factory.mktemp("wine"), f":{number}")
        yield made
        made.end()
    finally:
        os.close(reading)
        display.terminate()
        display.wait()


@pytest.fixture
def setups(windows: ModuleType, tmp_path: Path) -> tuple[Path, Path]:
    """Installers of two versions of a small program, of which the second has fewer files."""
    made = []
    for version, names in (("1.0", ("old.dll", "lib/cdb_desktop/old one.py")), ("2.0", ())):
        tree = tmp_path / version / "tree"
        (tree / "lib/cdb_desktop").mkdir(parents=True)
        source = tmp_path / "stand_in.c"
        source.write_text(STAND_IN, encoding="utf-8")
        program = tree / "cdb-desktop.exe"
        subprocess.run(["x86_64-w64-mingw32-gcc", "-o", program, source], check=True)
        for name in ("cdb-server.exe", "python.exe", "pythonw.exe"):
            shutil.copy(program, tree / name)
        for name in ("LICENSE.txt", "lib/cdb_desktop/new.py", *names):
            (tree / name).write_text(version, encoding="utf-8")
        made.append(tmp_path / f"{version}.exe")
        windows.make_setup(tree, made[-1], version, 1_700_000_000, 1)
    return made[0], made[1]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_installers_install_upgrade_and_remove(wine: Wine, setups: tuple[Path, Path]) -> None:
    """Files that are gone and nothing of the user's are removed; a folder of others is refused."""
    files = {"LICENSE.txt", "cdb-desktop.exe", "cdb-server.exe", "python.exe", "pythonw.exe", "uninstall.exe"}
    assert wine.install(setups[0]) == 0
    assert set(_files(wine.folder)) == {
        *files, "old.dll", "lib/cdb_desktop/new.py", "lib/cdb_desktop/old one.py"
    }  # fmt: skip
    assert wine.shortcuts == {"CDB Desktop", "CDB Desktop with demo data"}
    assert wine.is_registered("Classes\\CDBDesktop.View")
    assert wine.is_registered("Classes\\cdb")

    running = wine.start(wine.folder / "cdb-desktop.exe", "8000")
    time.sleep(3)
    assert wine.install(setups[1]) == 0  # after it has ended
    assert running.wait(10) == 0
    assert set(_files(wine.folder)) == {*files, "lib/cdb_desktop/new.py"}
    assert (wine.folder / "lib/cdb_desktop/new.py").read_text(encoding="utf-8") == "2.0"

    data = wine.user / "AppData/Local/cdb-desktop/settings.ini"
    for path in (data, wine.folder / "mine.txt"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine", encoding="utf-8")
    assert wine.uninstall(wine.folder) == 0
    assert _files(wine.folder) == ["mine.txt"]
    assert data.exists()
    assert not wine.shortcuts
    for name in (
        "Classes\\CDBDesktop.View",
        "Classes\\cdb",
        "Classes\\.cdbview",
        "Classes\\Applications\\cdb-desktop.exe",
    ):
        assert not wine.is_registered(name)

    assert wine.install(setups[1]) == 2
    assert _files(wine.folder) == ["mine.txt"]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_another_folder_replaces_the_first(wine: Wine, setups: tuple[Path, Path]) -> None:
    """A user has one version, wherever it is."""
    assert wine.install(setups[0], to="first") == 0
    assert wine.install(setups[1], to="second") == 0
    assert not (wine.drive / "first").exists()
    assert wine.uninstall(wine.drive / "second") == 0
    assert not (wine.drive / "second").exists()


def _files(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_installers_are_equal() -> None:
    """All that two builds write is."""
    for tool in ("makensis", "x86_64-w64-mingw32-gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    made = []
    for _ in range(2):
        subprocess.run([ROOT / "packaging/build", "windows", "--fast"], check=True, stdin=subprocess.DEVNULL)
        made.append((ROOT / "dist/SHA256SUMS").read_text(encoding="utf-8"))
    assert made[0] == made[1]
