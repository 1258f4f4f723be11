from tests.browser.visiting import WIDTHS, Visits, check_fits


async def test_the_api_reference_needs_no_other_host(visits: Visits) -> None:
    page = await visits.open()
    await page.goto("/docs")
    assert await page.title()
    for across, down in WIDTHS.values():
        await page.set_viewport_size({"width": across, "height": down})
        await check_fits(page)
