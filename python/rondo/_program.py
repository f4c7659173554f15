# SPDX-License-Identifier: Apache-2.0
"""A recorded program as a tree of terms: what `rondo print --json` says, to walk through."""
from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Times:
    """Durations of all executions of a call, by all ranks that make it, in ns."""

    count: int
    mean_ns: float  # inside the call
    min_ns: int
    max_ns: int
    computation_mean_ns: float  # between the call before and this one


@dataclass(frozen=True)
class Call:
    """One MPI call as it stands in the program."""

    function: str  # "MPI_Send"
    text: str  # with its arguments; peers as they depend on the rank
    site: dict | None  # where it stands: keys `function`, `file`, `line`, `text`, as far as they are known


@dataclass(frozen=True)
class Loop(Sequence):
    """A loop; it is the sequence of the terms of its body."""

    trip_counts: str  # "100", "3..17 (mean 9.2)"
    body: tuple[Term, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, index):
        return self.body[index]


@dataclass(frozen=True)
class Term:
    """A call or a loop: `loop` is None for a call, and `call` and `times` are None for a loop."""

    call: Call | None
    loop: Loop | None
    times: Times | None  # None, too, where a trace has no times
    ranks: tuple[int, ...]  # that execute it

    def __str__(self) -> str:
        if self.loop is not None:
            return f"loop {self.loop.trip_counts}"
        return self.call.text if self.call is not None else ""


class Program(Sequence):
    """The terms of one program for some ranks; `walk()` goes into the loops, too."""

    def __init__(self, terms: tuple[Term, ...], ranks: tuple[int, ...], thread: int):
        self.terms, self.ranks, self.thread = terms, ranks, thread

    def __len__(self) -> int:
        return len(self.terms)

    def __getitem__(self, index):
        return self.terms[index]

    def walk(self) -> Iterator[tuple[int, Term]]:
        """All terms in their order, each with its depth: 0 outside of loops."""
        stack = [(0, iter(self.terms))]
        while stack:
            depth, terms = stack[-1]
            term = next(terms, None)
            if term is None:
                stack.pop()
                continue
            yield depth, term
            if term.loop is not None:
                stack.append((depth + 1, iter(term.loop)))

    def calls(self) -> Iterator[Term]:
        """The terms that are calls, in loops or not."""
        return (term for _, term in self.walk() if term.call is not None)

    def __str__(self) -> str:
        return "\n".join("  " * depth + str(term) + (":" if term.loop else "") for depth, term in self.walk())

    def __repr__(self) -> str:
        return f"<rondo.Program of {len(self.ranks)} ranks, {sum(1 for _ in self.walk())} terms>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def terms_of(terms: list, ranks: tuple[int, ...]) -> tuple[Term, ...]:
    """Terms of the document, as objects."""
    made = []
    for term in terms:
        own = tuple(term["ranks"]) if "ranks" in term else ranks
        if "body" in term:
            made.append(Term(None, Loop(term["trip_counts"], terms_of(term["body"], own)), None, own))
        else:
            times = Times(**term["times"]) if "times" in term else None
            made.append(Term(Call(term["function"], term["call"], term.get("site")), None, times, own))
    return tuple(made)
