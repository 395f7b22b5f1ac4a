"""Exports the German texts as a PO file, which Poedit and Weblate open, and imports such a file::

    .venv/bin/python packaging/translations.py export de.po
    .venv/bin/python packaging/translations.py import de.po

Each entry names the file in ``resources/translations/de`` that it belongs to. Texts that are not translated
are left out of that file, so that they stay English.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import polib

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "translations" / "de"
PLURAL = "{name:one|other}: the first text is shown if the number is 1, the second one otherwise."
MNEMONIC = "The character after & is the key of the entry."


def exported(folder: Path = FOLDER) -> polib.POFile:
    """The texts of all files in a folder."""
    po = polib.POFile()
    po.metadata = {"Language": "de", "MIME-Version": "1.0", "Content-Type": "text/plain; charset=UTF-8"}
    for file in sorted(folder.glob("*.json")):
        for text, translated in json.loads(file.read_text(encoding="utf-8")).items():
            variants = {"": translated} if isinstance(translated, str) else translated
            for context, german in variants.items():
                comment = "\n".join(note for mark, note in (("|", PLURAL), ("&", MNEMONIC)) if mark in text)
                occurrences = [(file.name, "")]
                po.append(
                    polib.POEntry(
                        msgid=text,
                        msgstr=german,
                        msgctxt=context or None,
                        comment=comment,
                        occurrences=occurrences,
                    )
                )
    return po


def write(po: polib.POFile, folder: Path = FOLDER) -> None:
    """Writes the translated texts into the files that they belong to."""
    files: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for entry in po.translated_entries():
        files[entry.occurrences[0][0]][entry.msgid][entry.msgctxt or ""] = entry.msgstr
    for name, texts in files.items():
        content = {
            text: variants[""] if list(variants) == [""] else variants
            for text, variants in sorted(texts.items())
        }
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in {"export", "import"}:
        sys.exit(__doc__)
    if sys.argv[1] == "export":
        exported().save(sys.argv[2])
    else:
        write(polib.pofile(sys.argv[2]))
