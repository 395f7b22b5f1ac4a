"""The comparison of any two versions of the data model."""
