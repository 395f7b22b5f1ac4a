"""The dialect of generation 5, which the contract describes."""
