from pathlib import Path

from tests.flows.serving import tidings


def test_users_are_managed_from_the_shell(tmp_path: Path) -> None:
    data = ["--data-dir", str(tmp_path / "data")]
    assert tidings("migrate", *data).returncode == 0
    assert "There is nobody yet" in tidings("users", "list", *data).stdout
    made = tidings("users", "create", "Ada@Example.com", "--name", "Ada", *data)
    assert len(made.stdout.strip()) == 20, made.stderr
    taken = tidings("users", "create", "ada@example.com", *data)
    assert "There is a user ada@example.com already" in taken.stderr
    last = tidings("users", "set-role", "ada@example.com", "viewer", *data)
    assert "is the only owner" in last.stderr
    wrong = tidings("users", "create", "bob@example.com", "--role", "king", *data)
    assert "role must be one of viewer, editor, owner" in wrong.stderr
    assert len(tidings("users", "reset-password", "ada@example.com", *data).stdout.strip()) == 20
    assert "owner   password" in tidings("users", "list", *data).stdout
    refused = tidings("users", "delete", "ada@example.com", *data)
    assert refused.returncode == 1
    assert "is the only owner" in refused.stderr
    assert tidings("users", "create", "bob@example.com", "--role", "viewer", *data).returncode == 0
    assert "Deleted bob@example.com." in tidings("users", "delete", "bob@example.com", *data).stdout
    assert "bob@example.com" not in tidings("users", "list", *data).stdout
