"""The data dictionary: a schema as a document for readers, in HTML and Markdown."""
