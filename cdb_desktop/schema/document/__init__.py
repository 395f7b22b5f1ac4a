"""The schema document: its values, names, types of columns, and JSON form."""
