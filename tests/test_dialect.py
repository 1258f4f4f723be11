import pytest

from tidings.dialect import Dialect


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("svc", "novu"),
        ("svc-slack", "novu-slack"),
        ("svc-cloud-v1", "novu-cloud-v1"),
        ("sendgrid", "sendgrid"),
        ("svcx", "svcx"),
    ],
)
def test_the_word_of_the_service(ours: str, theirs: str) -> None:
    assert Dialect("svc").spell(ours) == ours
    assert Dialect("novu").spell(ours) == theirs
    for given in (ours, theirs):
        assert Dialect("svc").understand(given) == Dialect("novu").understand(given) == ours
