"""Did offload pay, where did the hits come from, would a slower tier help: worked out of the points of a view."""
