"""Metric keys looked up by their parts, so that sources name a quantity and a statistic and never a key."""

from app.catalog.metrics import METRICS, STATISTICS

TOKEN_KINDS = ("total", "output", "input")

TPUT = {kind: f"{kind}_tput" for kind in TOKEN_KINDS}
TPUT_PER_CHIP = {kind: f"{kind}_tput_per_chip" for kind in TOKEN_KINDS}
JOULES = {kind: f"joules_per_{kind}_token" for kind in TOKEN_KINDS}
LATENCY = {
    quantity: {statistic: f"{quantity}_{statistic}_s" for statistic in STATISTICS}
    for quantity in ("ttft", "tpot", "itl", "e2el")
}
INTERACTIVITY = {statistic: f"interactivity_{statistic}" for statistic in STATISTICS}
E2E_INTERACTIVITY = {statistic: f"e2e_interactivity_{statistic}" for statistic in STATISTICS}

_BUILT = {
    *TPUT.values(),
    *TPUT_PER_CHIP.values(),
    *JOULES.values(),
    *(key for keys in LATENCY.values() for key in keys.values()),
    *INTERACTIVITY.values(),
    *E2E_INTERACTIVITY.values(),
}
if _unknown := sorted(key for key in _BUILT if key not in METRICS):
    raise LookupError(f"the catalog has no metric {', '.join(_unknown)}")
