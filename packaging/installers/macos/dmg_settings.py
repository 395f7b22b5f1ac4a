"""The window of the disk image, for dmgbuild: the application, and the folder that it is dragged into."""

from pathlib import Path

# dmgbuild runs this file with the values of its option -D.
_application = defines["application"]  # type: ignore[name-defined]  # noqa: F821

format = "ULMO"  # noqa: A001  # compressed with LZMA; macOS 10.15 and later
files = [_application]
symlinks = {"Applications": "/Applications"}
icon_locations = {Path(_application).name: (140, 130), "Applications": (420, 130)}
window_rect = ((200, 200), (560, 320))
icon_size = 96
