"""English words that steer a question, and words that carry none of its content."""

from __future__ import annotations

from debriefer.offline.cue_table import read_cues, words

# Each line: the cue, what it carries, and after the bar its phrases. The longest phrase wins; a phrase on two
# lines is first what stands first.
_CUES = """
count | how many, number of, the number of, total number of, the total number of, count, counts, count of
count | count the number of, counts of, numbers of
count times | how many times, number of times, how often
aggregate avg | average, mean, avg, on average, average of
aggregate sum | total, sum, sum of, combined, overall, how much, total amount of
aggregate max | maximum, max
aggregate min | minimum, min
super desc | highest, largest, biggest, greatest, top, best, maximum, max, most highly
super desc most | most
super asc | lowest, smallest, minimum, worst, bottom
super asc most | least, fewest
super desc length duration time | longest
super asc length duration height time | shortest
super desc height | tallest
super desc weight | heaviest
super asc weight | lightest
super desc speed | fastest
super asc speed | slowest
super desc worth income salary | richest
super desc price cost fee | most expensive
super asc price cost fee | cheapest, least expensive
super oldest | oldest, eldest
super youngest | youngest
super desc date | latest, newest, most recent, most recently
super asc date | earliest
super desc population | most populous, most populated
super asc population | least populous
common desc | most common, most popular, most frequent, most frequently, most commonly, most often
common asc | least common, least popular
departs | depart from, departs from, departing from, departing, depart, leaving, leave, leaving from, leave from
departs | fly from, flying from, starting from, coming from, originating from, sent by
arrives | into, arriving in, arriving at, arrive in, arrive at, arriving, arrive, arrives in, arrives at
arrives | land in, landing in, land at, landing at, go to, going to, goes to, fly to, flying to, received by
each | each, every, per, for each, for every, by each, of each, in each, from each, each of the, grouped by
each | group by, broken down by
compare > | more than, greater than, larger than, higher than, bigger than, longer than, over, above, exceeding
compare > | exceeds, exceed
compare > age | older than
compare > date | after, later than
compare < | less than, fewer than, lower than, smaller than, shorter than, below, under
compare < age | younger than
compare < date | before, earlier than, prior to
compare >= | at least, no less than, not less than, no fewer than
compare <= | at most, no more than, not more than, up to
compare = | equal to, equals, exactly, only
compare between | between
compare >= date | since
after-number >= | or after, or later, or more, or greater, or higher
after-number <= | or before, or earlier, or less, or fewer
not | not, no, without, never, excluding, except, except for, other than, don't, doesn't, didn't, isn't, aren't
not | wasn't, weren't, haven't, hasn't
not have | do not have, does not have, did not have, don't have, doesn't have, have no, has no, did not get
not have | have not, has not, have never, has never, with no
or | or
and | and, as well as, along with, together with
both | both
distinct | kinds of, different kinds of, different types of, different, distinct, unique
sort | sorted by, ordered by, order by, sort by, in order of, order of, sorted in, ordered in, sort, sorted
sort | ordered, in the order of, ranked by, arranged by
sort asc | in ascending order of, in ascending order, ascending order, in increasing order of
sort asc | in alphabetical order of
sort desc | in descending order of, in descending order, descending order, in decreasing order of
sort alpha | in alphabetical order, in alphabetic order, in lexicographic order, in lexicographical order
sort alpha | alphabetically, in ascending alphabetical order
sort alpha desc | in reverse alphabetical order, in descending alphabetical order
direction asc | ascending, in ascending, from low to high, from lowest to highest, from smallest to largest
direction asc | increasing
direction desc | descending, in descending, from high to low, from highest to lowest, from largest to smallest
direction desc | from most to least, decreasing
direction age desc | from oldest to youngest, from the oldest to the youngest
direction age asc | from youngest to oldest, from the youngest to the oldest
like contains | contain, contains, containing, include, includes, including, contain the word, contains the word
like contains | containing the word, contain the substring, contains the substring, contain the letter
like contains | contains the letter, contains the string, has the substring, with the substring
like starts | start with, starts with, starting with, start with the letter, starts with the letter
like starts | starting with the letter, begin with, begins with, beginning with
like ends | end with, ends with, ending with
which | which, what, what kind of, what type of, what are, what is
who | who, whom, who is, who are, who was, who were
when | when, when did, when was, when is, what date, on what date
where | where
opener | with, whose, that, having, has, have, had, in which, for which, of which, from which, that have
opener | that has, that had, who have, who has, who had, which have, which has, are there, is there
of | of, for, 's, of all, for all, of all the, of the, for the
from | from
to | to
exists | any, some, at least one, at least 1
stop-sentence | ., ?, ;
"""

CUES: dict[tuple[str, ...], tuple[tuple[str, str], ...]] = {
    tuple(phrase.split()): found for phrase, found in read_cues(_CUES).items()
}
CUES[(",",)] = (("comma", ""),)
LONGEST_CUE = max(map(len, CUES))

NUMBER_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "fifteen": 15,
    "twenty": 20,
    "fifty": 50,
    "hundred": 100,
    "once": 1,
    "twice": 2,
    "single": 1,
}

STOP_WORDS = words(
    """
    a about across all also among an any are as associated at available based be because been being belong
    belonging belongs but by calculate called came can come comes compute corresponding could currently data
    database dataset describe detail details determine did display do does down draw during each either
    entries entry ever exist existing exists fetch find following get gets give given go goes going got he her
    here herself himself his however i identify if in info information into is it its itself just kind know
    known let like list listed look made make makes may me might my name's named need now on one's ones only
    onto other our out own owned please print provide record records related report respective respectively
    retrieve return row rows same see select shall she should show shown since so such table take takes tell
    than the their them then there these they this those through titled together took type up us use used uses
    using value values via want was we went were what's whether while will within would you your
    """
)

# Filling words that a column may be called all the same.
SOFT_STOP_WORDS = words("detail information kind record result set table total type value")

# Words whose loss changes little: they repeat what the verb or the table says.
LIGHT_WORDS = words(
    """
    certain complete entire every full group individual item items kind overall particular respective result
    results set specific thing things total type types value values various whole
    """
)

# Words that ask for something that no rule here does; a reading that passes over one of them is wrong.
BEYOND = words(
    """
    after ago another apart before between bigger change compared consecutive correlation decrease deviation
    difference double duration earlier else fewer final first following growth half heavier higher increase
    larger last later less longer lower median more next older outlier percent percentage preceding predict
    previous proportion ratio regression relationship rest same second share shorter smaller taller than third
    twice until variance vary versus vs younger
    """
)
YES_NO = words("are can could did do does had has have is was were will would")

# Words in the names of columns that say where something starts or ends.
DEPARTURE_WORDS = words("begin depart departure from origin sender source start")
ARRIVAL_WORDS = words("arrival arrive destination end finish receiver target to")

AGE_COLUMNS: tuple[tuple[str, ...], ...] = (("age",),)
BIRTH_COLUMNS: tuple[tuple[str, ...], ...] = (
    ("birth", "date"),
    ("birth", "year"),
    ("date", "of", "birth"),
    ("birthday",),
    ("birthdate",),
    ("born",),
)
# What `largest` and `smallest` measure where nothing else is said.
SIZE_WORDS = ("size", "area", "capacity", "population")
PLACE_WORDS = ("location", "place", "city", "address", "country", "venue", "hometown", "state")
