"""From result files to points."""
