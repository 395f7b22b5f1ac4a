"""Tests of the desktop's widgets."""
