"""Answers Qt when it asks for a text in another language; knows not which language it is."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QObject, QTranslator

from cdb_desktop.ui.language.texts import Texts

_OWN_WORDS = "qtbase_de"  # what Qt itself says, such as in the menu of a text field


class Translator(QTranslator):
    """The program's German texts, and Qt's own for what the program does not say itself."""

    def __init__(self, texts: Texts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        self._qt = QTranslator(self)
        self._qt.load(_OWN_WORDS, QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))

    def isEmpty(self) -> bool:  # noqa: N802
        """An empty translator would not be asked."""
        return False

    def translate(
        self, context: str, source_text: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """The German text, None where there is none."""
        own = self._texts.get((context, source_text))
        return own or self._qt.translate(context, source_text, disambiguation, n) or None
