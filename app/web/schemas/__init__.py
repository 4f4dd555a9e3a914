"""The shape of every answer, for the OpenAPI document and for tests. Answers themselves are bytes, not models."""
