"""What became of numbers: between two snapshots, against a baseline, and from run to run."""
