"""Topics of the manual as HTML: Markdown with markers for names, keys and texts of the program."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from PySide6.QtGui import QKeySequence

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import ActionSpec, action_specs, plain
from cdb_desktop.vocabulary.error_messages import find_entry
from cdb_desktop.vocabulary.manual import MARKER

# Returns where a link or picture, given as in the text, leads to.
LinkTarget = Callable[[str], str]

_ARROW = " › "


class MarkerNames:
    """What markers are shown as, in the language in use."""

    def __init__(self) -> None:
        self._specs = {spec.name: spec for spec in action_specs()}

    def text(self, kind: str, value: str) -> str:
        """As plain text. Raises KeyError if there is no such action or error."""
        name, key = self._parts(kind, value)
        return f"{name} ({key})" if name and key else name or key

    def html(self, kind: str, value: str) -> str:
        """As HTML: names are bold, keys and queries have a border or ground of their own."""
        name, key = map(escape, self._parts(kind, value))
        tag = "code" if kind in ("query", "example") else "strong"
        shown_key = f"<kbd>{key}</kbd>" if kind != "error" else f"<code>{key}</code>"
        parts = [f"<{tag}>{name}</{tag}>"] if name else []
        if key:
            parts.append(f"({shown_key})" if name else shown_key)
        return " ".join(parts)

    def _parts(self, kind: str, value: str) -> tuple[str, str]:
        """The name, and the key or code after it; either may be empty."""
        match kind:
            case "action":
                return _name(self._specs[value].text), _key(self._specs[value])
            case "menu":
                spec = self._specs[value]
                return _ARROW.join(_name(part) for part in (spec.menu, spec.group, spec.text) if part), ""
            case "key":
                return "", _key(self._specs[value])
            case "text":
                return _name(tr(value)), ""
            case "error":
                entry = find_entry(value)
                if entry is None:
                    raise KeyError(value)
                return entry.explanation.title, entry.code
        return value, ""


def _name(text: str) -> str:
    """The text without mnemonic, and without the ellipsis that promises a dialog."""
    return plain(text).removesuffix("…")


def _key(spec: ActionSpec) -> str:
    return QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)


def topic_html(markdown: str, names: MarkerNames, target: LinkTarget) -> str:
    """The HTML of a topic. Its headings have the ids ``s0``, ``s1`` and so on, the same in all languages.

    Raises KeyError for a marker of something that does not exist.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.inline.ruler.push("marker", _read_marker)
    # markdown-it-py calls the function as a method of its renderer.
    parser.add_render_rule("marker", lambda _self, tokens, place, *_: names.html(*_marker(tokens[place])))
    tokens = parser.parse(markdown)
    headings = [token for token in tokens if token.type == "heading_open"]
    for number, heading in enumerate(headings):
        heading.attrSet("id", f"s{number}")
    for token in (child for one in tokens for child in one.children or ()):
        attribute = {"link_open": "href", "image": "src"}.get(token.type)
        if attribute is not None:
            token.attrSet(attribute, target(str(token.attrGet(attribute))))
        for marker in (one for one in token.children or () if one.type == "marker"):
            marker.type, marker.content = "text", names.text(*_marker(marker))  # of alternative texts
    html = str(parser.renderer.render(tokens, parser.options, {}))
    return html.replace("\n</code></pre>", "</code></pre>")  # Qt would show an empty line


def _marker(token: Token) -> tuple[str, str]:
    return str(token.meta["kind"]), token.content


def _read_marker(state: StateInline, silent: bool) -> bool:
    found = MARKER.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("marker", "", 0)
        token.meta["kind"], token.content = found.groups()
    state.pos = found.end()
    return True
