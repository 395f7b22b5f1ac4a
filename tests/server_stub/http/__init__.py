"""Tests of the HTTP interface from inside; `tests/contract` calls it from outside."""
