"""Tests of the OpenAPI description."""
