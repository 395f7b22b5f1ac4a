"""Schema documents: their elements, names, ids and references, and the typed view of a complete one."""
