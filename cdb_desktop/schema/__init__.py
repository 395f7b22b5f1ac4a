"""What the schema editor knows: document, edits, history, validation, diff, diagram. No Qt, no HTTP."""
