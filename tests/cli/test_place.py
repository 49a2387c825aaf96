"""What a running `reactor up` tells the other commands."""

from pathlib import Path

from reactor.cli.place import forget, known_config, known_environ, tell
from reactor.wiring.servers import Place


def place(data: Path) -> Place:
    return Place(
        gateway="http://127.0.0.1:1",
        console=None,
        bootstrap="127.0.0.1:2",
        redis_url="redis://127.0.0.1:3/0",
        data=data,
    )


def test_other_commands_find_the_servers_and_the_settings_of_what_runs(tmp_path: Path) -> None:
    tell(place(tmp_path), config=tmp_path / "my.yaml")

    assert known_environ(tmp_path, {})["REDIS_URL"] == "redis://127.0.0.1:3/0"
    assert known_config(tmp_path, None) == tmp_path / "my.yaml"


def test_what_a_command_is_told_itself_counts_more(tmp_path: Path) -> None:
    tell(place(tmp_path), config=tmp_path / "my.yaml")

    assert known_config(tmp_path, Path("other.yaml")) == Path("other.yaml")
    assert known_environ(tmp_path, {"REDIS_URL": "redis://there"})["REDIS_URL"] == "redis://there"


def test_without_a_file_of_settings_a_command_looks_for_one_as_ever(tmp_path: Path) -> None:
    tell(place(tmp_path))

    assert known_config(tmp_path, None) is None


def test_what_runs_no_more_is_not_asked(tmp_path: Path) -> None:
    tell(place(tmp_path), config=tmp_path / "my.yaml")
    forget(tmp_path)

    assert known_config(tmp_path, None) is None
    assert known_environ(tmp_path, {}) == {}
