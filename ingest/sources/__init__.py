"""Every format that Halo reads, one module each. Exactly one source may claim a file."""

from ingest.sources.base import Companion, Source
from ingest.sources.halo_table import HaloTable
from ingest.sources.inferencex import InferenceX
from ingest.sources.inferencex_power import InferenceXPower

SOURCES: tuple[Source | Companion, ...] = (InferenceX(), InferenceXPower(), HaloTable())
