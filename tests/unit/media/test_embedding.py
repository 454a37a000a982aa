from __future__ import annotations

import base64
import json
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from debriefer.errors import MediaError
from debriefer.media.embedding import HttpEmbedder, OnnxClip, embedder, letterboxed
from debriefer.media.film import Film
from debriefer.media.finding import Finder
from tests.doubles.films import ready_film


def field(number: int, value: bytes | int | str) -> bytes:
    """Return one field of a protocol-buffer message."""

    def varint(rest: int) -> bytes:
        out = bytearray()
        while True:
            out.append(rest & 127 | (128 if rest > 127 else 0))
            rest >>= 7
            if not rest:
                return bytes(out)

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name: str, dims: list[int], floats: list[float]) -> bytes:
    shape = b"".join(field(1, size) for size in dims)
    return shape + field(2, 1) + field(8, name) + field(9, struct.pack(f"<{len(floats)}f", *floats))


def value(name: str, kind: int, dims: list[int]) -> bytes:
    shape = b"".join(field(1, field(1, size) if size else field(2, "n")) for size in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(nodes: list[bytes], given: bytes, made: bytes, weights: list[bytes] = []) -> bytes:  # noqa: B006
    graph = b"".join(field(1, node) for node in nodes) + field(2, "tiny")
    graph += b"".join(field(5, weight) for weight in weights) + field(11, given) + field(12, made)
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def node(kind: str, given: list[str], made: str, attributes: bytes = b"") -> bytes:
    return b"".join(field(1, name) for name in given) + field(2, made) + field(4, kind) + attributes


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose vector of a picture is its mean colour, and of the words red, green and blue these colours."""
    folder = tmp_path_factory.mktemp("clip")
    axes = field(5, field(1, "axes") + field(20, 7) + field(8, 2) + field(8, 3))
    keep = field(5, field(1, "keepdims") + field(20, 2) + field(3, 0))
    image = model(
        [node("ReduceMean", ["pixels"], "vector", axes + keep)],
        value("pixels", 1, [0, 3, 32, 32]),
        value("vector", 1, [0, 3]),
    )
    (folder / "image.onnx").write_bytes(image)
    table = tensor("table", [4, 3], [0, 0, 0, 2, -1, -1, -1, 2, -1, -1, -1, 2])
    flat = node("ReduceSum", ["rows"], "vector", field(5, field(1, "keepdims") + field(20, 2) + field(3, 0)))
    axis = field(1, 1) + field(2, 7) + field(8, "axis") + field(9, struct.pack("<q", 1))
    flat = node("ReduceSum", ["rows", "axis"], "vector", field(5, field(1, "keepdims") + field(20, 2) + field(3, 0)))
    text = model(
        [node("Gather", ["table", "ids"], "rows"), flat],
        value("ids", 7, [1, 4]),
        value("vector", 1, [1, 3]),
        [table, axis],
    )
    (folder / "text.onnx").write_bytes(text)
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "red": 1, "green": 2, "blue": 3}, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def plain(color: tuple[int, int, int]) -> np.ndarray:
    return np.full((36, 64, 3), color, np.uint8)


def test_the_nearest_picture_of_a_word_is_that_of_its_colour(clip: Path) -> None:
    eyes = OnnxClip(clip)
    rows = eyes.images([plain((250, 10, 10)), plain((10, 250, 10)), plain((10, 10, 250))])
    assert rows.shape == (3, 3)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert [int(np.argmax(rows @ eyes.text(word))) for word in ("red", "a green thing", "blue")] == [0, 1, 2]


def test_nothing_at_the_edges_is_cropped() -> None:
    picture = np.zeros((90, 160, 3), np.uint8)
    picture[:, :10] = 255
    square = letterboxed(picture, 64)
    assert square.shape == (64, 64, 3)
    assert square[32, 0].tolist() == [255, 255, 255]
    assert square[0, 32].tolist() == [128, 128, 128]


def test_a_folder_without_models_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"has no `image\.onnx`") as caught:
        embedder(str(tmp_path), {})
    assert caught.value.hint is not None
    for name in ("image.onnx", "text.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("no model", encoding="utf-8")
    with pytest.raises(MediaError, match="can be loaded"):
        embedder(str(tmp_path), {})


def test_nothing_is_used_where_nothing_is_named(clip: Path) -> None:
    assert embedder(None, {}) is None
    assert embedder("none", {"DEBRIEFER_IMAGE_EMBEDDER": str(clip)}) is None
    assert isinstance(embedder(None, {"DEBRIEFER_IMAGE_EMBEDDER": str(clip)}), OnnxClip)
    named = embedder("clip@https://host/v1", {"DEBRIEFER_IMAGE_EMBEDDER_KEY": "k"})
    assert named == HttpEmbedder("https://host/v1", "clip", "k")
    assert "k" not in repr(named).replace("clip", "")


class Endpoint(BaseHTTPRequestHandler):
    seen: list[tuple[str | None, dict[str, Any]]] = []  # noqa: RUF012 -- one list for all requests is meant
    broken = False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.headers.get("Authorization"), body))
        rows = []
        for place, item in enumerate(body["input"]):
            if "text" in item:
                vector = [float(word in item["text"]) for word in ("red", "green", "blue")]
            else:
                data = np.frombuffer(base64.b64decode(item["image"].partition(",")[2]), np.uint8)
                vector = [float(value) for value in cv2.imdecode(data, cv2.IMREAD_COLOR).mean((0, 1))[::-1]]
            rows.append({"index": place, "embedding": vector})
        answer = b"nonsense" if self.broken else json.dumps({"data": rows[::-1]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Endpoint.seen.clear()
    Endpoint.broken = False
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_endpoint_embeds_pictures_and_texts_in_the_order_given(endpoint: str) -> None:
    eyes = HttpEmbedder(endpoint, "clip", "secret")
    rows = eyes.images([plain((250, 0, 0)), plain((0, 250, 0))])
    assert [int(np.argmax(row)) for row in rows] == [0, 1]
    assert eyes.text("blue").tolist() == [0, 0, 1]
    assert {key for key, _ in Endpoint.seen} == {"Bearer secret"}


def test_an_empty_key_is_not_sent_and_the_key_is_never_shown(endpoint: str) -> None:
    HttpEmbedder(endpoint, "clip", "  ").text("red")
    assert Endpoint.seen[-1][0] is None
    Endpoint.broken = True
    with pytest.raises(MediaError) as caught:
        HttpEmbedder(endpoint, "clip", "secret").text("red")
    assert "secret" not in str(caught.value)


def test_an_endpoint_that_is_not_there_is_an_error() -> None:
    with pytest.raises(MediaError, match="gave no vectors"):
        HttpEmbedder("http://127.0.0.1:9/v1", "clip", seconds=2).text("red")


def test_an_endpoint_whose_vectors_change_their_length_is_an_error(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    eyes, asked = HttpEmbedder(endpoint, "clip"), HttpEmbedder._ask
    monkeypatch.setattr(HttpEmbedder, "_ask", lambda self, given: asked(self, given)[:, : 3 - (len(given) < 16)])
    with pytest.raises(MediaError, match="one length"):
        eyes.images([plain((250, 0, 0))] * 17)


class Counting:
    """Embeds a picture as its mean colour, and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.pictures = 0

    def images(self, pictures: list[np.ndarray]) -> np.ndarray:
        self.pictures += len(pictures)
        rows = np.stack([picture[picture.shape[0] // 4 :].mean((0, 1)) - 100 for picture in pictures])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def text(self, query: str) -> np.ndarray:
        raise MediaError(query)


def test_frames_are_embedded_once_and_kept_with_the_film(tmp_path: Path) -> None:
    film = ready_film(tmp_path, [8.0, 8.0])
    first, second = Counting(), Counting()
    first.text = lambda _: np.array([1, 0, 0], np.float32)  # type: ignore[method-assign]
    second.text = first.text  # type: ignore[method-assign]
    assert Finder(film, first).search(["anything"]).moments
    # One every two seconds, and where scenes begin.
    assert 8 <= first.pictures <= 12
    assert Finder(Film(film.folder), second).search(["anything"]).moments
    assert second.pictures == 0


def test_an_embedder_that_fails_is_noted_and_words_still_serve(tmp_path: Path) -> None:
    film = ready_film(tmp_path, [8.0], [(3.0, 4.0, "the ferry leaves")])
    found = Finder(film, Counting()).search(["ferry"])
    assert found.note == "ferry"
    assert [moment.start for moment in found.moments] == [0.0]


class Odd(Counting):
    """Gives vectors that cannot be compared."""

    def __init__(self, rows: list[list[float]], word: list[float]) -> None:
        super().__init__()
        self.rows = rows
        self.word = word

    def images(self, pictures: list[np.ndarray]) -> np.ndarray:
        rows = [self.rows[place % len(self.rows)] for place in range(len(pictures))]
        return np.array(rows, np.float32 if len({*map(len, rows)}) == 1 else object)

    def text(self, query: str) -> np.ndarray:
        assert query
        return np.array(self.word, np.float32)


@pytest.mark.parametrize(
    ("rows", "word", "note"),
    [
        ([[1.0, 0.0]], [1.0, 0.0, 0.0], "unequal lengths"),
        ([[1.0, 0.0], [1.0]], [1.0, 0.0], "no vectors of one length"),
        ([[1.0, float("nan")]], [1.0, 0.0], "no numbers"),
        ([[1.0, 0.0]], [float("nan"), 0.0], "no numbers"),
        ([[]], [], "no vectors of one length"),
    ],
)
def test_vectors_that_cannot_be_compared_are_noted_and_words_still_serve(
    tmp_path: Path, rows: list[list[float]], word: list[float], note: str
) -> None:
    film = ready_film(tmp_path, [8.0], [(3.0, 4.0, "the ferry leaves")])
    found = Finder(film, Odd(rows, word)).search(["ferry"])
    assert note in found.note
    assert [moment.start for moment in found.moments] == [0.0]
    assert Finder(film, Odd(rows, word)).frames_like("ferry", (0.0, 8.0), 2)


def test_vectors_of_another_length_under_one_name_are_noted(tmp_path: Path) -> None:
    film = ready_film(tmp_path, [8.0], [(3.0, 4.0, "the ferry leaves")])
    frame = film.frames[0]
    film.append("vector", [{"item": frame.digest, "model": "counting", "dim": 1, "data": [1.0]}])
    assert "unequal lengths" in Finder(film, Odd([[1.0, 0.0]], [1.0, 0.0])).search(["ferry"]).note
