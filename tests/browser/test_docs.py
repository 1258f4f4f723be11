import pytest

from tests.browser.visiting import LOOKS, Visits, check_fits


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
async def test_the_api_reference_needs_no_other_host(
    visits: Visits, width: str, scheme: str
) -> None:
    page = await visits.open(width, scheme)
    await page.goto("/docs")
    assert await page.title()
    await check_fits(page)
