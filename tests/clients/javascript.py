"""The published JavaScript packages: where they are, and whether they can be run here."""

import os
import shutil
from pathlib import Path

import pytest

CODE = Path(__file__).parent / "js"

_MISSING = shutil.which("node") is None or not (CODE / "node_modules" / "@novu" / "js").is_dir()

needs_javascript = pytest.mark.skipif(
    _MISSING and "CI" not in os.environ,
    reason="needs Node.js, and `npm ci` in tests/clients/js, which `make test` runs",
)
