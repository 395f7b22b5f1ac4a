"""Paints PDF files in slices, so that the window reacts meanwhile.

Qt compresses a page as a whole when it ends: 13 MB for 1,000 tables, for which the window would wait. So each
page is painted as several pages, one slice each, and at the end the file gets an update, as PDF provides
for, in which the pages are joined: a page may have several contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QBuffer
from PySide6.QtGui import QPdfWriter
from PySide6.QtWidgets import QGraphicsItem

from cdb_desktop.ui.schema.output.picture import PaintListener, Steps

_ITEMS = 50  # tables and links in a slice
_ENTRY = 20  # bytes in a table of objects
_SECTION = re.compile(rb"/(\w+) <<\n((?:/[^\n]*\n)*)>>")


class PdfFile(PaintListener):
    """A file in memory, into whose ``writer`` pages are painted."""

    def __init__(self, dots: int, title: str) -> None:
        """``dots`` per inch are the units of painters."""
        self._buffer = QBuffer()
        self._buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        self.writer = QPdfWriter(self._buffer)
        self.writer.setResolution(dots)
        self.writer.setTitle(title)
        self.writer.setCreator("CDB Desktop")
        self._items = 0
        self._slices = [1]  # of each page

    def item(self, _item: QGraphicsItem | None) -> None:
        self._items += 1

    def sliced(self, steps: Steps) -> Steps:
        """The same steps; a slice ends after some items."""
        for done in steps:
            if self._items >= _ITEMS:
                self._items = 0
                self._slices[-1] += 1
                self.writer.newPage()
            yield done

    def new_page(self) -> bool:
        """Begins the next page. Returns whether that was possible."""
        self._items = 0
        self._slices.append(1)
        return self.writer.newPage()

    @property
    def content(self) -> bytes:
        """The file, after the painter has ended."""
        content = bytes(self._buffer.data().data())
        return content if max(self._slices) == 1 else _joined(content, self._slices)


def _joined(content: bytes, counts: Iterable[int]) -> bytes:
    """The file with so many pages each joined to one."""
    objects = _Objects(content)
    catalog = objects.number(objects.trailer, b"Root")
    tree = objects.number(objects[catalog], b"Pages")
    kids = re.search(rb"/Kids\s*\[([^]]*)\]", objects[tree])
    waiting = [int(number) for number in re.findall(rb"(\d+) 0 R", kids[1] if kids else b"")]
    # What a content sets at its beginning would be added to what the ones before have set.
    save, restore = (objects.add(_stream(operator)) for operator in (b"q\n", b"\nQ\n"))
    pages = []
    for count in counts:
        slices, waiting = [objects[number] for number in waiting[:count]], waiting[count:]
        numbers = [(save, objects.number(each, b"Contents"), restore) for each in slices]
        contents = b" ".join(b"%d 0 R" % number for each in numbers for number in each)
        resources = objects.add(_united(objects[objects.number(each, b"Resources")] for each in slices))
        page = re.sub(rb"/Contents \d+ 0 R", b"/Contents [%s]" % contents, slices[0])
        page = re.sub(rb"/Resources \d+ 0 R", b"/Resources %d 0 R" % resources, page)
        pages.append(objects.add(page))
    kids_now = b" ".join(b"%d 0 R" % page for page in pages)
    objects.replace(tree, b"\n<<\n/Type /Pages\n/Kids [%s]\n/Count %d\n>>\n" % (kids_now, len(pages)))
    return objects.updated()


def _stream(content: bytes) -> bytes:
    return b"\n<<\n/Length %d\n>>\nstream\n%s\nendstream\n" % (len(content), content)


def _united(resources: Iterable[bytes]) -> bytes:
    """All resources; their names contain the numbers of objects, so that none is there twice."""
    sections: dict[bytes, dict[bytes, None]] = {}
    for each in resources:
        for name, lines in _SECTION.findall(each):
            sections.setdefault(name, {}).update(dict.fromkeys(lines.splitlines(keepends=True)))
    parts = (b"/%s <<\n%s>>\n" % (name, b"".join(lines)) for name, lines in sections.items())
    return b"\n<<\n%s>>\n" % b"".join(parts)


class _Objects:
    """The objects of a file, and those of an update."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._table = int(content[content.rindex(b"startxref") :].split()[1])
        head = re.compile(rb"xref\s+0 (\d+)\s+").match(content, self._table)
        if head is None:
            raise ValueError("not the table of objects that Qt writes")
        self._count = int(head[1])
        self._entries = head.end()
        self.trailer = content[content.rindex(b"trailer") : content.rindex(b"startxref")]
        self._new: dict[int, bytes] = {}

    def __getitem__(self, number: int) -> bytes:
        at = self._entries + number * _ENTRY
        start = self._content.index(b"obj", int(self._content[at : at + 10])) + len(b"obj")
        return self._content[start : self._content.index(b"endobj", start)]

    @staticmethod
    def number(part: bytes, name: bytes) -> int:
        """The number of the object that a dictionary refers to by a name."""
        found = re.search(rb"/%s (\d+) 0 R" % name, part)
        if found is None:
            raise ValueError(f"no {name.decode()}")
        return int(found[1])

    def add(self, content: bytes) -> int:
        """Adds an object. Returns its number."""
        number = self._count
        self._count += 1
        self._new[number] = content
        return number

    def replace(self, number: int, content: bytes) -> None:
        """Replaces an object."""
        self._new[number] = content

    def updated(self) -> bytes:
        """The file with the update at its end."""
        parts, at = [self._content], len(self._content)
        table = [b"xref\n"]
        for number, content in self._new.items():
            parts.append(b"%d 0 obj%sendobj\n" % (number, content))
            table.append(b"%d 1\n%010d 00000 n \n" % (number, at))
            at += len(parts[-1])
        trailer = re.sub(rb"/Size \d+", b"/Size %d\n/Prev %d" % (self._count, self._table), self.trailer)
        return b"".join([*parts, *table, trailer, b"startxref\n%d\n%%%%EOF\n" % at])
