"""The manual as a static web site in both languages, made by Sphinx with MyST from `resources/manual`.

It needs no server: search runs in the browser, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import Language, use_language
from cdb_desktop.ui.shell.manual.markup import MarkerNames, topic_markdown
from cdb_desktop.vocabulary.manual import Chapter, contents, topic_text

HERE = Path(__file__).resolve().parent
# Actions are started by the window of the manual only.
_SHOW = re.compile(r" *\[[^\]]*\]\(show:[^)]*\)")
_TOPIC_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([a-z0-9-]+)\)")
_TITLES = {"en": "CDB Desktop manual", "de": "Handbuch von CDB Desktop"}


def build(target: Path, work: Path, version: str) -> None:
    """Writes the site into the folder ``target``; ``work`` is for its sources.

    Raises subprocess.CalledProcessError if Sphinx warns, such as of a broken link.
    """
    shutil.rmtree(target, ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
    app = QCoreApplication.instance() or QCoreApplication(sys.argv[:1])
    for language in get_args(Language):
        source = work / language
        # Qt translates the names of keys.
        texts = QTranslator()
        texts.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        app.installTranslator(texts)
        _write_sources(source, language)
        app.removeTranslator(texts)
        settings = {
            "language": language,
            "html_title": _TITLES[language],
            "release": version,
            "templates_path": str(HERE / "manual/templates"),
        }
        options = [argument for pair in settings.items() for argument in ("-D", "=".join(pair))]
        subprocess.run(
            [
                sys.executable, "-P", "-m", "sphinx", "--quiet", "--fail-on-warning", "--builder", "html",
                "--conf-dir", str(HERE / "manual"), "--doctree-dir", str(work / f"{language}.doctrees"),
                *options, str(source), str(target / language),
            ],
            check=True, stdin=subprocess.DEVNULL, cwd=work,
        )  # fmt: skip
        (target / language / ".buildinfo").unlink()
    _translate(target / "de")
    shutil.copy(HERE / "manual/start.html", target / "index.html")


def _translate(folder: Path) -> None:
    """Translates the texts of the theme that has no German."""
    texts = json.loads((HERE / "manual/texts-de.json").read_text(encoding="utf-8"))
    pattern = re.compile(rf'(>\s*|(?:title|aria-label|alt)=")({"|".join(map(re.escape, texts))})(\s*<|")')
    for page in folder.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(pattern.sub(lambda found: f"{found[1]}{texts[found[2]]}{found[3]}", text), "utf-8")


def _write_sources(folder: Path, language: Language) -> None:
    use_language(language, lambda value, decimals: f"{value:.{decimals}f}")
    names = MarkerNames()
    folder.mkdir(parents=True)
    for topic in contents().topics:
        text = _SHOW.sub("", topic_text(topic.name, language))
        text = _TOPIC_LINK.sub(r"[\1](\2.md)", topic_markdown(text, names))
        (folder / f"{topic.name}.md").write_text(text, encoding="utf-8")
    pictures = resource(f"manual/pictures/{language}")
    if pictures.is_dir():
        shutil.copytree(pictures, folder / "pictures")
    lists = "\n".join(_toctree(chapter, language) for chapter in contents().chapters)
    (folder / "index.md").write_text(f"# {_TITLES[language]}\n\n{lists}", encoding="utf-8")


def _toctree(chapter: Chapter, language: Language) -> str:
    names = "\n".join(topic.name for topic in chapter.topics)
    return f"```{{toctree}}\n:caption: {chapter.titles[language]}\n:maxdepth: 1\n\n{names}\n```\n"
