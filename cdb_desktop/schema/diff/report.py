"""Reports on the changes between two documents, grouped by tables, as HTML or Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.schema.diff.compare import Change, risk_text, summary
from cdb_desktop.schema.document.element_ref import table_key_of
from cdb_desktop.schema.document.json_values import shown_value
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import table_name

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid #8886; }
td:first-child { width: 1.2rem; font-weight: bold; text-align: center; }
.note { opacity: .75; } .risk2 { color: #c62828; } .risk1 { color: #9a6700; }
@media (prefers-color-scheme: dark) { .risk2 { color: #ff8a80; } .risk1 { color: #e3b341; } }
"""
_MARKDOWN_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#"})


@dataclass(frozen=True, slots=True)
class Review:
    """The changes from one document to another; ``notes`` are lines on both, such as who committed them."""

    old: Document
    new: Document
    old_name: str
    new_name: str
    changes: Sequence[Change]
    notes: Mapping[str, str] = field(default_factory=dict)

    def groups(self) -> dict[str, list[Change]]:
        """The changes by the name of the table, empty for those of the document itself."""
        found: dict[str, list[Change]] = {}
        for change in self.changes:
            found.setdefault(group_name(self.old, self.new, change), []).append(change)
        return found


def group_name(old: Document, new: Document, change: Change) -> str:
    """The name of the table that a change is in, as it is now; empty for the document itself."""
    key = table_key_of(change.ref)
    if key is None:
        return ""
    return table_name(new if key in new.by_key else old, key)


def value_texts(change: Change, old: Document, new: Document) -> tuple[str, str]:
    """The values before and after, empty where there is none."""
    if change.option in ("target", "owned_by"):
        keys = ((old, change.before), (new, change.after))
        before, after = (table_name(one, key) if isinstance(key, int) else "" for one, key in keys)
        return before, after
    if change.sign not in ("+", "−", "→") and change.option == "" and not isinstance(change.before, str):
        return "", ""
    before, after = ("" if value is None else shown_value(value) for value in (change.before, change.after))
    return before, after


def html_report(review: Review) -> str:
    """A page that needs no other file."""
    title = _title(review)
    parts = [
        f'<!DOCTYPE html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">',
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>",
    ]
    parts += [f'<p class="note">{escape(name)}: {escape(text)}</p>' for name, text in review.notes.items()]
    parts.append(f"<p>{escape(_counts(review.changes))}</p>")
    head = "".join(
        f"<th>{escape(text)}</th>" for text in ("", tr("Change"), tr("Before"), tr("After"), tr("Risk"))
    )
    for name, changes in review.groups().items():
        parts.append(f"<h2>{escape(name or tr('The model'))}</h2>\n<table>\n<tr>{head}</tr>")
        for change in changes:
            cells = (change.sign, str(change.message), *value_texts(change, review.old, review.new))
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            risk = f'<td class="risk{int(change.risk)}">{escape(risk_text(change.risk))}</td>'
            parts.append(f"<tr>{row}{risk}</tr>")
        parts.append("</table>")
    parts.append("</body>\n</html>\n")
    return "\n".join(parts)


def markdown_report(review: Review) -> str:
    """The same as Markdown, for pull requests and tickets."""
    lines = [f"# {_escaped(_title(review))}", ""]
    lines += [f"{_escaped(name)}: {_escaped(text)}  " for name, text in review.notes.items()]
    lines += ["", _escaped(_counts(review.changes)), ""]
    for name, changes in review.groups().items():
        lines += [f"## {_escaped(name or tr('The model'))}", ""]
        for change in changes:
            risk = risk_text(change.risk)
            note = f" — **{_escaped(risk)}**" if risk else ""
            lines.append(f"- `{change.sign}` {_escaped(str(change.message))}{note}")
        lines.append("")
    return "\n".join(lines)


def _title(review: Review) -> str:
    return tr("Data model: {old} → {new}", old=review.old_name, new=review.new_name)


def _counts(changes: Iterable[Change]) -> str:
    counts = [str(count) for count in summary(changes)]
    return ", ".join(counts) if counts else tr("No differences.")


def _escaped(text: str) -> str:
    return text.translate(_MARKDOWN_SPECIAL).replace("\n", " ")
