"""Ranking: which candidates resemble what was kept, and not what was left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.literature.pool import Floor
from survey.literature.scout.candidates import Candidate
from survey.plurals import plural

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sparse
    import sklearn.feature_extraction.text as vectorizing
    import sklearn.linear_model as linear_models
else:
    np = lazy("numpy")
    vectorizing = lazy("sklearn.feature_extraction.text")
    sparse = lazy("scipy.sparse")
    linear_models = lazy("sklearn.linear_model")

FEWEST = 8
"""Works of either kind without which nothing can be learnt."""

MOST_UNREAD = 4_000
"""Unread candidates that stand for what is left out. More make training slow and change little."""

FEWEST_UNREAD = 200
"""Unread candidates below which they teach nothing: a short list may have been chosen, and each would weigh much."""

INVERSE_PENALTY = 30.0
"""How closely the ranker follows what it is shown; held against 1, 300 and others on our own history."""

SEED = 20260504


def text_of(candidate: Candidate) -> str:
    """Return what a ranker reads of a candidate. The title counts twice."""
    return f"{candidate.title}. {candidate.title}. {candidate.abstract}"


def above_floor(candidates: Sequence[Candidate], floor: Floor) -> list[Candidate]:
    """Return the candidates whose title or abstract has a word of every group of the floor."""
    patterns = [pattern_of(words) for words in floor.groups]
    return [one for one in candidates if all(p.search(f"{one.title} {one.abstract}") for p in patterns)]


def pattern_of(words: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern for whole words; a star stands for any ending, a hyphen for a hyphen, a blank or nothing.

    >>> bool(pattern_of(["multi-agent*"]).search("Multiagents that talk")), bool(pattern_of(["rl"]).search("world"))
    (True, False)
    """
    alternatives = (re.escape(word).replace(r"\*", r"\w*").replace(r"\-", "[- ]?") for word in words)
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


class Ranker:
    """A logistic regression on the words of title and abstract, with pairs of words.

    What was decided teaches it, and so do the unread candidates of a long listing: nearly all of them are out of scope,
    and a few that are not do little harm. It is deterministic: the same works give the same scores.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Learn the vocabulary of a listing."""
        words = vectorizing.TfidfVectorizer(
            sublinear_tf=True, min_df=min(3, len(texts)), ngram_range=(1, 2), max_features=200_000, stop_words="english"
        )
        self.rows = words.fit_transform(texts)

    def scores(self, kept: Any, left: Any) -> Any:
        """Return the score of every text of the listing, from rows of works that were kept and that were left out.

        Raises:
            ValueError: if there are too few of either.

        """
        if kept.shape[0] < FEWEST or left.shape[0] < FEWEST:
            raise ValueError(
                f"{plural(kept.shape[0], 'work')} kept and {left.shape[0]} not kept "
                f"(expected at least {FEWEST} of each to learn from)"
            )
        decided = np.concatenate([np.ones(kept.shape[0]), np.zeros(left.shape[0])])
        model = linear_models.LogisticRegression(C=INVERSE_PENALTY, class_weight="balanced", max_iter=300)
        model.fit(sparse.vstack([kept, left]), decided)
        return model.decision_function(self.rows)
