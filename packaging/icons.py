"""Renders the application's icon: PNG files for Linux, and the ico and icns files for Windows and macOS.

Run it after changing a file in ``resources/icons/application``::

    .venv/bin/python packaging/icons.py
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "packaging" / "icons"
PNG_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 256)
# The types of an icns file that hold a PNG, with their sizes in pixels; @2x types repeat a size.
ICNS_TYPES = (
    ("icp4", 16), ("icp5", 32), ("ic11", 32), ("ic12", 64), ("ic07", 128), ("ic13", 256), ("ic08", 256),
    ("ic14", 512), ("ic09", 512), ("ic10", 1024),
)  # fmt: skip


def main() -> int:
    """Writes all files."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication([])
    pictures = {side: png(side) for side in {*PNG_SIZES, *ICO_SIZES, *(side for _, side in ICNS_TYPES)}}
    TARGET.mkdir(exist_ok=True)
    for side in PNG_SIZES:
        (TARGET / f"{side}.png").write_bytes(pictures[side])
    (TARGET / "cdb-desktop.ico").write_bytes(ico({side: pictures[side] for side in ICO_SIZES}))
    (TARGET / "cdb-desktop.icns").write_bytes(icns([(name, pictures[side]) for name, side in ICNS_TYPES]))
    application.quit()
    return 0


def png(side: int) -> bytes:
    """The icon as PNG with this width and height."""
    from cdb_desktop.foundation.bundle import resource  # noqa: PLC0415
    from cdb_desktop.ui.theme.icons import application_picture  # noqa: PLC0415

    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        QSvgRenderer(str(resource(application_picture(side)))).render(painter, QRectF(0, 0, side, side))
    buffer = QBuffer()
    image.save(buffer, "PNG", 0)
    return bytes(buffer.data().data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """An ico file; all its pictures are PNG, which Windows reads since Vista."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    offset = len(head) + 16 * len(pictures)
    entries = b""
    for side, data in pictures.items():
        entries += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 32, len(data), offset)
        offset += len(data)
    return head + entries + b"".join(pictures.values())


def icns(pictures: list[tuple[str, bytes]]) -> bytes:
    """An icns file."""
    body = b"".join(name.encode() + struct.pack(">I", len(data) + 8) + data for name, data in pictures)
    return b"icns" + struct.pack(">I", len(body) + 8) + body


if __name__ == "__main__":
    sys.exit(main())
