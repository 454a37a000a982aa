from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from debriefer.media import remote
from debriefer.media.remote import RemoteTranscriber
from tests.doubles.videos import tone, write_sound

KEY = "sk-very-secret"
REPLY = {
    "language": "english",
    "text": "Exclude the old batch. Now.",
    "segments": [
        {"start": 0.0, "end": 1.5, "text": " Exclude the old batch.", "avg_logprob": -0.1},
        {"start": 1.6, "end": 2.0, "text": " Now."},
    ],
    "words": [
        {"word": "Exclude", "start": 0.0, "end": 0.4},
        {"word": "the", "start": 0.4, "end": 0.6},
        {"word": "old", "start": 0.7, "end": 1.0},
        {"word": "batch", "start": 1.0, "end": 1.5},
        {"word": "Now", "start": 1.6, "end": 2.0},
    ],
}


@dataclass
class Endpoint:
    """Answers in turn what it is given; the last answer again and again."""

    answers: list[tuple[int, Any]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def answer(self) -> tuple[int, Any]:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    made = Endpoint([(200, REPLY)])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
            message: EmailMessage = BytesParser(policy=HTTP).parsebytes(head + body)  # type: ignore[assignment]
            parts = [
                (part.get_param("name", header="content-disposition"), part.get_content())
                for part in message.iter_parts()
            ]
            made.requests.append({"path": self.path, "key": self.headers.get("Authorization"), "parts": parts})
            status, value = made.answer()
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    monkeypatch.setattr(remote, "_FIRST_WAIT_SECONDS", 0.01)
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return write_sound(tmp_path / "a.mkv", tone(2.0), start=10.0)


def test_words_get_their_marks_and_the_videos_clock(endpoint: Endpoint, sound: Path) -> None:
    heard = RemoteTranscriber(endpoint.url, "whisper-1", KEY).transcribe(sound, hotwords=("batch",))
    assert heard.language == "en"
    first, second = heard.segments
    assert [word.text for word in first.words] == [" Exclude", " the", " old", " batch."]
    assert [word.text for word in second.words] == [" Now."]
    assert first.words[0].start == pytest.approx(10.0, abs=2e-3)
    assert first.confidence == pytest.approx(0.9048, abs=1e-4)
    request = endpoint.requests[0]
    assert request["path"] == "/v1/audio/transcriptions"
    assert request["key"] == f"Bearer {KEY}"
    fields = [(name, value) for name, value in request["parts"] if name != "file"]
    assert fields == [
        ("model", "whisper-1"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"), ("temperature", "0"), ("prompt", "batch"),
    ]  # fmt: skip
    assert request["parts"][-1][1][:4] == b"RIFF"


def test_a_passing_fault_is_tried_again_a_bounded_number_of_times(endpoint: Endpoint, sound: Path) -> None:
    endpoint.answers = [(503, {}), (429, {}), (200, REPLY)]
    assert RemoteTranscriber(endpoint.url, "m").transcribe(sound).reason is None
    assert len(endpoint.requests) == 3
    endpoint.answers = [(503, {"error": "busy"})]
    heard = RemoteTranscriber(endpoint.url, "m").transcribe(sound)
    assert len(endpoint.requests) == 6
    assert heard.reason is not None
    assert "answered 503" in heard.reason


def test_a_refusal_is_not_tried_again_and_the_key_is_not_shown(endpoint: Endpoint, sound: Path) -> None:
    endpoint.answers = [(401, {"error": f"bad key {KEY}"})]
    heard = RemoteTranscriber(endpoint.url, "m", KEY).transcribe(sound)
    assert len(endpoint.requests) == 1
    assert "answered 401" in (heard.reason or "")
    assert KEY not in repr(heard)


def test_a_redirect_does_not_carry_the_key_away(endpoint: Endpoint, sound: Path) -> None:
    endpoint.answers = [(302, {})]
    heard = RemoteTranscriber(endpoint.url, "m", KEY).transcribe(sound)
    assert "answered 302" in (heard.reason or "")


@pytest.mark.parametrize(
    "reply",
    [
        b"<html>",
        b"[]",
        {"segments": [{"start": "x", "text": 7}, None], "words": [{"word": None}, 3]},
        {"text": "only text"},
        {"segments": [{"start": 5, "end": 1, "text": "back"}], "words": [{"word": "other", "start": -1, "end": "?"}]},
    ],
)
def test_an_odd_reply_never_raises(endpoint: Endpoint, sound: Path, reply: object) -> None:
    endpoint.answers = [(200, reply)]
    heard = RemoteTranscriber(endpoint.url, "m").transcribe(sound)
    assert heard.reason is not None or heard.segments
    assert all(segment.start <= segment.end for segment in heard.segments)


def test_words_inside_segments_keep_their_probability(endpoint: Endpoint, sound: Path) -> None:
    words = [{"word": " Hi", "start": 0.1, "end": 0.4, "probability": 0.75}]
    endpoint.answers = [(200, {"language": "en", "segments": [{"start": 0, "end": 1, "text": " Hi.", "words": words}]})]
    (segment,) = RemoteTranscriber(endpoint.url, "m").transcribe(sound).segments
    assert [(word.text, word.probability) for word in segment.words] == [(" Hi.", 0.75)]


def test_nobody_at_the_address_is_a_reason(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_FIRST_WAIT_SECONDS", 0.01)
    heard = RemoteTranscriber("http://127.0.0.1:9/v1", "m", KEY).transcribe(sound)
    assert "cannot be reached" in (heard.reason or "")


def test_chinese_comes_in_simplified_characters(endpoint: Endpoint, sound: Path) -> None:
    endpoint.answers = [(200, {"language": "chinese", "segments": [{"start": 0, "end": 1, "text": "廣州"}]})]
    heard = RemoteTranscriber(endpoint.url, "m").transcribe(sound)
    assert (heard.language, heard.text) == ("zh", "广州")
