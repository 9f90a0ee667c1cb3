"""The report in a real browser: it draws, and asks for nothing over the network."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_report_draws(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ringwright", "camera", "--resolution", "qqvga"]
    subprocess.run([*command, "--frames", "3", "--out", "out"], cwd=tmp_path, check=True)
    report = tmp_path / "out" / "report.html"
    assert "://" not in report.read_text().replace("http://www.w3.org", "")

    picture = tmp_path / "report.png"
    width, height = 1200, 2400
    size = [f"--window-size={width},{height}", f"--user-data-dir={tmp_path / 'profile'}"]
    browser = [str(CHROMIUM), *FLAGS, *size, f"--screenshot={picture}", report.as_uri()]
    subprocess.run(browser, check=True, capture_output=True, timeout=120)
    data = picture.read_bytes()
    assert struct.unpack(">II", data[16:24]) == (width, height)
    # A page that drew nothing compresses to a few kilobytes.
    assert len(data) > 100_000
