"""Signatures, against what others make of the same bytes."""

import base64
from datetime import UTC, datetime, timedelta

import jwt as pyjwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tidings.providers.exchange import Encoded, Webhook
from tidings.providers.signing import (
    BadKeyError,
    SigV4,
    is_ecdsa,
    is_recent,
    is_rsa,
    jwt,
    knows_secret,
)

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("request_", "region", "service", "names", "signature"),
    [
        (
            Encoded(
                method="POST",
                url="https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails",
                headers={"Content-Type": "application/json"},
                body=b'{"a":1}',
            ),
            "eu-central-1",
            "ses",
            "content-type;host;x-amz-date",
            "35b000637f2d3532487ce0058fd65f63392ebacab7da18458e1284d947ee8cdf",
        ),
        (
            Encoded(
                method="POST",
                url="https://sns.us-east-1.amazonaws.com/",
                headers={"Content-Type": "application/x-www-form-urlencoded"},
                body=b"Action=Publish&Message=Hi",
            ),
            "us-east-1",
            "sns",
            "content-type;host;x-amz-date",
            "98e6e781ff93fd5eae0664638340442ea9a5a785ddb3375710db430d76ed6c49",
        ),
        (
            Encoded(
                method="POST",
                url="https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails"
                "?through=1&b=x+y&a=%C3%BC",
                headers={"Content-Type": "application/json"},
                body=b"{}",
            ),
            "eu-west-1",
            "ses",
            "content-type;host;x-amz-date",
            "7e6c12c80a47ff383a4d7ba5a828a62373af84ba9c1ddb04e593174c3b7d9ef7",
        ),
        (
            Encoded(
                method="GET",
                url="https://email.eu-west-1.amazonaws.com/v2/email/identities/n%40e.example",
                headers={},
                body=b"",
            ),
            "eu-west-1",
            "ses",
            "host;x-amz-date",
            "0bbdb677e31774412c5f988756e3edf3cb713298101c719d8a4694bfdb016cbb",
        ),
    ],
    ids=["ses", "sns", "query", "escaped path"],
)
def test_sigv4_as_botocore_signs(
    request_: Encoded, region: str, service: str, names: str, signature: str
) -> None:
    """The signatures were made by botocore 1.44.0, which is no dependency for its weight."""
    signer = SigV4(
        access_key="AKIDEXAMPLE",
        secret_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        region=region,
        service=service,
        at=AT,
    )
    assert signer.headers(request_) == {
        "X-Amz-Date": "20260102T030405Z",
        "Authorization": f"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/{region}/{service}"
        f"/aws4_request, SignedHeaders={names}, Signature={signature}",
    }


def _pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
P256 = ec.generate_private_key(ec.SECP256R1())


@pytest.mark.parametrize("escaped", [False, True])
def test_tokens_that_others_can_read(escaped: bool) -> None:
    for key, algorithm in ((RSA, "RS256"), (P256, "ES256")):
        pem = _pem(key).replace("\n", "\\n") if escaped else _pem(key)
        token = jwt(algorithm, pem, {"iss": "me"}, {"kid": "k1"})  # type: ignore[arg-type]
        assert pyjwt.decode(token, key.public_key(), [algorithm]) == {"iss": "me"}
        assert pyjwt.get_unverified_header(token)["kid"] == "k1"


def test_a_bad_key_is_told_without_showing_it() -> None:
    for key in ("", "secret", "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----"):
        with pytest.raises(BadKeyError) as caught:
            jwt("RS256", key, {}, {})
        assert "secret" not in str(caught.value)
    with pytest.raises(BadKeyError, match="another kind"):
        jwt("RS256", _pem(P256), {}, {})


def test_what_is_no_key_verifies_nothing() -> None:
    other = RSA.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    for key in ("", "!", "AAAA", base64.b64encode(other).decode()):
        assert not is_ecdsa(key, "AAAA", b"x")
    assert not is_rsa(b"", "AAAA", b"x")
    assert not is_rsa(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "A", b"x")


def _webhook(query: dict[str, str] | None = None, **headers: str) -> Webhook:
    return Webhook(url="https://t.example", query=query or {}, headers=headers, at=AT)


def test_a_secret_in_the_address_or_a_header() -> None:
    basic = base64.b64encode(b"anyone:s3cret").decode()
    for webhook in (
        _webhook({"token": "s3cret"}),
        _webhook(authorization=f"Basic {basic}"),
        _webhook(authorization="Bearer s3cret"),
        Webhook(url="https://t.example", headers={"x-webhook-token": "s3cret"}, at=AT),
    ):
        assert knows_secret(webhook, "s3cret")
        assert not knows_secret(webhook, "other")
    for webhook in (_webhook(), _webhook({"token": ""}), _webhook(authorization="Basic !")):
        assert not knows_secret(webhook, "s3cret")
        assert not knows_secret(webhook, "")


def test_recent_is_in_both_directions() -> None:
    window = timedelta(minutes=5)
    assert is_recent(_webhook(), AT - window, window)
    assert is_recent(_webhook(), AT + window, window)
    assert not is_recent(_webhook(), AT - window - timedelta(seconds=1), window)
    assert not is_recent(_webhook(), None, window)
