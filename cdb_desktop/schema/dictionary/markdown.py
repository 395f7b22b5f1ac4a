"""The dictionary as Markdown, as GitHub, GitLab and most wikis show it."""

import re
from collections.abc import Iterator

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.dictionary.contents import ColumnEntry, Dictionary, TableEntry
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.vocabulary.times import day_and_time

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$])")
_ANCHOR = re.compile(r"[^\w\- ]")
_LINE_START = re.compile(r"^(\d+)([.)])|^([-=>])")


def write_markdown(dictionary: Dictionary) -> str:
    """The text."""
    return "\n".join(_lines(dictionary)) + "\n"


def _lines(dictionary: Dictionary) -> Iterator[str]:
    source = dictionary.source
    yield f"# {_text(source.title)}\n"
    yield f"{_text(dictionary.counts)} · {_text(tr('as of {time}', time=day_and_time(source.made_at)))}\n"
    if source.base is not None:
        yield f"## {_text(tr('Changes since {version}', version=source.base_name))}\n"
        for change in dictionary.changes:
            yield f"- {_text(change.sign)} {_text(str(change.message))}"
        if not dictionary.changes:
            yield _text(tr("There are none."))
        yield ""
    yield f"## {_text(tr('Tables'))}\n"
    for table in dictionary.tables:
        names = ", ".join(dict.fromkeys(table.localized.values()))
        note = f" – {_text(names)}" if names else ""
        yield f"{'  ' * min(table.depth, 5)}- {_link(table.name)}{note}"
    for table in dictionary.tables:
        yield from _table(dictionary, table)


def _table(dictionary: Dictionary, table: TableEntry) -> Iterator[str]:
    yield f"\n## {_text(table.name)}\n"
    if table.localized:
        yield " · ".join(f"{_text(text)} ({_text(key)})" for key, text in table.localized.items()) + "\n"
    if table.comment:
        yield f"{_start(table.comment)}\n"
    facts = [_text(option) for option in table.options]
    if table.owner is not None:
        facts.insert(0, f"{_text(tr('nested in'))} {_link(table.owner[1])}")
    if facts:
        yield f"{' · '.join(facts)}\n"
    if table.columns:
        heads = [tr("Column"), *dictionary.languages, tr("Type"), tr("Properties")]
        yield f"| {' | '.join(map(_text, heads))} |"
        yield f"|{'---|' * len(heads)}"
        for column in table.columns:
            names = [_text(column.localized.get(key, "")) for key in dictionary.languages]
            cells = [
                _text(f"{column.sign} {column.name}".strip()),
                *names,
                _type(column),
                _text(column.properties),
            ]
            yield f"| {' | '.join(cells)} |"
        yield ""
    if table.unique_keys:
        yield f"{_text(tr('Unique:'))} {', '.join(map(_text, table.unique_keys))}\n"
    if table.links_here:
        places = (f"{_link(name)}.{_text(column)}" for _, name, column in table.links_here)
        yield f"{_text(tr('Linked from:'))} {', '.join(places)}\n"


def _type(column: ColumnEntry) -> str:
    if column.target is None:
        return _text(column.type)
    link = _link(column.target_name)
    return f"→ {link}" if column.type == "link" else f"{_text(column.type)} {link}"


def _link(name: str) -> str:
    """A link to the heading of a table, whose anchor is made as GitHub makes it."""
    anchor = _ANCHOR.sub("", plain_text(name).lower()).replace(" ", "-")
    return f"[{_text(name)}](#{anchor})"


def _text(text: str) -> str:
    """The text on one line without any meaning in Markdown or HTML."""
    return _SPECIAL.sub(r"\\\1", plain_text(text)).replace("&", "&amp;")


def _start(text: str) -> str:
    """The same at the start of a line, where numbers and dashes begin lists."""
    return _LINE_START.sub(lambda found: f"{found[1] or ''}\\{found[2] or found[3]}", _text(text))
