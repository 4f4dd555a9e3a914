"""What launch arguments and environment of a report's engines say: which engine, which numbers, which offload."""

from collections.abc import Mapping

from app.catalog.offload import Offload
from app.catalog.point import Json
from ingest.commands import offload_of_command

_CONFIG = "kv-transfer-config"
_PREFIXES = {"VLLM_": "vllm", "SGLANG_": "sglang", "SGL_": "sglang", "TRTLLM_": "trt"}


def flag(args: Mapping[str, Json], name: str) -> Json:
    """The value of a flag, however its name is written: `--dtype`, `dtype` or `--data_type`."""
    wanted = name.replace("_", "-")
    return next((value for key, value in args.items() if key.strip().lstrip("-").replace("_", "-") == wanted), None)


def dtype_of(args: Mapping[str, Json]) -> str | None:
    """The numbers that weights are served in; `auto` says nothing."""
    for name in ("quantization", "dtype"):
        value = flag(args, name)
        if isinstance(value, str) and value.strip().lower() not in ("", "auto", "none"):
            return value
    return None


def engine_of_launch(args: Mapping[str, Json], envars: Mapping[str, Json]) -> str | None:
    """The engine whose own variables were set, or whose connectors were configured."""
    for prefix, engine in _PREFIXES.items():
        if any(key.startswith(prefix) for key in envars):
            return engine
    return "vllm" if flag(args, _CONFIG) is not None else None


def offload_of_launch(args: Mapping[str, Json], envars: Mapping[str, Json]) -> Offload:
    """The offload that the arguments turn on; unknown where they do not speak of it."""
    return offload_of_command(args, envars) or Offload()
