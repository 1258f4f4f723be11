"""Masks, formats and references."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.errors import InvalidError
from tidings.providers.credentials import MASK, Field, check, mask, masked, need, unmasked

SECRETS = frozenset({"apiKey"})


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("0123456789abcdef", MASK + "cdef"),
        ("short", MASK),
        ("", ""),
        ("env:PROVIDER_KEY", "env:PROVIDER_KEY"),
    ],
)
def test_masks(secret: str, shown: str) -> None:
    assert mask(secret) == shown


@given(st.text(min_size=1))
def test_a_mask_that_comes_back_is_the_value(secret: str) -> None:
    stored = {"apiKey": secret, "from": "a"}
    if secret.startswith(MASK):
        return
    assert unmasked(masked(stored, SECRETS), stored, SECRETS, "credentials") == stored


def test_a_mask_for_nothing_is_refused() -> None:
    with pytest.raises(InvalidError):
        unmasked({"apiKey": MASK}, {}, SECRETS, "credentials")


def test_a_field_must_be_one_of_the_interface() -> None:
    with pytest.raises(ValueError, match="colour"):
        need("colour", "Colour")


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (need("webhookUrl", "U", format="url"), "https://a.example/x?y", "a.example"),
        (need("webhookUrl", "U", format="url"), "http://a:1", "https://user@a.example"),
        (need("host", "H", format="host"), "smtp.example.com", "smtp/x"),
        (need("port", "P", format="port"), "25", "0"),
        (need("from", "F", format="email"), "a@b.c", "a b@c"),
        (need("from", "F", format="sender"), "Tidings", " Tidings"),
        (need("serviceAccount", "S", format="json"), '{"a":1}', "[1]"),
        (need("secretKey", "S", format="pem"), "-----BEGIN PRIVATE KEY-----", "abc"),
    ],
)
def test_formats(field: Field, good: str, bad: str) -> None:
    check([field], {field.name: good}, True, ())
    check([field], {field.name: "env:PROVIDER_X"}, True, ("env:PROVIDER_*",))
    with pytest.raises(InvalidError):
        check([field], {field.name: bad}, True, ())


def test_a_secret_is_not_repeated_in_the_error() -> None:
    field = need("secretKey", "Key", format="pem", secret=True)
    with pytest.raises(InvalidError) as caught:
        check([field], {"secretKey": "very-secret"}, True, ())
    assert "very-secret" not in repr(caught.value.problems)
