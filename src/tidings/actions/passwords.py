"""Keeps passwords as argon2id hashes. Hashing is slow on purpose, so it happens in a thread."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_hasher = PasswordHasher()
_threads = ThreadPoolExecutor(2, thread_name_prefix="passwords")
_NOBODYS = (
    "$argon2id$v=19$m=65536,t=3,p=4$M2zNY1XpYJT7DCF8Jk67eA"
    "$YYlRy2hNWOm+u2AMLql/6s14FfC/jFuMuyl2LWASba8"
)


async def hashed(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_threads, _hasher.hash, password)


async def matches(hash: str | None, password: str) -> bool:
    """Takes as long without a hash, so that nobody can tell which accounts exist."""
    loop = asyncio.get_running_loop()
    same = await loop.run_in_executor(_threads, _verify, hash or _NOBODYS, password)
    return same and hash is not None


def _verify(hash: str, password: str) -> bool:
    try:
        return _hasher.verify(hash, password)
    except (VerificationError, InvalidHashError):
        return False
