"""Tests of backups, migrations and snapshots."""
