"""The installed Chromium, for what only a browser can make."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from app.commands import Told

NAMED = ("HALO_CHROMIUM", "CHROME")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 120
_QUIET = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pdf-header-footer",
)


def chromium() -> str:
    """The program to run: the one that the environment names, else the first on PATH. Raises Told."""
    for name in NAMED:
        if given := os.environ.get(name):
            if found := shutil.which(given):
                return found
            raise Told(f"{name} names {given}, which is not a program that can be run")
    if found := next(filter(None, map(shutil.which, NAMES)), None):
        return found
    raise Told(
        "a PDF is made with Chromium or Chrome, and there is none here: install one, or name it in CHROME; "
        "-o out.html needs none and prints from any browser"
    )


def pdf(html: str) -> bytes:
    """A page as it prints. Raises Told."""
    program = chromium()
    with tempfile.TemporaryDirectory(prefix="halo-") as folder:
        page, printed = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_text(html, encoding="utf-8")
        # Chromium refuses its sandbox to root; the page is our own and may connect to nobody.
        rooted = ["--no-sandbox"] if os.geteuid() == 0 else []
        command = [program, *_QUIET, *rooted, f"--user-data-dir={folder}/profile", f"--print-to-pdf={printed}"]
        try:
            done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=_PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise Told(f"{program} did not print the report within {_PATIENCE} seconds") from error
        if not printed.is_file() or not printed.read_bytes().startswith(b"%PDF"):
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise Told(f"{program} did not print the report: {last}")
        return printed.read_bytes()
