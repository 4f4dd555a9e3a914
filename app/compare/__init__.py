"""Series of a view against each other, fair at equal service: same x, same bounds, same load."""
