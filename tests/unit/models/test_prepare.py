"""What the engine changes on the way out and on the way in."""

from __future__ import annotations

import base64
import struct
import zlib

import dspy
import pytest
from dspy import lm15
from hypothesis import given
from hypothesis import strategies as st

from debriefer.models import ModelSettings, images
from debriefer.models.families import family_of
from debriefer.models.overflow import says_overflow
from debriefer.models.prepare import finish, prepare, split_thinking
from tests.doubles.script import Reply
from tests.doubles.scripted import scripted_models


def png(width: int, height: int) -> bytes:
    """Return a grey PNG, made by hand so that no image library stands behind the expected values."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x80" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def request_with(*parts: object, **config: object) -> lm15.Request:
    message = lm15.Message(role="user", parts=parts)
    return lm15.Request(model="m", messages=(message,), config=lm15.Config(**config))


def image_of(data: bytes) -> lm15.ImagePart:
    return lm15.ImagePart(data=base64.b64encode(data).decode(), media_type="image/png")


class Look(dspy.Signature):
    """Describe the picture."""

    picture: dspy.Image = dspy.InputField()
    answer: str = dspy.OutputField()


@pytest.mark.parametrize("vision", [True, False])
def test_an_image_reaches_only_a_model_that_sees(vision: bool) -> None:
    models, engine = scripted_models(["[[ ## answer ## ]]\ngrey"], ModelSettings("openai/x", vision=vision))
    url = "data:image/png;base64," + base64.b64encode(png(4, 4)).decode()
    with models.using("vision"):
        dspy.Predict(Look)(picture=dspy.Image(url))
    assert engine.turns[0].images == int(vision) == models.ledger.calls[0].images
    assert ("this model reads text only" in engine.turns[0].text) is not vision
    assert models.ledger.calls[0].notes == (() if vision else ("image left out: the model reads text only",))


@pytest.mark.skipif(images.scaler() is None, reason="neither OpenCV nor Pillow is installed")
def test_an_image_is_scaled_to_the_pixel_budget() -> None:
    settings = ModelSettings("m/x", vision=True, image_pixel_budget=10_000)
    prepared = prepare(request_with(image_of(png(400, 100))), settings)
    sent = base64.b64decode(prepared.request.messages[0].parts[0].data)
    assert images.image_size(sent) == (200, 50)
    assert prepared.notes == ("image scaled from 400×100 to 200×50 pixels",)


def test_without_an_image_library_the_image_is_sent_as_it_is_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "scaler", lambda: None)
    picture = image_of(png(400, 100))
    prepared = prepare(request_with(picture), ModelSettings("m/x", vision=True, image_pixel_budget=10_000))
    assert prepared.request.messages[0].parts[0] == picture
    assert "sent unscaled" in prepared.notes[0]


def test_an_image_within_the_budget_is_untouched() -> None:
    picture = image_of(png(100, 100))
    prepared = prepare(request_with(picture), ModelSettings("m/x", vision=True, image_pixel_budget=10_000))
    assert prepared.request.messages[0].parts[0] is picture
    assert prepared.notes == ()


def test_images_in_tool_results_are_treated_alike() -> None:
    result = lm15.ToolResultPart(id="1", content=(image_of(png(4, 4)),))
    request = lm15.Request(model="m", messages=(lm15.Message(role="tool", parts=(result,)),))
    prepared = prepare(request, ModelSettings("m/x"))
    assert prepared.request.messages[0].parts[0].content[0].type == "text"


@pytest.mark.parametrize(
    "part",
    [
        lm15.ImagePart(url="http://attacker.example/x.png"),
        lm15.DocumentPart(url="http://attacker.example/x.pdf"),
        lm15.DocumentPart(path="/etc/passwd"),
        lm15.AudioPart(file_id="file-1"),
    ],
    ids=["image", "document", "path", "file"],
)
def test_media_by_address_are_left_out(part: object) -> None:
    prepared = prepare(request_with(part), ModelSettings("m/x", vision=True))
    assert [item.type for item in prepared.request.messages[0].parts] == ["text"]


def test_jpeg_size_is_read_from_its_frame_header() -> None:
    app0 = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, 480, 640, 3)
    assert images.image_size(b"\xff\xd8" + app0 + frame) == (640, 480)


@given(st.binary(max_size=64), st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a"]))
def test_any_bytes_have_a_size_or_none(data: bytes, start: bytes) -> None:
    size = images.image_size(start + data)
    assert size is None or len(size) == 2


@pytest.mark.skipif(images.scaler() is None, reason="neither OpenCV nor Pillow is installed")
def test_a_broken_image_is_sent_unscaled() -> None:
    broken = png(400, 100)[:40]
    fitted = images.fit(broken, 10)
    assert fitted is not None
    assert fitted[:2] == (broken, "")
    assert "cannot be decoded" in fitted[2]


def test_a_temperature_is_dropped_for_models_that_refuse_one() -> None:
    request = request_with(lm15.TextPart("x"), temperature=0.7)
    assert prepare(request, ModelSettings("openai/gpt-5-mini")).request.config.temperature is None
    assert prepare(request, ModelSettings("openai/gpt-4o")).request.config.temperature == 0.7


def test_the_reasoning_effort_of_the_settings_is_sent() -> None:
    prepared = prepare(request_with(lm15.TextPart("x")), ModelSettings("m/x", reasoning_effort="low"))
    assert prepared.request.config.reasoning.effort == "low"


@pytest.mark.parametrize(
    ("reply", "answer", "thought"),
    [
        (Reply("<think>\nlet me see\n</think>\n\n[[ ## answer ## ]]\n4"), "4", "let me see"),
        (Reply("let me see\n</think>[[ ## answer ## ]]\n4"), "4", "let me see"),
        (Reply("[[ ## answer ## ]]\n4", reasoning="let me see"), "4", "let me see"),
        (Reply("[[ ## answer ## ]]\nthe <think> tag"), "the <think> tag", None),
    ],
    ids=["tags", "closing tag", "reasoning_content", "a tag in the answer"],
)
def test_reasoning_is_no_part_of_the_answer(reply: Reply, answer: str, thought: str | None) -> None:
    models, _ = scripted_models(lambda _: reply)
    with models.using("solver"):
        assert dspy.Predict("question -> answer")(question="2+2").answer == answer
    kept, _ = scripted_models(lambda _: reply, ModelSettings("openai/x", reasoning="keep"))
    output = kept.lm("solver")("2+2")[0]
    assert (output.get("reasoning_content") if isinstance(output, dict) else None) == thought


def test_a_reply_of_nothing_but_reasoning_is_empty_text() -> None:
    message = lm15.Message.assistant([lm15.TextPart("<think>for ever")])
    response = lm15.Response(id=None, model="m", message=message, finish_reason="length", usage=lm15.Usage())
    assert finish(response, ModelSettings("m/x")).message.text == ""


@given(st.text(), st.text().filter(lambda text: not text[:1].isspace()))
def test_thinking_is_split_at_its_first_end(thought: str, answer: str) -> None:
    thought = thought.replace("</think", "").replace("<think", "")
    if "</think" not in answer:
        assert split_thinking(f"<think>{thought}</think>\n{answer}") == (thought.strip(), answer)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens",
        "the request exceeds the available context size. try increasing the context size",
        "Requested tokens (4800) exceed context window of 4096",
        "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        "The input token count (1100000) exceeds the maximum number of tokens allowed (1048575).",
        "Range of input length should be [1, 30720]",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    ],
)
def test_overflow_wordings(message: str) -> None:
    assert says_overflow(message)


@pytest.mark.parametrize("message", ["invalid `temperature`", "model not found", "Rate limit: tokens per minute"])
def test_other_errors_are_no_overflow(message: str) -> None:
    assert not says_overflow(message)


def test_families() -> None:
    assert family_of("openai/gpt-4o-mini").context_window == 128_000
    assert family_of("anthropic/claude-sonnet-4-5").native_tools
    assert not family_of("ollama_chat/olmo").fixed_temperature
    assert family_of("o3-mini").fixed_temperature
    assert family_of("gemini/gemini-3-pro").vision
