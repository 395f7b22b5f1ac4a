"""The logic of the schema editor, without Qt and HTTP."""
