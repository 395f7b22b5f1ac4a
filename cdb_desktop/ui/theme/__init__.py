"""Colours, measures, fonts and icons in light and dark; knows no widget."""
