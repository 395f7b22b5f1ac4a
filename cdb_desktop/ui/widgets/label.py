"""A label that shows its text as it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


class Label(QLabel):
    """A QLabel for plain text; every label of this program is one.

    QLabel guesses by the text whether it is HTML, and HTML from a service could load files of this machine or
    contact other hosts. Labels with rich text of our own call ``setTextFormat`` and escape all values. Labels
    and tooltips that Qt makes itself become plain in ``RowHighStyle.polish``; that alone would be too late
    here, since a layout may measure a label before it is polished.
    """

    def __init__(
        self,
        text: str | QWidget | None = None,
        parent: QWidget | None = None,
        *,
        wordWrap: bool = False,  # noqa: N803 - the name of Qt's property
    ) -> None:
        """Takes the text, the parent, or both, as QLabel does."""
        super().__init__(parent if text is None or isinstance(text, str) else text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wordWrap)
        if isinstance(text, str):
            self.setText(text)
