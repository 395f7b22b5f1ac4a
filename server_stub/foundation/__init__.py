"""The lowest layer: error objects, times, data files, secrets kept out of texts."""
