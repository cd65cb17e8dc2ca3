import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from locomo_run.cli import COMMANDS, root
from locomo_run.config import load_config_file, load_recipe, recipe_names
from locomo_run.errors import UsageError

Call = Callable[..., Result]


def shown(result: Result) -> dict[str, tuple[Any, str]]:
    """The settings that `config show --json` prints, each with its source."""
    assert result.exit_code == 0, result.output
    settings = json.loads(result.stdout)
    settings.pop("recipe")
    return {name: (each["value"], each["from"]) for name, each in settings.items()}


# recipes


def test_the_offline_recipe_costs_nothing_and_needs_nothing() -> None:
    recipe = load_recipe("offline")

    assert {
        "dataset": "mini",
        "memory": "embedded",
        "answerer": "extractive",
        "search_limit": 10,
        "context_chars": 12_000,
        "neighbours": 0,
        "adversarial": True,
        "headline": "locomo",
        "error_budget": 0.02,
    }.items() <= recipe.items()
    assert "judge" not in recipe


@pytest.mark.parametrize("name", ["of-line", "", "../offline", "a\nb"])
def test_an_unknown_recipe_lists_those_there_are(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_recipe(name)

    assert str(caught.value) == (
        f"no recipe {name!r}; there is {', '.join(recipe_names())}"
    )
    assert "offline" in recipe_names()


@pytest.mark.parametrize("name", recipe_names())
def test_every_setting_of_a_recipe_is_an_option_of_run(name: str) -> None:
    run = root.get_command(click.Context(root), "run")

    assert run is not None
    assert load_recipe(name).keys() <= {parameter.name for parameter in run.params}


# configuration files


def test_a_file_may_spell_its_settings_as_the_options_do(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('search-limit = 3\nmemory = "none"\n', encoding="utf-8")

    assert load_config_file(file, {"search_limit", "memory"}, ()) == {
        "search_limit": 3,
        "memory": "none",
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"limit = \xff", "not UTF-8 (invalid start byte)"),
        (b"limit = ", "not TOML: Invalid value (at end of document)"),
        (b"limit = 1\nlimit = 2", "not TOML: Cannot overwrite a value"),
        (b"[run]\nlimit = 1", "no setting 'run'; the names are those"),
        (b"limits = 1", "no setting 'limits'; did you mean limit? the names"),
        (b'"a\\nb" = 1', "no setting 'a\\nb'; the names are those"),
        (b"limit = 2026-11-30", "limit is date, which is no text, number, true"),
        (b"[limit]\na = 1", "limit is dict, which is no text, number, true"),
        (b"limit = [1]", "limit takes one value"),
        (b'question = "a:1"', 'question takes a list, such as ["a"]'),
        (b'question = ["a\\u0000"]', "question holds a null character"),
    ],
    ids=[
        *("bytes", "syntax", "twice", "table", "unknown", "control"),
        *("date", "mapping", "list", "no list", "null"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(content)

    with pytest.raises(UsageError) as caught:
        load_config_file(file, {"seed", "limit", "question"}, {"question"})

    assert str(caught.value).startswith(f"{file}: {problem}")


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.toml: No such file or directory"):
        load_config_file(tmp_path / "a.toml", (), ())
    with pytest.raises(UsageError, match=f"^{tmp_path}: Is a directory"):
        load_config_file(tmp_path, (), ())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--config", "missing.toml"),
        ("--recipe", "nope"),
        ("--search-limit", "0"),
        ("--search-limit", "ten"),
        ("--error-budget", "1.5"),
        ("--headline", "bleu"),
        ("--category", "6"),
        ("--per-category", "0"),
        ("--neighbours", "-1"),
    ],
    ids=lambda arguments: arguments[0] + arguments[1],
)
def test_bad_settings_end_with_exit_2_and_one_error(
    call: Call, arguments: tuple[str, str]
) -> None:
    result = call("config", "show", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("Error: ") == 1
    assert arguments[1] in result.stderr


@pytest.mark.parametrize(
    "line",
    ['limit = "x"', 'adversarial = "maybe"', "max-cost = nan", "category = [9]"],
)
def test_a_value_of_the_wrong_kind_in_a_file_names_its_option(
    call: Call, folder: Path, line: str
) -> None:
    (folder / "a.toml").write_text(line, encoding="utf-8")

    result = call("config", "show", "--config", "a.toml")

    assert result.exit_code == 2
    assert f"'--{line.partition(' ')[0]}'" in result.stderr


def test_a_file_may_name_the_recipe_and_the_option_wins_over_it(
    call: Call, folder: Path
) -> None:
    (folder / "a.toml").write_text('recipe = "nope"', encoding="utf-8")

    refused = call("config", "show", "--config", "a.toml")
    allowed = call("config", "show", "--recipe", "offline", "--config", "a.toml")

    assert (refused.exit_code, allowed.exit_code) == (2, 0)
    assert "no recipe 'nope'" in refused.stderr
    assert tomllib.loads(allowed.stdout)["recipe"] == "offline"


# layers


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("search_limit", (10, 4, 5, 6)),
        ("memory", ("embedded", "oracle", "none", "full-context")),
        ("headline", ("locomo", "squad", "mem0", "standard")),
        ("error_budget", (0.02, 0.1, 0.2, 0.3)),
        ("limit", (None, 4, 5, 6)),
        ("seed", (0, 4, 5, 6)),
        ("out", (None, "x", "y", "z")),
        ("question", ([], ["a:1"], ["b:1", "b:2"], ["c:1"])),
        ("category", ([], [4], [1, 2], [3])),
    ],
)
def test_option_wins_over_environment_over_file_over_recipe(
    call: Call, folder: Path, name: str, values: tuple[Any, ...]
) -> None:
    recipe, in_file, in_environment, in_option = values
    (folder / "a.toml").write_text(f"{name} = {json.dumps(in_file)}", encoding="utf-8")
    file = ("--config", "a.toml")
    listed = in_environment if isinstance(in_environment, list) else [in_environment]
    environment = {f"LOCOMO_RUN_{name.upper()}": " ".join(map(str, listed))}
    said = in_option[0] if isinstance(in_option, list) else in_option
    option = (f"--{name.replace('_', '-')}", said)
    show = ("config", "show", "--json")
    fallback = "recipe offline" if name in load_recipe("offline") else "default"

    assert shown(call(*show))[name] == (recipe, fallback)
    assert shown(call(*show, *file))[name] == (in_file, "configuration file")
    assert shown(call(*show, *file, **environment))[name] == (
        in_environment,
        "environment",
    )
    assert shown(call(*show, *file, *option, **environment))[name] == (
        in_option,
        "option",
    )


def test_a_switch_can_be_turned_off_in_every_layer(call: Call, folder: Path) -> None:
    show = ("config", "show", "--json")
    (folder / "a.toml").write_text("adversarial = false", encoding="utf-8")
    file = ("--config", "a.toml")

    assert shown(call(*show))["adversarial"] == (True, "recipe offline")
    assert shown(call(*show, *file))["adversarial"][0] is False
    assert shown(call(*show, *file, LOCOMO_RUN_ADVERSARIAL="1"))["adversarial"] == (
        True,
        "environment",
    )
    assert shown(call(*show, "--no-adversarial", LOCOMO_RUN_ADVERSARIAL="1"))[
        "adversarial"
    ] == (False, "option")


def test_recipe_and_file_can_come_from_the_environment(
    call: Call, folder: Path
) -> None:
    (folder / "a.toml").write_text("limit = 3", encoding="utf-8")

    result = call("config", "show", "--json", LOCOMO_RUN_CONFIG="a.toml")
    refused = call("config", "show", LOCOMO_RUN_RECIPE="nope")

    assert shown(result)["limit"] == (3, "configuration file")
    assert refused.exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--search-limit", "5", "--category", "single-hop", "--category", "1"),
        ("--question", 'a:0 # "x"\n\\', "--conversation", "\x1b[1m[red]é\u2028"),
        ("--out", "a 'b' \"c\"", "--no-adversarial", "--error-budget", "0.125"),
        ("--per-category", "2", "--seed", "-3", "--limit", "7"),
    ],
    ids=["nothing", "numbers", "hostile text", "path", "draw"],
)
def test_what_config_show_prints_gives_the_same_configuration_again(
    call: Call, folder: Path, arguments: tuple[str, ...]
) -> None:
    first = call("config", "show", *arguments)
    (folder / "a.toml").write_text(first.stdout, encoding="utf-8")

    again = call("config", "show", "--config", "a.toml")

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert tomllib.loads(again.stdout) == tomllib.loads(first.stdout)


# options


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.fixture(scope="module")
def tree() -> dict[str, click.Command]:
    """Every command by its full name."""
    return dict(commands(root))


def test_the_tree_holds_every_command(tree: dict[str, click.Command]) -> None:
    assert COMMANDS.keys() <= tree.keys()
    assert {
        "config show",
        "dataset fetch",
        "dataset stats",
        "dataset validate",
        "run",
        "runs",
    } <= tree.keys()


def test_an_unknown_command_is_said_so(call: Call) -> None:
    result = call("evaluate")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such command 'evaluate'" in result.stderr


def test_every_command_and_option_has_a_help_text(
    tree: dict[str, click.Command],
) -> None:
    for name, command in tree.items():
        assert command.help, name
        for option in options(command):
            assert option.help, (name, option.name)


def test_every_option_has_a_variable_of_its_name(
    tree: dict[str, click.Command],
) -> None:
    for name, command in tree.items():
        for option in options(command):
            variable = max(option.opts, key=len).removeprefix("--").replace("-", "_")
            assert option.envvar == f"LOCOMO_RUN_{variable.upper()}", name


def options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option)]


def test_every_command_prints_its_help_for_both_spellings(
    call: Call, tree: dict[str, click.Command]
) -> None:
    for name in tree:
        short, long = call(*name.split(), "-h"), call(*name.split(), "--help")

        assert (short.exit_code, long.exit_code) == (0, 0)
        assert short.stdout == long.stdout
        assert short.stdout.startswith(f"Usage: locomo-run {name} ")
