"""Texts that run a script where a page forgets to escape, and a check that none did.

Seed every field that users can fill with `corpus()`, open the page, and `await check_inert(page)`.
"""

from playwright.async_api import Page

_MARK = "window.__ran=(window.__ran||0)+1"
CORPUS = (
    f"<script>{_MARK}</script>",
    f"\"'><script>{_MARK}</script>",
    f"<img src=x onerror='{_MARK}'>",
    f'"><img src=x onerror={_MARK}>',
    f"<svg onload={_MARK}>",
    f"' autofocus onfocus='{_MARK}' x='",
    f'" autofocus onfocus="{_MARK}" x="',
    f"javascript:{_MARK}",
    f"</textarea><script>{_MARK}</script>",
    f"</title><script>{_MARK}</script>",
    f"--><script>{_MARK}</script><!--",
    f"{{{{ constructor.constructor('{_MARK}')() }}}}",
    "{{ 7*7 }}{% raw %}",
    f"<iframe srcdoc='<script>parent.{_MARK}</script>'></iframe>",
    f"<a href='javascript:{_MARK}'>x</a>",
    f"<details open ontoggle={_MARK}>",
    "\u202e\u2066<b>bidi</b>",
)


def corpus(longest: int | None = None) -> list[str]:
    """The texts that fit into a field of that length."""
    return [text for text in CORPUS if longest is None or len(text) <= longest]


async def check_inert(page: Page) -> None:
    """Nothing ran, no element of the corpus came to be, and nothing was evaluated."""
    assert await page.evaluate("window.__ran") is None, f"a script ran on {page.url}"
    foreign = await page.evaluate(
        "[...document.querySelectorAll('*')].filter(e => !e.closest('iframe') && "
        "[...e.attributes].some(a => a.name.startsWith('on') || "
        "/^\\\\s*javascript:/i.test(a.value) && ['href','src','action'].includes(a.name)))"
        ".map(e => e.outerHTML.slice(0, 200))"
    )
    assert not foreign, f"{page.url}: {foreign}"
    scripts = await page.evaluate("[...document.scripts].filter(e => !e.src).length")
    assert scripts == 0, f"{page.url} has scripts of somebody else"
    assert ">49<" not in await page.content(), f"{page.url} evaluated a template"
