"""Templates of sentences: the words that all sentences of a kind share, and the slots between them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from debriefer.documents.alignment import common_places
from debriefer.documents.sentences import FIRST_WORD, VALUE, Sentence, Vocabulary
from debriefer.documents.words import EMPTY

# A slot whose words differ; a value is a slot of one token that counts as fixed when sentences are compared.
GAP = 15
# Sentences are of one kind if they share this much of the words of either.
_LEAST_SHARED = 0.6
# As much, where the marks and values between the differing words are the same: lists of short cells.
_LEAST_SHARED_LIST = 0.3
_MOST_GAP = 14
_MOST_GAPS = 8
# A kind of sentence stands at most once in a record; so much of them may break it by chance.
_MOST_TWICE = 0.02
_LEAST_SUPPORT = 3
# Sentences that so many records have word for word are worded so: two such kinds are one only where they differ in a
# single place, as a choice does.
_LARGE, _LARGE_SHARE = 4, 0.03
_MOST_CHOICE = 8
# Words in place of a value: "yet to be determined"; sentences in which they differ have all else in common.
_MOST_NOTHING = 5
_LEAST_BESIDE = 0.75
# A kind is another's case if it is so much smaller; the other must have so many words.
_CASE_SHARE, _LEAST_WORDS = 0.25, 2
# Kinds that a new sentence is compared with: those with the most words in common.
_MOST_COMPARED = 12
_MARKS = re.compile(r"\W")
# What a name ends with in all values of a column is still part of the name.
_HAN_SUFFIX = (
    *(
        "股份有限公司",
        "有限责任公司",
        "有限公司",
        "集团公司",
        "公司",
        "集团",
        "银行",
        "证券",
        "基金",
        "大学",
        "学院",
        "医院",
    ),
    *(
        "研究院",
        "研究所",
        "合作社",
        "工厂",
        "自治区",
        "自治州",
        "中心",
        "省",
        "市",
        "县",
        "区",
        "州",
        "镇",
        "乡",
        "村",
        "路",
        "街",
    ),
    *("厂", "店", "局", "部", "院", "所"),
)


@dataclass(slots=True)
class Template:
    """A kind of sentence in one block.

    Attributes:
        block: Number of the block.
        pattern: Codes; `VALUE` and `GAP` are slots.
        members: The sentences that it was induced from.
    """

    block: int
    pattern: tuple[int, ...]
    members: list[Sentence] = field(default_factory=list)

    @property
    def keys(self) -> set[tuple[str, ...]]:
        """Keys of the records of its members."""
        return {sentence.record.key for sentence in self.members}

    def slots(self) -> list[int]:
        """Places of the slots in the pattern."""
        return [place for place, code in enumerate(self.pattern) if code in (VALUE, GAP)]


@dataclass(frozen=True, slots=True)
class Fit:
    """How a sentence fits a template.

    Attributes:
        template: The template.
        sentence: The sentence.
        slots: For each slot the first token and the one behind the last.
        certain: Whether there is no other way.
    """

    template: Template
    sentence: Sentence
    slots: tuple[tuple[int, int], ...]
    certain: bool


def induce(sentences: Sequence[Sentence], vocabulary: Vocabulary) -> list[Template]:
    """Return the templates of each block with at least three sentences, the largest of a block first.

    Sentences are put together if what they share is most of both and what differs stands between shared words;
    two sentences of one record are never of one kind. Those that take something back are left out.
    """
    by_block: dict[int, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_block[sentence.block].append(sentence)
    found: list[Template] = []
    for block in sorted(by_block):
        found.extend(_of_block(block, by_block[block], vocabulary))
    return found


def _of_block(block: int, sentences: Iterable[Sentence], vocabulary: Vocabulary) -> list[Template]:
    same: dict[tuple[int, ...], list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        same[sentence.codes].append(sentence)
    groups = [Template(block, codes, members) for codes, members in same.items()]
    groups.sort(key=lambda group: -len(group.members))
    # Twice: the second time kinds that have lost their chance words meet each other.
    least_large = max(_LARGE, round(_LARGE_SHARE * len({key for group in groups for key in group.keys})))
    for _ in range(2):
        groups = _joined(groups, vocabulary, least_large)
    large = [group for group in groups if len(group.keys) >= _LEAST_SUPPORT]
    for group in large:
        group.pattern = _with_suffixes(group.pattern, vocabulary)
    return _without_cases(sorted(large, key=lambda group: -len(group.members)))


def _without_cases(groups: Sequence[Template]) -> list[Template]:
    """Leave out small kinds that are cases of a large one: a slot of theirs says more than a value, or none."""
    kept: list[Template] = []
    for group in groups:
        text = "".join(map(_letter, group.pattern))
        wider = (one for one in kept if len(group.members) <= _CASE_SHARE * len(one.members))
        if not any(
            len(_words(one.pattern)) >= _LEAST_WORDS and re.fullmatch(_expression(one.pattern, greedy=False), text)
            for one in wider
        ):
            kept.append(group)
    return kept


def _joined(groups: Sequence[Template], vocabulary: Vocabulary, least_large: int) -> list[Template]:
    kinds: list[Template] = []
    words: list[set[int]] = []
    for group in groups:
        own = _words(group.pattern)
        order = sorted(range(len(kinds)), key=lambda place: -len(words[place] & own))[:_MOST_COMPARED]
        near = [place for place in order if len(words[place] & own) * 2 >= min(len(words[place]), len(own))]
        places = common_places(group.pattern, [kinds[place].pattern for place in near]) if near else []
        best: tuple[float, int, tuple[int, ...]] | None = None
        for place, pairs in zip(near, places, strict=True):
            large = min(len(group.members), len(kinds[place].members)) >= least_large
            merged = _merged(group.pattern, kinds[place].pattern, pairs, vocabulary, large=large)
            if merged is None or (best is not None and merged[0] <= best[0]) or _meet(group, kinds[place]):
                continue
            best = (merged[0], place, merged[1])
        if best is None:
            kinds.append(Template(group.block, group.pattern, list(group.members)))
            words.append(own)
        else:
            kind = kinds[best[1]]
            kind.pattern = best[2]
            kind.members.extend(group.members)
            words[best[1]] = _words(kind.pattern)
    return kinds


def _with_suffixes(pattern: Sequence[int], vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return a pattern whose gaps have taken in what names end with in all of the sentences."""
    letters = [vocabulary.text(code) if code >= FIRST_WORD else "\0" for code in pattern]
    kept: list[int] = []
    at = 0
    while at < len(pattern):
        kept.append(pattern[at])
        at += 1
        if kept[-1] == GAP:
            tail = "".join(letter if len(letter) == 1 else "\0" for letter in letters[at:])
            at += len(next((one for one in _HAN_SUFFIX if tail.startswith(one)), ""))
    return tuple(kept)


def _words(pattern: Iterable[int]) -> set[int]:
    return {code for code in pattern if code not in (VALUE, GAP)}


def _meet(one: Template, other: Template) -> bool:
    shared = len(one.keys & other.keys)
    return shared > _MOST_TWICE * max(len(one.keys), len(other.keys))


Gaps = list[tuple[Sequence[int], Sequence[int]]]


def _merged(
    one: Sequence[int],
    other: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    vocabulary: Vocabulary,
    *,
    large: bool,
) -> tuple[float, tuple[int, ...]] | None:
    """Return how much two patterns share and the pattern of both; `None` where they are of two kinds."""
    shared = [(i, j) for i, j in pairs if one[i] != GAP]
    laid = _laid(one, other, shared, vocabulary) if shared else None
    if laid is None:
        return None
    pattern, gaps = laid
    fixed = min(sum(code != GAP for code in one), sum(code != GAP for code in other))
    told = len(shared) / max(1, fixed)
    # The stop at the end of nearly every sentence divides nothing.
    marks = sum(_is_mark(one[i], vocabulary) for i, _ in shared if i + 1 < len(one))
    listed = bool(gaps) and marks > 0 and marks + 1 >= len(gaps)
    # Short cells have little but their name in common: `logger R. Ames;`.
    ends = shared[0] == (0, 0) and shared[-1] == (len(one) - 1, len(other) - 1)
    cells = len(gaps) == 1 and ends and _tells(one[0], vocabulary) and not any(VALUE in side for side in gaps[0])
    enough = told >= (_LEAST_SHARED_LIST if listed or cells else _LEAST_SHARED) and len(gaps) <= _MOST_GAPS
    if any(VALUE in side and len(other) > 1 for gap in gaps for side, other in (gap, gap[::-1])):
        enough = enough and told >= _LEAST_BESIDE
    telling = listed or any(_tells(one[i], vocabulary) for i, _ in shared)
    if not (enough and telling) or (large and not _one_choice(gaps)):
        return None
    return told, pattern


def _laid(
    one: Sequence[int], other: Sequence[int], pairs: Sequence[tuple[int, int]], vocabulary: Vocabulary
) -> tuple[tuple[int, ...], Gaps] | None:
    """Return what two patterns share with gaps between, and what stands there; `None` where that may be no slot."""
    pattern: list[int] = []
    gaps: Gaps = []
    i = j = 0
    for a, b in [*pairs, (len(one), len(other))]:
        left, right = one[i:a], other[j:b]
        if left or right:
            if not (_may_differ(left, vocabulary) and _may_differ(right, vocabulary) and _may_meet(left, right)):
                return None
            gaps.append((left, right))
            pattern.append(GAP)
        if a < len(one):
            pattern.append(one[a])
        i, j = a + 1, b + 1
    # Words that differ on both sides of a value are no slots, but other words.
    if _hemmed(pattern) > min(_hemmed(one), _hemmed(other)):
        return None
    return tuple(pattern), gaps


def _hemmed(pattern: Sequence[int]) -> int:
    """Return how many values stand between two gaps."""
    return sum(row == (GAP, VALUE, GAP) for row in zip(pattern, pattern[1:], pattern[2:], strict=False))


def _tells(code: int, vocabulary: Vocabulary) -> bool:
    """Return whether a code is a key, or a word that is neither a mark nor empty."""
    if code < FIRST_WORD:
        return 0 < code < GAP
    return not _is_mark(code, vocabulary) and vocabulary.text(code) not in EMPTY


def _may_meet(left: Sequence[int], right: Sequence[int]) -> bool:
    """Return whether a value stands alone in a gap or in a name, and beside a gap or few words for none."""
    if VALUE not in left and VALUE not in right:
        return True
    short, long = sorted((left, right), key=len)
    if len(short) > 1:
        return len(long) <= _MOST_CHOICE  # a number in a name
    return len(long) <= _MOST_NOTHING and (len(long) == 1 or VALUE not in long)


def _one_choice(gaps: Gaps) -> bool:
    """Return whether what differs is one short stretch; where a gap or a value is already, all may differ."""
    fresh = [gap for gap in gaps if not any(code in (VALUE, GAP) for side in gap for code in side)]
    return len(fresh) <= 1 and all(len(side) <= _MOST_CHOICE for gap in fresh for side in gap)


def _may_differ(codes: Sequence[int], vocabulary: Vocabulary) -> bool:
    """Return whether a stretch may be a slot: short, no key in it, and not made of marks alone."""
    if not codes or len(codes) > _MOST_GAP or any(0 < code < GAP for code in codes):
        return False
    return any(code in (VALUE, GAP) or not _is_mark(code, vocabulary) for code in codes)


def _is_mark(code: int, vocabulary: Vocabulary) -> bool:
    return code >= FIRST_WORD and _MARKS.fullmatch(vocabulary.text(code)) is not None


class Fitter:
    """Fits sentences to templates; of several templates the one with the most fixed words wins."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self._by_block: dict[int, list[tuple[Template, re.Pattern[str], re.Pattern[str]]]] = defaultdict(list)
        for template in sorted(templates, key=lambda one: -len(_words(one.pattern))):
            lazy, greedy = (_expression(template.pattern, greedy=greedy) for greedy in (False, True))
            self._by_block[template.block].append(
                (template, re.compile(lazy, re.DOTALL), re.compile(greedy, re.DOTALL))
            )

    def fits(self, sentence: Sentence) -> Iterator[Fit]:
        """Yield the ways in which a sentence fits, the template with the most words first."""
        text = "".join(map(_letter, sentence.codes))
        for template, lazy, greedy in self._by_block[sentence.block]:
            match = lazy.fullmatch(text)
            if match is None:
                continue
            slots = _spans(match)
            other = greedy.fullmatch(text)
            others = slots if other is None else _spans(other)
            certain = slots == others
            if not certain:
                # A name with a date or an amount in it took too much.
                one, two = (_values_in_gaps(template, sentence, each) for each in (slots, others))
                slots, certain = (others if two < one else slots), one != two
            yield Fit(template, sentence, slots, certain)


Spans = tuple[tuple[int, int], ...]


def _spans(match: re.Match[str]) -> Spans:
    return tuple(match.span(number) for number in range(1, match.re.groups + 1))


def _values_in_gaps(template: Template, sentence: Sentence, slots: Spans) -> int:
    places = zip(template.slots(), slots, strict=True)
    gaps = [span for place, span in places if template.pattern[place] == GAP]
    return sum(sentence.codes[at] == VALUE for span in gaps for at in range(*span))


def _letter(code: int) -> str:
    # Private letters, so that no code has a meaning in an expression.
    return chr(0xF0000 + code)


def _expression(pattern: Sequence[int], *, greedy: bool) -> str:
    slot = "(.{1,40})" if greedy else "(.{1,40}?)"
    return "".join(slot if code in (VALUE, GAP) else _letter(code) for code in pattern)
