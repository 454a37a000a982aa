"""From the environment to settings."""

from __future__ import annotations

import pickle
from pathlib import Path

import dspy
import pytest

from debriefer.errors import ModelError
from debriefer.models import Models, ModelSettings

URL = {"MODEL_API_URL": "http://localhost:8000/v1", "MODEL_NAME": "Qwen/Qwen2.5-7B", "MODEL_API_KEY": "sk-secret-1"}


def read(lm: str | None = None, roles: dict[str, str] | None = None, **environment: str) -> Models:
    models = Models.from_environment(lm=lm, environment=environment, roles=roles)
    assert models is not None
    return models


def test_nothing_configured_is_none() -> None:
    assert Models.from_environment(environment={}) is None
    assert Models.from_environment(environment={"MODEL_API_URL": " ", "HOME": "/root"}) is None


def test_the_servers_name_may_hold_slashes() -> None:
    settings = read(**URL).settings("solver")
    assert settings.model == "Qwen/Qwen2.5-7B"
    assert settings.base_urls == ("http://localhost:8000/v1",)
    assert settings.api_key == "sk-secret-1"


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"MODEL_API_URL": "http://h/v1"}, "`MODEL_NAME` is not set, but `MODEL_API_URL` is"),
        ({"MODEL_API_KEY": "sk-secret-1"}, "`MODEL_NAME` is not set, but `MODEL_API_KEY` is"),
        ({"MODEL_NAME": "m"}, "`MODEL_API_URL` is not set, but `MODEL_NAME` is"),
        ({"DEBRIEFER_MODEL_JUDGE": "openai/x"}, "`MODEL_NAME` is not set, but `DEBRIEFER_MODEL_JUDGE` is"),
        ({**URL, "DEBRIEFER_MODEL_SLOVER": "x"}, "`DEBRIEFER_MODEL_SLOVER` names no role"),
        ({**URL, "DEBRIEFER_MODEL_JUDGE_URL": "http://h"}, "`DEBRIEFER_MODEL_JUDGE` is not set"),
        ({**URL, "MODEL_TIMEOUT": "soon"}, "`MODEL_TIMEOUT` cannot be read: `soon` is not a number"),
        ({**URL, "MODEL_VISION": "maybe"}, "`MODEL_VISION` cannot be read: `maybe` is not a yes or no"),
        ({**URL, "MODEL_REASONING": "show"}, "`MODEL_REASONING` cannot be read"),
        ({**URL, "MODEL_REASONING_EFFORT": "some"}, "`some` is no reasoning effort"),
        ({**URL, "MODEL_CONCURRENCY": "0"}, "`MODEL_CONCURRENCY` cannot be read"),
        ({**URL, "MODEL_API_URL": "localhost:8000"}, "`MODEL_API_URL` must be an `http://`"),
    ],
)
def test_a_half_configured_environment_names_the_variable(environment: dict[str, str], named: str) -> None:
    with pytest.raises(ModelError) as caught:
        Models.from_environment(environment=environment)
    assert named in caught.value.message
    assert "sk-secret-1" not in caught.value.render()


def test_lm_comes_before_the_name_and_loses_its_prefix_at_our_own_address() -> None:
    assert read(lm="openai/any", **URL).settings("solver").model == "any"
    assert read(lm="vllm:Qwen/Qwen3", **URL).settings("solver").model == "Qwen/Qwen3"
    assert read(lm="Qwen/Qwen3", **URL).settings("solver").model == "Qwen/Qwen3"
    ollama = read(lm="ollama_chat/llama3:8b", **URL).settings("solver")
    assert (ollama.model, ollama.dialect) == ("llama3:8b", "ollama")


def test_lm_of_another_protocol_takes_neither_the_address_nor_its_key() -> None:
    settings = read(lm="anthropic/claude-sonnet-4-5", **URL).settings("solver")
    assert settings.base_urls == ()
    assert settings.api_key is None


def test_lm_alone_is_enough_but_needs_a_provider() -> None:
    assert read(lm="openai/gpt-4o").settings("judge").model == "openai/gpt-4o"
    with pytest.raises(ModelError, match="names no provider"):
        read(lm="gpt-4o")


def test_roles_by_variable_and_by_mapping() -> None:
    models = read(
        roles={"judge": "openai/judge"},
        DEBRIEFER_MODEL_JUDGE="unused",
        DEBRIEFER_MODEL_VISION="qwen-vl",
        DEBRIEFER_MODEL_VISION_URL="http://eyes:9/v1",
        **URL,
    )
    assert models.settings("solver").model == "Qwen/Qwen2.5-7B"
    assert models.settings("judge").model == "judge"
    vision = models.settings("vision")
    assert vision.endpoints == ("eyes:9",)
    assert vision.api_key is None, "the common key must not follow another address"
    assert vision.vision


def test_a_key_does_not_follow_a_role_to_another_provider() -> None:
    models = read(lm="openai/a", MODEL_API_KEY="sk-secret-1", DEBRIEFER_MODEL_JUDGE="anthropic/b")
    assert models.settings("solver").api_key == "sk-secret-1"
    assert models.settings("judge").api_key is None


def test_an_unknown_role_is_an_error() -> None:
    with pytest.raises(ModelError, match="`slover` is no role"):
        read(**URL).lm("slover")


def test_values_hold_for_every_role_and_come_before_what_a_name_tells() -> None:
    settings = read(lm="openai/gpt-4o", MODEL_VISION="no", MODEL_CONTEXT_WINDOW="9000").settings("solver")
    assert (settings.vision, settings.context_window, settings.native_tools) == (False, 9000, True)


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("http://h:1", "http://h:1/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("https://h/api/v1/chat/completions", "https://h/api/v1"),
        ("https://h/openai/", "https://h/openai"),
    ],
)
def test_addresses_are_brought_to_one_form(given: str, normal: str) -> None:
    assert ModelSettings("m", base_urls=(given,)).base_urls == (normal,)


def test_several_addresses_are_separated_by_commas() -> None:
    models = read(**{**URL, "MODEL_API_URL": "http://a/v1, http://b/v1,"})
    assert models.settings("solver").endpoints == ("a", "b")


def test_no_representation_shows_a_key() -> None:
    url = "http://user:hidden-password@h:1/v1?token=hidden-token"
    models = read(**{**URL, "MODEL_API_URL": url}, DEBRIEFER_MODEL_JUDGE="j", DEBRIEFER_MODEL_JUDGE_KEY="sk-secret-2")
    settings = models.settings("judge")
    shown = f"{models!r} {settings!r} {settings} {settings.to_dict()} {models.to_dict()} {settings.identity}"
    shown += f"{models.engine('judge')!r} {models.lm('judge')!r} {vars(models.lm('judge'))}"
    for secret in ("sk-secret", "hidden"):
        assert secret not in shown


def test_settings_reach_a_worker_process_whole() -> None:
    settings = read(**URL).settings("solver")
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 -- our own bytes


def test_the_identity_tells_endpoints_and_settings_apart_but_not_keys() -> None:
    one = ModelSettings("m", base_urls=("http://a/v1",), api_key="k1")
    assert one.identity != ModelSettings("m", base_urls=("http://b/v1",)).identity
    assert one.identity != one.with_values(vision=True).identity
    assert one.identity == one.with_values(api_key="k2").identity


def test_an_unknown_dialect_is_said_when_the_model_is_asked() -> None:
    models = read(**URL, MODEL_DIALECT="klingon")
    with models.using("solver"), pytest.raises(dspy.LMError) as caught:
        dspy.Predict("question -> answer")(question="x")
    assert isinstance(caught.value.__cause__, ModelError)
    assert "`klingon` is no dialect" in str(caught.value)


def test_limits_are_read_from_the_environment(tmp_path: Path) -> None:
    limiter = read(**URL, MODEL_CONCURRENCY="3", MODEL_SLOTS=str(tmp_path / "slots")).limiter
    assert (limiter.limit, limiter.folder) == (3, tmp_path / "slots")
