"""Measurements as ratios to a floor taken in the same run."""
