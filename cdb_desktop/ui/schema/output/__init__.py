"""Output of the diagram: files, paper and the clipboard."""
