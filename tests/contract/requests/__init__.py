"""Tests of conventions that all calls share: parameters, headers, limits, errors."""
