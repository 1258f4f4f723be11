import pytest

from tidings.domain.addresses import is_email


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.com",
        "ada.lovelace+notes@mail.example.co.uk",
        "o'brien@example.com",
        "josé@bücher.example",
        "x@1a.io",
    ],
)
def test_addresses(text: str) -> None:
    assert is_email(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "ada@",
        "@example.com",
        "ada@example",
        "ada@example..com",
        "ada@-example.com",
        "a b@example.com",
        "ada@exam ple.com",
        ".ada@example.com",
        "ada..l@example.com",
        "ada@example.com\n",
        "ada@10.0.0.1",
        "ada@one.com,bob@two.com",
        "x" * 65 + "@example.com",
        "ada@" + "x" * 250 + ".com",
    ],
)
def test_no_addresses(text: str) -> None:
    assert not is_email(text)
