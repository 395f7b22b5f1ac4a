"""Tests of the problem report with a real pointer and keyboard."""
