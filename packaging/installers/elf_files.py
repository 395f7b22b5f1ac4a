"""Makes the shared libraries of a bundle smaller, and checks what they need. Linux, 64 bit."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_PAGE = 0x1000
_LOAD = 1
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
# auditwheel renames what it copies into a wheel, such as libxcb-5ddf6756.so.1.1.0.
_RENAMED = re.compile(r"-[0-9a-f]{8}\.(?:so|\d)")


@dataclass(frozen=True)
class _Segment:
    """An entry of the table of segments."""

    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    in_file: int
    in_memory: int
    alignment: int


def libraries(bundle: Path) -> Iterator[Path]:
    """All programs and shared libraries below a folder."""
    for path in sorted(bundle.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(5) == b"\x7fELF\x02":
                    yield path


def remove_unneeded(bundle: Path) -> list[str]:
    """Removes libraries of the system that nothing in the bundle needs, and returns their names.

    PyInstaller collects them for files that are left out, such as Qt's plugin for GTK, if the machine of the
    build has them. They lie beside Python's; those of wheels have folders of their own and stay.
    """
    folder = bundle / "_internal"
    needs = {path: set(needed(path)) for path in libraries(bundle)}
    removable = {
        path.name: path
        for path in needs
        if path.parent == folder and path.name.startswith("lib") and not path.name.startswith("libpython")
    }
    waiting = [path for path in needs if path not in removable.values()]
    while waiting:
        found = needs[waiting.pop()] & removable.keys()
        waiting.extend(removable.pop(name) for name in found)
    for path in removable.values():
        path.unlink()
    return sorted(removable)


def shrink(bundle: Path) -> int:
    """Removes symbols for debuggers and padding; returns the bytes that were saved.

    Qt stays as its wheel has it: its license asks to say so where it is changed.
    """
    saved = 0
    for path in libraries(bundle / "_internal"):
        if "PySide6" in path.parts:
            continue
        before = path.stat().st_size
        # `strip` breaks libraries whose segments patchelf has moved; those have renamed neighbours.
        if path.parent.name.endswith(".libs") or any(map(_RENAMED.search, needed(path))):
            content = without_padding(path.read_bytes())
            if len(content) < before:
                path.write_bytes(content)
        else:
            subprocess.run(["strip", "--strip-unneeded", "--preserve-dates", path], check=True)
        saved += before - path.stat().st_size
    return saved


def without_padding(content: bytes) -> bytes:
    """The library with its segments moved together.

    Wheels built for pages of 2 MB have up to 6 MB of zeros in each library. A segment must keep its place
    within a page, which has 4 KB on this platform. The table of sections, which only debuggers read, is
    dropped.
    """
    header = list(_HEADER.unpack_from(content))
    table, entry_size, count = header[5], header[9], header[10]
    segments = [_Segment(*_SEGMENT.unpack_from(content, table + entry_size * i)) for i in range(count)]
    result = bytearray()
    moved: list[tuple[_Segment, int]] = []
    for each in sorted((each for each in segments if each.kind == _LOAD), key=lambda each: each.offset):
        place = len(result) + (each.address - len(result)) % _PAGE
        result += bytes(place - len(result)) + content[each.offset : each.offset + each.in_file]
        moved.append((each, place))

    def new_offset(offset: int) -> int:
        for load, place in moved:
            if load.offset <= offset < load.offset + load.in_file:
                return place + offset - load.offset
        raise ValueError(f"offset {offset} lies in no loaded segment")

    if any(each.in_file and each.kind != _LOAD and not _is_loaded(each, moved) for each in segments):
        return content
    places = {id(load): place for load, place in moved}
    header[5] = new_offset(table)
    header[6] = header[11] = header[12] = header[13] = 0
    for index, each in enumerate(segments):
        if each.kind == _LOAD:
            new = replace(each, offset=places[id(each)], alignment=_PAGE)
        else:
            new = replace(each, offset=new_offset(each.offset)) if each.in_file else each
        _SEGMENT.pack_into(result, header[5] + entry_size * index, *vars(new).values())
    _HEADER.pack_into(result, 0, *header)
    return bytes(result)


def _is_loaded(segment: _Segment, moved: list[tuple[_Segment, int]]) -> bool:
    end = segment.offset + segment.in_file
    return any(load.offset <= segment.offset and end <= load.offset + load.in_file for load, _ in moved)


def needed(path: Path) -> list[str]:
    """The names of the libraries that a library needs."""
    listed = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listed)


def unresolved(bundle: Path) -> dict[str, list[str]]:
    """What the libraries of a bundle need and is not in it: names, with the files that need them."""
    found: dict[str, list[str]] = {}
    names = {path.name for path in (bundle / "_internal").rglob("*.so*")}
    for path in libraries(bundle):
        for name in needed(path):
            if name not in names:
                found.setdefault(name, []).append(str(path.relative_to(bundle)))
    return found
