"""OpenID Connect towards one issuer: authorization code with PKCE, and ID tokens verified by the
issuer's published keys. https://openid.net/specs/openid-connect-core-1_0.html"""

import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

import jwt
import msgspec

from tidings.providers.exchange import Encoded
from tidings.providers.guard import RefusedTargetError
from tidings.providers.transport import Http, UnreachableError

_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
_SKEW = timedelta(minutes=2)


class OidcError(Exception):
    """Signing in at the issuer failed; the message says why and what to do."""


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """Who we are to the issuer."""

    issuer: str
    id: str
    secret: str


class Endpoints(msgspec.Struct, frozen=True):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Who signed in, by the issuer's word."""

    issuer: str
    subject: str
    email: str
    email_verified: bool
    name: str


async def discover(http: Http, issuer: str) -> Endpoints:
    found = await _fetch(http, issuer.rstrip("/") + "/.well-known/openid-configuration")
    try:
        endpoints = msgspec.convert(found, Endpoints)
    except msgspec.ValidationError as error:
        raise OidcError(f"The issuer's configuration is incomplete: {error}.") from None
    if endpoints.issuer.rstrip("/") != issuer.rstrip("/"):
        raise OidcError(f"The issuer calls itself {endpoints.issuer}; set oidc_issuer to that.")
    return endpoints


def authorization_url(
    endpoints: Endpoints, client: Client, back: str, state: str, nonce: str, verifier: str
) -> str:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    query = urlencode(
        {
            "response_type": "code",
            "client_id": client.id,
            "redirect_uri": back,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge.rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
    )
    joint = "&" if "?" in endpoints.authorization_endpoint else "?"
    return endpoints.authorization_endpoint + joint + query


async def redeem(
    http: Http, endpoints: Endpoints, client: Client, back: str, code: str, verifier: str
) -> str:
    """The ID token for a code."""
    pair = f"{quote(client.id, safe='')}:{quote(client.secret, safe='')}"
    request = Encoded(
        method="POST",
        url=endpoints.token_endpoint,
        headers={
            "Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        },
        body=urlencode(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": back,
                "code_verifier": verifier,
            }
        ).encode(),
    )
    answer = await _call(http, request)
    token = answer.get("id_token")
    if not isinstance(token, str):
        raise OidcError("The issuer sent no ID token; allow the scope openid for this client.")
    return token


async def verify(
    http: Http, endpoints: Endpoints, client: Client, token: str, nonce: str, now: datetime
) -> Person:
    """Who the token speaks of; refuses one that is not for us, not now, or not theirs."""
    keys = await _fetch(http, endpoints.jwks_uri)
    try:
        header = jwt.get_unverified_header(token)
        chosen = _key(keys, header.get("kid"))
        claims: dict[str, Any] = jwt.decode(
            token,
            chosen.key,
            algorithms=_ALGORITHMS,
            audience=client.id,
            issuer=endpoints.issuer,
            options={
                "require": ["exp", "iat", "sub", "aud", "iss"],
                "verify_exp": False,  # against our own clock, below
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise OidcError(f"The issuer's ID token does not hold: {error}.") from None
    _check_claims(claims, client, nonce, now)
    email = str(claims.get("email") or "")
    return Person(
        issuer=endpoints.issuer,
        subject=str(claims["sub"]),
        email=email.strip().lower(),
        email_verified=claims.get("email_verified") in (True, "true"),
        name=str(claims.get("name") or email.partition("@")[0]),
    )


def _check_claims(claims: Mapping[str, Any], client: Client, nonce: str, now: datetime) -> None:
    if claims.get("nonce") != nonce:
        raise OidcError("The issuer's ID token belongs to another sign-in. Start again.")
    if float(claims["exp"]) + _SKEW.total_seconds() < now.timestamp():
        raise OidcError("The issuer's ID token is too old. Check the clocks, then sign in again.")
    if float(claims["iat"]) - _SKEW.total_seconds() > now.timestamp():
        raise OidcError("The issuer's ID token is from the future. Check the clocks.")
    if (
        isinstance(claims["aud"], list)
        and len(claims["aud"]) > 1
        and claims.get("azp") != client.id
    ):
        raise OidcError("The issuer's ID token was made for another client.")


def _key(keys: Mapping[str, Any], kid: str | None) -> jwt.PyJWK:
    found = [
        each
        for each in jwt.PyJWKSet.from_dict(dict(keys)).keys
        if each.public_key_use in (None, "sig") and (kid is None or each.key_id == kid)
    ]
    if len(found) != 1:
        raise OidcError("The issuer does not publish the key of its ID token. Try again.")
    return found[0]


async def _fetch(http: Http, url: str) -> Mapping[str, Any]:
    headers = {"Accept": "application/json"}
    return await _call(http, Encoded(method="GET", url=url, headers=headers, body=b""))


async def _call(http: Http, request: Encoded) -> Mapping[str, Any]:
    try:
        answer = await http.send(request)
    except RefusedTargetError as error:
        raise OidcError(f"{error} Add the issuer's network to outbound_allow.") from None
    except UnreachableError as error:
        raise OidcError(f"The issuer cannot be reached: {error}") from None
    found = answer.json()
    if answer.status != 200 or not isinstance(found, dict):
        said = found.get("error") if isinstance(found, dict) else None
        raise OidcError(f"The issuer answered {answer.status} {said or ''}".rstrip() + ".")
    return found
