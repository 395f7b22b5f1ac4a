"""Reviews of the changes between two documents: reverting single ones, and reports."""
