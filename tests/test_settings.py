import base64
from pathlib import Path

import pytest

from tidings.settings import (
    Settings,
    WrongSettingError,
    load,
    rows,
    to_environment,
    unknown_variables,
)

KEY = base64.b64encode(bytes(32)).decode()


def read(tmp_path: Path, environ: dict[str, str] | None = None, **flags: object) -> Settings:
    return load(flags, environ or {}, tmp_path)


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    (tmp_path / "tidings.toml").write_text('port = 1\nhost = "a"\nlog_level = "debug"\n')
    settings = read(tmp_path, {"TIDINGS_PORT": "2", "TIDINGS_HOST": "b"}, port=3)
    assert (settings.port, settings.host, settings.log_level) == (3, "b", "debug")


def test_another_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('outbound_allow = ["10.0.0.0/8"]')
    settings = read(tmp_path, {"TIDINGS_CONFIG": "other.toml"})
    assert settings.outbound_allow == ("10.0.0.0/8",)


def test_lists_are_comma_separated_in_the_environment(tmp_path: Path) -> None:
    settings = read(tmp_path, {"TIDINGS_OUTBOUND_ALLOW": "10.0.0.0/8, 192.168.1.0/24"})
    assert settings.outbound_allow == ("10.0.0.0/8", "192.168.1.0/24")


def test_the_mode_follows_from_the_database(tmp_path: Path) -> None:
    assert read(tmp_path).development
    server = {"TIDINGS_DATABASE_URL": "postgresql://h/d", "TIDINGS_ENCRYPTION_KEY": KEY}
    assert not read(tmp_path, server).development
    assert read(tmp_path, {**server, "TIDINGS_MODE": "development"}).development


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"TIDINGS_PORT": "high"}, "TIDINGS_PORT cannot be 'high': expected int, got str."),
        ({"TIDINGS_PORT": "70000"}, "TIDINGS_PORT cannot be '70000'"),
        ({"TIDINGS_DIALECT": "klingon"}, "TIDINGS_DIALECT cannot be 'klingon'"),
        ({"TIDINGS_MODE": "prod"}, "TIDINGS_MODE cannot be 'prod'"),
        ({"TIDINGS_DATABSE_URL": "x"}, "did you mean TIDINGS_DATABASE_URL?"),
        ({"TIDINGS_DATABASE_URL": "mysql://x"}, "must start with postgresql://"),
        ({"TIDINGS_OUTBOUND_ALLOW": "10.0.0.1/8"}, "'10.0.0.1/8', which is not a network"),
        ({"TIDINGS_ENCRYPTION_KEY": "short"}, "openssl rand -base64 32"),
        ({"TIDINGS_ENCRYPTION_KEY": f"{KEY},zz"}, "openssl rand -base64 32"),
        ({"TIDINGS_MODE": "production"}, "Production needs TIDINGS_ENCRYPTION_KEY"),
        ({"TIDINGS_BOOTSTRAP_API_KEY": "two words"}, "must be ASCII without spaces"),
        (
            {
                "TIDINGS_MODE": "production",
                "TIDINGS_ENCRYPTION_KEY": KEY,
                "TIDINGS_BOOTSTRAP_API_KEY": "short",
            },
            "at least 32 characters",
        ),
        ({"TIDINGS_CONFIG": "nowhere.toml"}, "nowhere.toml, which is not a file"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(
    tmp_path: Path, environ: dict[str, str], sentence: str
) -> None:
    with pytest.raises(WrongSettingError) as refusal:
        read(tmp_path, environ)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prot = 1", "(did you mean port?)"),
        ("port = [", "is not valid TOML"),
        ("port='x'", "port in"),
    ],
)
def test_a_wrong_line_in_the_file_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "tidings.toml").write_text(text)
    with pytest.raises(WrongSettingError) as refusal:
        read(tmp_path)
    assert sentence in str(refusal.value)


def test_a_secret_is_not_repeated_in_the_complaint(tmp_path: Path) -> None:
    (tmp_path / "tidings.toml").write_text("encryption_key = ['hush-hush']")
    with pytest.raises(WrongSettingError) as refusal:
        read(tmp_path)
    assert "hush" not in str(refusal.value)


def test_variables_that_are_not_ours_are_let_be_and_named(tmp_path: Path) -> None:
    environ = {"TIDINGS_API_KEY": "x", "TIDINGS_CUSTOMER": "y"}
    assert read(tmp_path, environ) == Settings()
    assert unknown_variables({**environ, "TIDINGS_PORT": "1"}) == ["TIDINGS_CUSTOMER"]


def test_settings_survive_the_way_to_another_process(tmp_path: Path) -> None:
    settings = Settings(port=1, outbound_allow=("10.0.0.0/8", "::1/128"), dialect="novu")
    assert load({}, to_environment(settings), tmp_path) == settings


def test_every_setting_has_a_row_with_help() -> None:
    for row in rows():
        assert row.help.endswith("."), row.name
        assert row.kind
        assert row.variable == "TIDINGS_" + row.name.upper()
    assert {row.name for row in rows() if row.secret} == {
        "database_url",
        "encryption_key",
        "bootstrap_api_key",
        "oidc_client_secret",
    }
