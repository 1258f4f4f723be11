import pytest

from tidings.domain.topics import key_problem


@pytest.mark.parametrize("key", ["news", "News-2_x:y", "ada@example.com", "1"])
def test_keys(key: str) -> None:
    assert key_problem(key) is None


@pytest.mark.parametrize("key", ["", "a b", "a/b", "ä", "x" * 256, "a@b"])
def test_no_keys(key: str) -> None:
    assert key_problem(key)
