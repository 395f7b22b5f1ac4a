"""The questions that a service asks before it commits, with its own texts, choices and buttons."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.client import CommitQuestion
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, demi_bold
from cdb_desktop.ui.widgets.form import Choice, Field, Form
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named

REINDEX, CONFIRM = "reindex", "confirm"  # the answers that the call takes
_LONGEST = 2000  # characters of a text of the service


class QuestionPanel(QWidget):
    """All questions below one another, with the buttons of all in one row.

    A button whose name is none of an answer ends the commit, such as one to cancel it. Where none goes on, or
    none ends it, there is a button of our own.

    Signals: ``answered`` with the answers by their names · ``declined`` when the commit is not to take place.
    """

    answered = Signal(object)
    declined = Signal()

    def __init__(self, appearance: Appearance, questions: Sequence[CommitQuestion], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.commit.questions")
        self._choices: dict[str, Choice] = {}
        self._layout = lay_out(QVBoxLayout(self), margins=(0, GAP, 0, 0), spacing=GAP)
        for question in questions:
            self._add_question(appearance, question)
        self._add_buttons(questions)

    def _add_question(self, appearance: Appearance, question: CommitQuestion) -> None:
        title, text = (
            Label(plain_text(each[:_LONGEST]), self, wordWrap=True)
            for each in (question.title, question.message)
        )
        title.setFont(demi_bold(title.font()))
        for label in (title, text):
            self._layout.addWidget(label)
        fields: list[Field] = []
        for field in question.form:
            if field.name in self._choices:
                continue  # an earlier question asks for it, and there is one answer
            choice = Choice({one.value: one.text for one in field.options if not one.disabled})
            self._choices[field.name] = choice
            fields.append(Field(field.name, choice, _shown(field.label)))
        if fields:
            self._layout.addWidget(Form(appearance, "schema.commit.question", *fields, parent=self))

    def _add_buttons(self, questions: Sequence[CommitQuestion]) -> None:
        answers = {REINDEX, CONFIRM, *self._choices}
        texts: dict[tuple[str, str], dict[str, None]] = {}
        for each in (button for question in questions for button in question.buttons if not button.hidden):
            texts.setdefault((each.name, each.value), {})[each.text] = None
        found = {answer: " / ".join(each) for answer, each in texts.items()}
        if all(name in answers for name, _ in found):
            found = {("", ""): tr("Cancel"), **found}
        if not any(name in answers for name, _ in found):
            found[CONFIRM, "yes"] = tr("Commit anyway")
        row = QHBoxLayout()
        row.addStretch(1)
        for (name, value), text in found.items():
            button = named(f"schema.commit.answer.{name}", QPushButton(_shown(text), self, autoDefault=False))
            does = partial(self._answer, name, value) if name in answers else self.declined.emit
            button.clicked.connect(lambda _on, does=does: does())
            row.addWidget(button)
        self._layout.addLayout(row)

    def _answer(self, name: str, value: str) -> None:
        chosen = {field: str(choice.value) for field, choice in self._choices.items() if choice.value}
        self.answered.emit({**chosen, name: value})


def _shown(text: str) -> str:
    """A text of the service as a label or on a button, without mnemonics."""
    return plain_text(text[:_LONGEST]).replace("&", "&&")
