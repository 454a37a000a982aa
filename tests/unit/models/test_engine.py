# ruff: noqa: ANN401 -- requests and replies are classes of DSPy, which has no type hints
"""Budgets, retries, rotation, records: the engine under every LM, with the wire left out."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dspy
import pytest
from dspy.clients.cache import Cache

from debriefer.errors import BudgetExceededError, ModelError
from debriefer.models import (
    Budget,
    Limiter,
    Meter,
    Models,
    ModelSettings,
    RetryPolicy,
    budget_error,
    current_meters,
    metered,
)
from debriefer.models.budget import reserve_all
from tests.doubles.script import Answer, Fault, Reply, Script, Turn, fields, overflow, play, rate_limited, server_error
from tests.doubles.scripted import AT_ONCE, ScriptedEngine, scripted_models

KEY = "sk-very-secret-key"


def answer(turn: Turn) -> Reply:
    return fields(turn, answer="4")


def predict() -> dspy.Predict:
    return dspy.Predict("question -> answer")


def ask(models: Models, meter: Meter | None = None, times: int = 1, **settings: Any) -> list[str]:
    with models.using("solver", meter, **settings):
        return [predict()(question="2+2").answer for _ in range(times)]


def from_host(host: str) -> Script:
    return lambda turn: fields(turn, answer=f"from {host}")


def several(
    scripts: Mapping[str, Script | Iterable[Answer | Script]], **options: Any
) -> tuple[Models, dict[str, ScriptedEngine]]:
    """Return models with one endpoint for each script."""
    engines = {host: ScriptedEngine(script) for host, script in scripts.items()}
    settings = ModelSettings("m", base_urls=tuple(f"http://{host}/v1" for host in engines), api_key=KEY)

    def factory(given: ModelSettings, number: int, _environment: Mapping[str, str]) -> Any:
        return lambda request, _seconds: engines[given.endpoints[number]].complete(request)

    options.setdefault("policy", AT_ONCE)
    return Models(settings, sender_factory=factory, environment={}, **options), engines


# Budgets


def test_a_budget_stops_at_exactly_its_number_of_requests() -> None:
    models, engine = scripted_models(answer)
    meter = Meter(Budget(requests=3))
    with pytest.raises(dspy.LMError) as caught:
        ask(models, meter, times=10)
    error = budget_error(caught.value)
    assert error is not None
    assert (error.bound, error.limit, error.used) == ("requests", 3, 3)
    assert error.message == "the budget of 3 requests is used up (3 used)"
    assert len(engine.turns) == meter.requests == 3


def test_the_hidden_request_of_a_parse_fallback_is_counted() -> None:
    models, engine = scripted_models(lambda _: "not in any format")
    meter = Meter(Budget(requests=10))
    with pytest.raises(dspy.AdapterParseError):
        ask(models, meter)
    assert len(engine.turns) == meter.requests == 2


def test_a_budget_stops_a_parse_fallback() -> None:
    models, engine = scripted_models(lambda _: "not in any format")
    with pytest.raises(dspy.LMError) as caught:
        ask(models, Meter(Budget(requests=1)))
    assert budget_error(caught.value) is not None
    assert len(engine.turns) == 1


def test_retries_and_candidates_are_counted() -> None:
    models, engine = scripted_models(play([server_error(), answer, answer, answer]))
    meter = Meter(Budget())
    with models.using("solver", meter):
        predict()(question="2+2", config={"n": 3, "temperature": 1.0})
    assert len(engine.turns) == meter.requests == 4
    assert meter.totals().failures == 1


@pytest.mark.parametrize(
    ("budget", "bound"),
    [
        (Budget(requests=None, input_tokens=250), "input_tokens"),
        (Budget(requests=None, output_tokens=25), "output_tokens"),
        (Budget(requests=None, cost=0.00025), "cost"),
    ],
)
def test_tokens_and_cost_stop_after_the_reply_that_passed_the_bound(budget: Budget, bound: str) -> None:
    reply = Reply("[[ ## answer ## ]]\n4", usage={"prompt_tokens": 100, "completion_tokens": 10})
    settings = ModelSettings("openai/x", input_price=1.0, output_price=0.0)
    models, engine = scripted_models(lambda _: reply, settings)
    with pytest.raises(dspy.LMError) as caught:
        ask(models, Meter(budget), times=10)
    error = budget_error(caught.value)
    assert error is not None
    assert error.bound == bound
    assert len(engine.turns) == 3


def test_wall_time_stops_and_bounds_the_attempt() -> None:
    given: list[float] = []

    def factory(_s: ModelSettings, _n: int, _e: Mapping[str, str]) -> Any:
        engine = ScriptedEngine(answer)

        def send(request: Any, seconds: float) -> Any:
            given.append(seconds)
            now[0] += 4.0
            return engine.complete(request)

        return send

    now = [100.0]
    models = Models(ModelSettings("m/x", timeout_seconds=60), sender_factory=factory, environment={})
    with pytest.raises(dspy.LMError) as caught:
        ask(models, Meter(Budget(seconds=10), clock=lambda: now[0]), times=9)
    error = budget_error(caught.value)
    assert error is not None
    assert error.bound == "seconds"
    assert given == [10.0, 6.0, 2.0]


def test_a_wait_that_would_outlast_the_time_is_not_begun() -> None:
    models, _ = scripted_models([rate_limited(60.0), answer])
    began = time.monotonic()
    with pytest.raises(dspy.LMError) as caught:
        ask(models, Meter(Budget(seconds=30)))
    assert budget_error(caught.value) is not None
    assert time.monotonic() - began < 5


def test_meters_nest_and_the_tightest_one_stops() -> None:
    models, _ = scripted_models(answer)
    task, attempt = Meter(Budget(requests=5)), Meter(Budget(requests=2))
    with metered(task):
        ask(models, attempt, times=2)
        with pytest.raises(dspy.LMError) as caught:
            ask(models, attempt)
        assert (task.requests, attempt.requests) == (2, 2), "a refused request must not count in the outer meter"
        ask(models, Meter(), times=3)
        with pytest.raises(dspy.LMError):
            ask(models)
    error = budget_error(caught.value)
    assert error is not None
    assert error.limit == 2
    assert current_meters() == ()


def test_a_request_counts_in_all_meters_or_in_none() -> None:
    task, attempt = Meter(Budget(requests=5)), Meter(Budget(requests=1))
    reserve_all([task, attempt])
    with pytest.raises(BudgetExceededError):
        reserve_all([task, attempt])
    assert (task.requests, attempt.requests) == (1, 1)


def test_a_request_that_never_reached_an_endpoint_is_not_counted() -> None:
    network = pytest.importorskip("dspy._vendor.lm15.transports")
    attempts = []

    def factory(_s: ModelSettings, _n: int, _e: Mapping[str, str]) -> Any:
        engine = ScriptedEngine(answer)

        def send(request: Any, _seconds: float) -> Any:
            attempts.append(1)
            if len(attempts) <= 9:
                message = "refused"
                raise dspy.lm15.TransportError(message) from network.ConnectError(message)
            return engine.complete(request)

        return send

    models = Models(ModelSettings("m/x"), sender_factory=factory, environment={}, policy=AT_ONCE)
    meter = Meter(Budget(requests=1))
    assert ask(models, meter) == ["4"]
    assert meter.requests == meter.totals().requests == 1
    assert meter.totals().failures == 9


def test_threads_share_a_meter_and_stop_exactly() -> None:
    models, engine = scripted_models(answer)
    meter = Meter(Budget(requests=25))

    refused = []

    def work() -> None:
        with models.using("solver", meter):
            for _ in range(10):
                try:
                    predict()(question="2+2")
                except dspy.LMError as error:
                    refused.append(budget_error(error))

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(engine.turns) == meter.requests == 25
    assert len(refused) == 25
    assert None not in refused
    assert meter.totals().requests == models.ledger.totals().requests == 25


def test_a_meter_follows_parallel_and_asyncio() -> None:
    models, _ = scripted_models(answer)
    meter = Meter()
    with models.using("solver", meter):
        program = predict()
        pairs = [(program, {"question": str(number)}) for number in range(4)]
        dspy.Parallel(num_threads=2, disable_progress_bar=True)(pairs)
        assert meter.requests == 4

        async def both() -> None:
            await asyncio.gather(program.acall(question="a"), dspy.asyncify(program)(question="b"))

        asyncio.run(both())
    assert meter.requests == 6


def test_budget_error_of_something_else_is_none() -> None:
    assert budget_error(None) is None
    assert budget_error(ValueError("x")) is None
    with pytest.raises(ValueError, match=r"Budget\.requests"):
        Budget(requests=-1)


# Retries and rotation


def test_retry_after_is_honoured() -> None:
    models, engine = scripted_models([rate_limited(0.4), answer])
    began = time.monotonic()
    assert ask(models) == ["4"]
    assert 0.4 <= time.monotonic() - began < 5
    assert len(engine.turns) == 2


def test_a_retry_after_beyond_the_patience_fails_at_once() -> None:
    models, engine = scripted_models([rate_limited(3600)])
    with pytest.raises(dspy.LMRateLimitError):
        ask(models)
    assert len(engine.turns) == 1


def test_attempts_are_bounded_and_dspy_adds_none() -> None:
    models, engine = scripted_models(lambda _: server_error())
    with pytest.raises(dspy.LMServerError):
        ask(models)
    assert len(engine.turns) == AT_ONCE.attempts == 6


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_wrong_request_is_not_repeated(status: int) -> None:
    models, engine = scripted_models(lambda _: Fault(status=status, message="no"))
    with pytest.raises(dspy.LMInvalidRequestError):
        ask(models)
    assert len(engine.turns) == 1


@pytest.mark.parametrize("wording", ["openai", "llama.cpp", "vllm"])
def test_every_wording_of_an_overflow_is_the_same_error(wording: str) -> None:
    models, engine = scripted_models(lambda _: overflow(wording))
    with pytest.raises(dspy.ContextWindowExceededError):
        ask(models)
    assert len(engine.turns) == 1
    assert models.ledger.calls[0].status == "overflow"


def test_a_failing_endpoint_is_left_at_once() -> None:
    down: Callable[[Turn], Answer] = lambda _: rate_limited(60.0)  # noqa: E731
    models, engines = several({"a": down, "b": answer})
    began = time.monotonic()
    assert ask(models, times=4) == ["4"] * 4
    assert time.monotonic() - began < 5
    assert (len(engines["a"].turns), len(engines["b"].turns)) == (1, 4)
    assert [call.endpoint for call in models.ledger.calls] == ["a", "b", "b", "b", "b"]


def test_endpoints_take_turns() -> None:
    models, engines = several({"a": answer, "b": answer})
    ask(models, times=6)
    assert (len(engines["a"].turns), len(engines["b"].turns)) == (3, 3)


def test_a_metered_conversation_stays_with_one_endpoint() -> None:
    models, engines = several({"a": answer, "b": answer})
    for meter in (Meter(), Meter()):
        ask(models, meter, times=3)
    assert (len(engines["a"].turns), len(engines["b"].turns)) == (3, 3)
    assert [call.endpoint for call in models.ledger.calls] == ["a", "a", "a", "b", "b", "b"]


def test_a_refused_key_moves_on_and_fails_where_all_refuse() -> None:
    refuse = Fault(status=401, message=f"Incorrect API key provided: {KEY}")
    models, _ = several({"a": lambda _: refuse, "b": answer})
    assert ask(models) == ["4"]
    models, engines = several({"a": lambda _: refuse, "b": lambda _: refuse})
    with pytest.raises(dspy.LMAuthError):
        ask(models)
    assert len(engines["a"].turns) == len(engines["b"].turns) == 1


def test_stopping_gives_up_a_reply_that_hangs() -> None:
    hung = threading.Event()
    models = Models(ModelSettings("openai/any"), sender_factory=lambda *_: lambda *_: hung.wait(20.0))
    threading.Timer(0.2, models.stop).start()
    began = time.monotonic()
    with pytest.raises(dspy.LMError), models.using("solver"):
        dspy.Predict("question -> answer")(question="?")
    hung.set()
    assert time.monotonic() - began < 5.0
    assert [call.status for call in models.ledger.calls] == ["stopped"]
    assert models.ledger.totals().requests == 1


def test_stopping_ends_a_wait() -> None:
    models, _ = scripted_models([rate_limited(60.0), answer])
    threading.Timer(0.2, models.stop).start()
    began = time.monotonic()
    with pytest.raises(dspy.LMError) as caught:
        ask(models)
    assert isinstance(caught.value.__cause__, ModelError)
    assert time.monotonic() - began < 5


def test_pauses_double_up_to_the_cap_and_repeat_with_the_seed() -> None:
    policy = RetryPolicy(base_seconds=1.0, cap_seconds=8.0, seed=7)
    pauses = [policy.pause(number, "key") for number in range(1, 8)]
    for pause, full in zip(pauses, [1, 2, 4, 8, 8, 8, 8], strict=True):
        assert full / 2 <= pause <= full
    assert pauses == [policy.pause(number, "key") for number in range(1, 8)]
    assert pauses != [RetryPolicy(base_seconds=1.0, seed=8).pause(number, "key") for number in range(1, 8)]
    assert 5.0 <= policy.pause(3, "key", retry_after=5.0) <= 6.0


# Records


def test_the_ledger_adds_up_and_is_json() -> None:
    settings = ModelSettings("openai/x", input_price=2.0, output_price=8.0)
    reply = Reply("[[ ## answer ## ]]\n4", usage={"prompt_tokens": 1000, "completion_tokens": 100})
    models, _ = scripted_models([server_error(), reply, reply], settings)
    with models.using("solver"):
        predict()(question="a")
    with models.using("judge"):
        predict()(question="b")
    totals = models.ledger.totals()
    assert (totals.requests, totals.failures, totals.input_tokens, totals.output_tokens) == (3, 1, 2000, 200)
    assert totals.cost == pytest.approx(2 * (0.002 + 0.0008))
    record = json.loads(json.dumps(models.ledger.to_dict()))
    assert list(record["by_role"]) == ["judge", "solver"]
    assert [call["attempt"] for call in record["calls"]] == [1, 2, 1]
    assert record["calls"][0]["error"] == "the server had an error"


def test_a_cost_is_unknown_rather_than_zero_without_prices() -> None:
    models, _ = scripted_models(answer)
    ask(models)
    assert models.ledger.totals().to_dict()["cost"] is None


def test_an_endpoint_that_reports_no_tokens_is_counted_by_estimate() -> None:
    silent = Reply("[[ ## answer ## ]]\n" + "数" * 100, usage={})
    models, engine = scripted_models(lambda _: silent)
    meter = Meter(Budget(requests=None, output_tokens=250))
    with pytest.raises(dspy.LMError) as caught:
        ask(models, meter, times=10)
    assert budget_error(caught.value) is not None
    assert len(engine.turns) == 3
    call = models.ledger.calls[0]
    assert call.notes == ("tokens estimated: the endpoint reports none",)
    assert call.input_tokens
    assert call.output_tokens
    assert call.input_tokens > call.output_tokens > 100


def test_a_budget_in_money_without_prices_is_refused() -> None:
    models, engine = scripted_models(answer)
    with pytest.raises(dspy.LMError) as caught:
        ask(models, Meter(Budget(cost=1.0)))
    assert isinstance(caught.value.__cause__, ModelError)
    assert engine.turns == []


def test_keys_show_in_no_error_record_or_log(caplog: pytest.LogCaptureFixture) -> None:
    refuse = Fault(status=401, message=f"Incorrect API key provided: {KEY}")
    busy = Fault(status=500, message=f"upstream refused {KEY}")
    models, _ = several({"a": play([busy, busy, refuse]), "b": play([busy, refuse])})
    caplog.set_level("DEBUG")
    with pytest.raises(dspy.LMAuthError) as caught:
        ask(models)
    chain: list[str] = []
    error: BaseException | None = caught.value
    while error is not None:
        chain += [str(error), repr(error), str(vars(error))]
        error = error.__cause__ or error.__context__
    shown = "\n".join(chain) + caplog.text + json.dumps(models.ledger.to_dict())
    assert "***" in shown
    assert KEY not in shown


def test_a_key_from_a_providers_own_variable_is_hidden_too() -> None:
    fault = Fault(status=400, message="bad key env-secret-value")
    models, _ = scripted_models(lambda _: fault, environment={"OPENAI_API_KEY": "env-secret-value"})
    with pytest.raises(dspy.LMError) as caught:
        ask(models)
    assert "env-secret-value" not in f"{caught.value}{caught.value.__cause__!r}{models.ledger.to_dict()}"


# Limits and caches


def test_the_limiter_bounds_requests_under_way() -> None:
    active, most = 0, 0
    lock = threading.Lock()

    def factory(_s: ModelSettings, _n: int, _e: Mapping[str, str]) -> Any:
        engine = ScriptedEngine(answer)

        def send(request: Any, _seconds: float) -> Any:
            nonlocal active, most
            with lock:
                active += 1
                most = max(most, active)
            time.sleep(0.02)
            response = engine.complete(request)
            with lock:
                active -= 1
            return response

        return send

    models = Models(ModelSettings("m/x"), limiter=Limiter(2), sender_factory=factory, environment={})
    with models.using("solver"):
        pairs = [(predict(), {"question": str(number)}) for number in range(12)]
        dspy.Parallel(num_threads=6, disable_progress_bar=True)(pairs)
    assert most == 2


def test_nothing_is_cached_unless_asked() -> None:
    models, engine = scripted_models(answer)
    ask(models, times=2)
    assert len(engine.turns) == 2


def test_two_endpoints_never_share_a_cache_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(enable_disk_cache=False, enable_memory_cache=True, disk_cache_dir=None)
    monkeypatch.setattr(dspy, "cache", cache)
    replies = {}
    for host in ("a", "b", "a"):
        models, engines = several({host: from_host(host)})
        with models.using("solver", lm=models.lm("solver", cache=True)):
            replies[host] = predict()(question="who are you?").answer, len(engines[host].turns)
    assert replies["b"] == ("from b", 1)
    assert replies["a"] == ("from a", 0), "the second run of `a` is served from the cache"


def test_a_program_with_one_of_our_models_can_be_copied() -> None:
    models, engine = scripted_models(answer)
    program = predict()
    program.set_lm(models.lm("solver"))
    assert program.deepcopy()(question="x").answer == "4"
    assert len(engine.turns) == 1


def test_budget_errors_are_ours() -> None:
    assert BudgetExceededError("cost", limit=1.5, used=2).message == "the budget of 1.5 in cost is used up (2 used)"
