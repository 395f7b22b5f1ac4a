"""The lowest layer: error objects, times, data files, masking of secrets."""
