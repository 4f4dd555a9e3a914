"""The dictionary: every metric, chip, engine, model and offload word is declared here, once. No I/O."""
