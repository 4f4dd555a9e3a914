"""What the files of an AIPerf run directory hold, file by file; `ingest.sources.aiperf` puts them together."""
