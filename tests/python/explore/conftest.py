"""A page as a visitor sees it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Visit = Callable[[str, str], dict[str, Any]]

_VISIT = """<script>
const seen = {};
%s
const said = document.createElement("pre");
said.id = "seen";
said.textContent = JSON.stringify(seen);
document.body.append(said);
</script></body>"""


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    """Opens a page, runs a script in it, and returns what that put into `seen`."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")

    def visited(page: str, script: str) -> dict[str, Any]:
        file = tmp_path / "page.html"
        file.write_text(page.replace("</body>", _VISIT % script))
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        dom = subprocess.run(
            [chromium, *flags, profile, "--window-size=1200,2000", "--dump-dom", file.as_uri()],
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout
        found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)
        assert found, dom[-2000:]
        seen: dict[str, Any] = json.loads(found[1])
        return seen

    return visited
