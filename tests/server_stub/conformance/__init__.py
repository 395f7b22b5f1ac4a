"""Tests of `cdb-server conform`: the reference server passes, and deviating services are reported."""
