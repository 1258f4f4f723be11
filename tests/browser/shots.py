"""Pictures of pages for people to look at: `SHOTS=<folder> pytest tests/browser`."""

import os
from pathlib import Path

from playwright.async_api import Page

_FOLDER = os.environ.get("SHOTS")


async def shoot(page: Page, name: str) -> None:
    """Keep a picture of the whole page, when somebody asks for pictures."""
    if _FOLDER:
        path = Path(_FOLDER) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=path, full_page=True)
