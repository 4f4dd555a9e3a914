"""The Halo table: what its header may hold, how a cell is read, and how a row becomes a point."""
