"""A fake OpenID Connect issuer on this machine: one client, one person, real signatures."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, CLIENT_SECRET = "tidings", "client secret of the tests"


class Issuer:
    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.signs_with = self.key
        self.claims: dict[str, Any] = {
            "sub": "ada-at-issuer",
            "email": "Ada@Example.com",
            "email_verified": True,
            "name": "Ada Lovelace",
        }
        self.asked: dict[str, dict[str, str]] = {}
        self.address = ""

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
        }

    def keys(self) -> dict[str, Any]:
        jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**jwk, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser goes after the person agreed."""
        code = f"code-{len(self.asked)}"
        self.asked[code] = query
        back = urlencode({"code": code, "state": query["state"]})
        return f"{query['redirect_uri']}?{back}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        asked = self.asked.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        expected = f"{CLIENT_ID}:{CLIENT_SECRET.replace(' ', '%20')}"
        known = authorization == "Basic " + base64.b64encode(expected.encode()).decode()
        if asked is None or asked["code_challenge"] != challenge or not known:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.address,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.claims,
        }
        token = jwt.encode(claims, self.signs_with, "RS256", headers={"kid": "one"})
        return 200, {"id_token": token, "access_token": "x", "token_type": "Bearer"}


@contextmanager
def issuing() -> Iterator[Issuer]:
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", issuer.authorize(query))
                self.end_headers()
            elif parts.path == "/keys":
                self._json(200, issuer.keys())
            else:
                self._json(200, issuer.configuration())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {key: values[0] for key, values in parse_qs(body).items()}
            self._json(*issuer.token(form, self.headers.get("Authorization", "")))

        def _json(self, status: int, content: dict[str, Any]) -> None:
            text = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
