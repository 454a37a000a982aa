"""How readings are chosen and bounded, with a stand-in for the engine; what it hears is tested on real weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from debriefer.media import transcription
from debriefer.media.chinese import simplified
from debriefer.media.listeners import Deaf, transcriber
from debriefer.media.speech import Segment, Word
from debriefer.media.transcription import FasterWhisper, Patience, is_doubtful
from tests.doubles.videos import tone, write_sound, write_video


@dataclass
class Engine:
    """Reads a segment a second of sound, each word with the probability it is given."""

    probability: float
    word: str = " include"
    seconds: float = 0.0
    calls: list[dict[str, Any]] = field(default_factory=list)
    clock: list[float] = field(default_factory=lambda: [0.0])
    model: Any = field(default_factory=lambda: SimpleNamespace(is_multilingual=True))
    hf_tokenizer: Any = field(
        default_factory=lambda: SimpleNamespace(
            encode=lambda text, **_: SimpleNamespace(ids=list(text.split())),
        )
    )

    def detect_language(self, samples: np.ndarray) -> tuple[str, float, list[tuple[str, float]]]:
        self.calls.append({"detect": len(samples)})
        return "en", 0.9, [("en", 0.9), ("de", 0.1)]

    def transcribe(self, samples: np.ndarray, **options: object) -> tuple[Iterator[Any], None]:
        self.calls.append(options)
        return self._segments(len(samples) / 16_000), None

    def _segments(self, seconds: float) -> Iterator[Any]:
        for number in range(max(1, round(seconds))):
            self.clock[0] += self.seconds
            word = SimpleNamespace(start=number + 0.1, end=number + 0.9, word=self.word, probability=self.probability)
            yield SimpleNamespace(start=number + 0.0, end=number + 1.0, text=self.word, words=[word], avg_logprob=-0.1)


@pytest.fixture
def speech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    everywhere = SimpleNamespace(
        VadOptions=dict, get_speech_timestamps=lambda samples, _: [{"start": 0, "end": len(samples)}]
    )
    real = transcription.needed
    engine = {"faster_whisper.vad": everywhere, "ctranslate2": SimpleNamespace(set_random_seed=lambda _: None)}
    monkeypatch.setattr(transcription, "needed", lambda name: engine.get(name) or real(name))
    return write_sound(tmp_path / "a.mkv", tone(4.0))


def engines(monkeypatch: pytest.MonkeyPatch, **by_precision: Engine) -> None:
    monkeypatch.setattr(transcription, "_loaded", lambda _model, precision, **_: by_precision[precision])


def test_a_doubtful_segment_is_read_again_and_the_surer_reading_stays(
    speech: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines(monkeypatch, int8=Engine(0.4), float32=Engine(0.8, " exclude"))
    heard = FasterWhisper("m").transcribe(speech)
    assert [segment.text for segment in heard.segments] == [" exclude"] * 4
    assert all(segment.second_pass and segment.confidence == 0.8 for segment in heard.segments)
    times = [time for segment in heard.segments for word in segment.words for time in (word.start, word.end)]
    assert times == sorted(times)


def test_a_less_sure_second_reading_is_dropped_but_noted(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, int8=Engine(0.4), float32=Engine(0.3, " exclude"))
    heard = FasterWhisper("m").transcribe(speech)
    assert [segment.text for segment in heard.segments] == [" include"] * 4
    assert all(segment.second_pass for segment in heard.segments)


def test_a_second_reading_that_lost_words_is_dropped(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, int8=Engine(0.4, " not included"), float32=Engine(0.9, " a"))
    assert {segment.text for segment in FasterWhisper("m").transcribe(speech).segments} == {" not included"}


def test_a_sure_segment_is_not_read_again(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, int8=Engine(0.95), float32=(second := Engine(0.99)))
    heard = FasterWhisper("m").transcribe(speech)
    assert not any(segment.second_pass for segment in heard.segments)
    assert second.calls == []


def test_what_time_did_not_reach_is_said(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(0.4, seconds=10.0)
    engines(monkeypatch, int8=engine, float32=Engine(0.9))
    monkeypatch.setattr(transcription.time, "monotonic", lambda: engine.clock[0])
    heard = FasterWhisper("m", patience=Patience(least=15.0, per_second=0.0)).transcribe(speech)
    assert len(heard.segments) == 2
    assert heard.notes == (
        "not transcribed: 2.0-4.0 s, no time left",
        "2 doubtful segments not read again at full precision: no time or memory left",
    )


def test_the_engine_is_told_what_must_hold(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, int8=(engine := Engine(0.95)))
    heard = FasterWhisper("m").transcribe(speech, hotwords=("Vanguard", "净值"))
    options = engine.calls[-1]
    assert options["language"] == heard.language == "en"
    assert options["hotwords"] == "Vanguard"
    assert heard.hotwords == ("Vanguard",)
    assert options["condition_on_previous_text"] is False
    assert options["vad_filter"]
    assert options["word_timestamps"]
    assert len([call for call in engine.calls if "detect" in call]) == 1


def test_words_where_nobody_speaks_are_left_out_with_a_note(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, int8=Engine(0.95))
    vad = SimpleNamespace(VadOptions=dict, get_speech_timestamps=lambda *_: [{"start": 0, "end": 48_000}])
    engine = {"faster_whisper.vad": vad, "ctranslate2": SimpleNamespace(set_random_seed=lambda _: None)}
    monkeypatch.setattr(transcription, "needed", engine.__getitem__)
    heard = FasterWhisper("m").transcribe(speech)
    assert [segment.end for segment in heard.segments] == [1.0, 2.0, 3.0]
    assert heard.notes == ("left out at 3.0-4.0 s, where nobody speaks: include",)


def test_silence_is_a_reason_and_not_an_error(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, int8=(engine := Engine(0.95)))
    vad = SimpleNamespace(VadOptions=dict, get_speech_timestamps=lambda *_: [])
    monkeypatch.setattr(transcription, "needed", lambda _: vad)
    heard = FasterWhisper("m").transcribe(speech)
    assert (heard.reason, heard.segments, heard.language) == ("silence", (), None)
    assert heard.duration == 4.0
    assert engine.calls == []


def test_an_engine_that_breaks_is_a_reason_and_not_an_error(speech: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Engine):
        def transcribe(self, *_: object, **__: object) -> tuple[Iterator[Any], None]:  # type: ignore[override]
            message = "out of memory"
            raise RuntimeError(message)

    engines(monkeypatch, int8=Broken(0.9))
    assert FasterWhisper("m").transcribe(speech).reason == "transcription failed: out of memory"


def test_no_track_no_file_and_no_model_are_reasons(tmp_path: Path) -> None:
    silent = write_video(tmp_path / "silent.mp4", [(0, 0, 0)])
    assert FasterWhisper(tmp_path).transcribe(silent).reason == "no audio track"
    assert "cannot be opened" in (FasterWhisper(tmp_path).transcribe(tmp_path / "none.mp4").reason or "")
    loud = write_sound(tmp_path / "a.mkv", tone(1.0))
    assert "holds no `model.bin`" in (FasterWhisper(tmp_path).transcribe(loud).reason or "")
    missing = FasterWhisper("/nowhere/whisper").transcribe(loud)
    assert missing.reason == "no speech model at hand: `/nowhere/whisper` is not a folder"


def test_a_missing_package_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "faster_whisper", None)
    loud = write_sound(tmp_path / "a.mkv", tone(1.0))
    assert "`faster_whisper` is not at hand" in (FasterWhisper("base").transcribe(loud).reason or "")


def test_the_user_names_a_model_in_several_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    remote = transcriber("whisper-large@https://host.example/v1", environment={"DEBRIEFER_SPEECH_API_KEY": "secret-1"})
    assert remote.name == "whisper-large@host.example"
    assert "secret-1" not in repr(remote)
    assert transcriber(None, environment={"DEBRIEFER_SPEECH_MODEL": "none"}) == Deaf(
        "no speech model at hand: none is wanted"
    )
    assert transcriber("folder", environment={}).name == "folder"


def test_a_models_key_goes_to_no_other_host() -> None:
    environment = {"MODEL_API_URL": "https://host.example/v1", "MODEL_API_KEY": "secret-1"}
    assert transcriber("https://host.example/v1", environment=environment).key == "secret-1"  # type: ignore[attr-defined]
    assert transcriber("https://other.example/v1", environment=environment).key is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("segment", "doubtful"),
    [
        (Segment(0, 1, "a", (Word(0, 1, "a", 0.9),), 0.9), False),
        (Segment(0, 1, "a b", (Word(0, 1, "a", 0.99), Word(0, 1, " b", 0.2)), 0.9), True),
        (Segment(0, 1, "a", (), 0.5), True),
        (Segment(0, 1, "thank you " * 40, (), 0.95), True),
    ],
)
def test_doubt(segment: Segment, doubtful: bool) -> None:
    assert is_doubtful(segment) is doubtful


def test_traditional_characters_become_simplified_in_text_and_words() -> None:
    words = (Word(0, 1, "廣州", 0.9), Word(1, 2, "市", 0.8))
    (segment,) = simplified([Segment(0, 2, "廣州市", words, 0.85)])
    assert segment.text == "广州市"
    assert [word.text for word in segment.words] == ["广州", "市"]
    assert [word.probability for word in segment.words] == [0.9, 0.8]
