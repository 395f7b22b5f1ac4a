"""The lowest layer of the desktop program: files, packaged resources, lazy imports."""
