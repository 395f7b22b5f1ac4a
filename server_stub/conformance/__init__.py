"""Checks whether a deployed service agrees with the interface (`cdb-server conform`)."""
