"""Prints one line a ratio. Talks to 127.0.0.1 alone, writes to temporary folders alone, and stops by itself."""

import importlib
import os
import platform
import sys

from bench.measure import NotHere

PARTS = ("ingest", "view", "serve", "paint")
ASKED_FOR = ("fuzz",)
"""Parts that run only when they are named."""


def main() -> int:
    wanted = sys.argv[1:] or list(PARTS)
    if unknown := [part for part in wanted if part not in (*PARTS, *ASKED_FOR)]:
        print(f"there is no bench {unknown[0]!r}; there are {', '.join((*PARTS, *ASKED_FOR))}")
        return 2
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    missed = 0
    for part in wanted:
        try:
            for ratio in importlib.import_module(f"bench.{part}").run():
                missed += ratio.met is False
                print(ratio.line(), flush=True)
        except NotHere as reason:
            print(f"{part}: left out, {reason}")
    print(f"{missed} missed" if missed else "all met")
    return 0


if __name__ == "__main__":
    sys.exit(main())
