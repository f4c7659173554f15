# SPDX-License-Identifier: Apache-2.0
"""An opened trace. Its answers are those of the commands with --json: same keys, same units."""
from __future__ import annotations

import functools
import html
import json
import os
import warnings
from collections.abc import Sequence

from . import _rondo
from ._calls import Calls
from ._errors import RondoWarning, UsageError
from ._matrix import QUANTITIES, Matrix
from ._program import Program, terms_of


def option_words(options: dict) -> list[str]:
    """Options of a command: what_if=True is --what-if, latency=["1us", "2us"] is --latency 1us --latency 2us."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words.append(f"{option}={each}")
    return words


def run_command(opened: list, words: list[str]) -> bytes:
    """What a command prints; its remarks become warnings, its errors exceptions."""
    _, text, remarks = _rondo.command(opened, words)
    for remark in remarks:
        warnings.warn(remark, RondoWarning, stacklevel=4)
    return text


class Trace:
    """A recorded run. `rondo.open()` and `rondo.record()` make it.

    Options of the methods are those of the command of the same name, with _ for -: `t.topology(filter="5%")`.
    """

    def __init__(self, opened):
        self._opened = opened

    @property
    def path(self) -> str:
        return self._opened.path

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self._opened.ranks

    @property
    def streams(self) -> list[tuple[int, int]]:
        """(rank, thread) of each stream of calls; thread 0 called MPI_Init."""
        return sorted(self._opened.threads)

    @property
    def has_all_times(self) -> bool:
        """Whether the times of every call were kept (recorded with times="full", or of another tool)."""
        return self._opened.has_all_times

    def _json(self, command: str, *words: str, **options):
        return json.loads(run_command([self._opened], [command, self.path, *words, "--json", *option_words(options)]))

    @functools.cached_property
    def info(self) -> dict:
        """`rondo info --json`: command, mpi, ranks, calls, span_ns, inside_mpi_ns, hosts, call_sites, ..."""
        return self._json("info")

    @functools.cached_property
    def sites(self) -> list[dict | None]:
        """Where calls stand, by the numbers of the column `site`: keys function, file, line, text, callers, ... as far as
        they are known; None where nothing is. Empty where the trace has none, as another tool's."""
        text, remarks = self._opened.sites()
        for remark in remarks:
            warnings.warn(f"{self.path}: {remark}", RondoWarning, stacklevel=2)
        return json.loads(text)

    def messages(self) -> dict:
        """Messages without a receive, receives without a message, and how many matched."""
        return self._json("info", messages=True)["messages"]

    def matrix(self, quantity: str = "bytes", collectives: str = "neighbors") -> Matrix:
        """Who sends how much to whom.

        quantity: what numpy.asarray() and `values` have, "bytes" or "messages"; both are in the entries.
        collectives: how messages of collective operations are counted: "none", "neighbors" (those of
            neighbourhood collectives alone), "paper", "pairs" or "algorithm".
        """
        if quantity not in QUANTITIES:
            raise UsageError(f"there is no quantity {quantity!r}; there are {', '.join(QUANTITIES)}")
        sent = self._opened.sent(str(collectives))
        for remark in sent.remarks:
            warnings.warn(f"{self.path}: {remark}", RondoWarning, stacklevel=2)
        return Matrix(sent, quantity)

    def topology(self, by: str = "part", **options) -> dict:
        """The name of what the ranks form: keys topology, also_called, coordinates, offsets, parts, ...

        by: what the list of parts is made of: part, phase, communicator, site, loop, function or none.
        """
        return self._json("topology", by=by, **options)

    def logical(self, **options) -> dict:
        """One program for all ranks, with directions for peers; detail="paper" for the short form."""
        return self._json("logical", **options)

    def patterns(self, **options) -> dict:
        """What the ranks do again and again; communication=True joins ranks and names what is documented."""
        return self._json("patterns", **options)

    def efficiency(self, **options) -> dict:
        """Where the time goes: factors between 0 and 1, wait states and their causes in ns."""
        return self._json("efficiency", **options)

    def stats(self, **options) -> dict:
        """The five measurements; functions=True or sites=True: calls, time (ns) and bytes of each."""
        return self._json("stats", **options)

    def simulate(self, network: str | None = None, **options) -> dict:
        """The run's time on another network: `t.simulate("latency=5us,bandwidth=1GB/s")`.

        latency=["1us", "10us"], bandwidth=["1GB/s", "10GB/s"] is a sweep; what_if=True, critical_path=True say why.
        """
        return self._json("simulate", network=network, **options)

    def compare(self, other: Trace, **options) -> dict:
        """Whether two runs say the same (`same`), and where they differ; logical=True as logical programs."""
        words = ["compare", self.path, other.path, "--json", *option_words(options)]
        return json.loads(run_command([self._opened, other._opened], words))

    def generate(self, folder: str | os.PathLike, **options) -> str:
        """Writes a benchmark that makes the same calls, and gives its folder; language="c", "python" or "json"."""
        folder = os.fspath(folder)
        run_command([self._opened], ["generate", self.path, "-o", folder, *option_words(options)])
        return folder

    def report(self, path: str | os.PathLike, *others: Trace, force: bool = False) -> str:
        """Writes the page of `rondo report`, of this run or with others side by side, and gives its path."""
        path = os.fspath(path)
        traces = [self, *others]
        words = ["report", *(each.path for each in traces), "-o", path, *option_words({"force": force})]
        _rondo.command([each._opened for each in traces], words)  # its one remark is where the page is
        return path

    @functools.cached_property
    def programs(self) -> list[Program]:
        """The program of all ranks, or as many as they have in common too little for one."""
        found = self._json("print")
        made = [Program(terms_of(each["program"], tuple(each["ranks"])), tuple(each["ranks"]), each["thread"])
                for each in found.get("programs", [])]
        return made or [Program(terms_of(each["program"], tuple(each["ranks"])), tuple(each["ranks"]), each["thread"])
                        for each in found["classes"]]

    @property
    def program(self) -> Program:
        """The first of `programs`, to walk through: for term in t.program: term.loop, term.call, term.times."""
        return self.programs[0]

    def program_of(self, rank: int) -> Program:
        """One rank's own program: no word depends on the rank."""
        found = self._json("print", rank=int(rank))["classes"][0]
        return Program(terms_of(found["program"], (rank,)), (rank,), found["thread"])

    def calls(self, rank: int, columns: Sequence[str] | None = None, thread: int = 0,
              rows: int = 1_000_000) -> Calls:
        """Every call of a rank in its order, as structured arrays of at most `rows` rows; also an Arrow stream, and
        .to_arrow_file(path).

        Columns: function (uint16, rondo.functions[i] is its name), peer (int32, a rank of the call's communicator; what a
        wildcard got; -1 none, -2 any), tag (int32, likewise), comm (int32; -1 MPI_COMM_WORLD, -2 MPI_COMM_SELF, -3 none; from 0
        on the rank's own, a number is used again when its communicator is freed), bytes (uint64, what the call sends or hands
        over), site (uint32, index of `sites`), error (uint16, 0 is success); with times of every call start_ns (since MPI_Init),
        computation_ns (before the call) and inside_ns (uint64).
        """
        found = self._opened.calls(rank, thread, list(columns) if columns is not None else [])
        if rows < 1:
            raise UsageError("a chunk has at least one row")
        if found.timed < found.left and any(name.endswith("_ns") for name in found.dtype.names):
            warnings.warn(f"{self.path}: of rank {rank} the times of the first {found.timed} calls were kept; those of the other "
                          f"{found.left - found.timed} are 0", RondoWarning, stacklevel=2)
        return Calls(found, rows)

    def __repr__(self) -> str:
        return f"<rondo.Trace {self.path!r}: {self.ranks} ranks>"

    def _repr_html_(self) -> str:
        rows = {"program": self.info["command"], "MPI": self.info["mpi"], "ranks": self.ranks, "calls": self.info["calls"],
                "time": f"{self.info['span_ns'] / 1e9:.3g} s", "inside MPI": f"{100 * self.info['share_inside_mpi']:.3g} %",
                "complete": "yes" if self.info["complete"] else "no"}
        return "<table>" + "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>"
                                   for name, value in rows.items()) + "</table>"


class MatrixFile(Matrix):
    """A matrix that a .csv or .mtx file has, without a run: who sends how much, and the topology of that."""

    def __init__(self, path: str):
        super().__init__(_rondo.sent_in_file(path), "bytes")
        self.path = path

    def matrix(self, quantity: str = "bytes") -> Matrix:
        """The same by "bytes" or "messages"."""
        if quantity not in QUANTITIES:
            raise UsageError(f"there is no quantity {quantity!r}; there are {', '.join(QUANTITIES)}")
        return Matrix(self._sent, quantity)

    def topology(self, **options) -> dict:
        """The name of what the ranks form, as of Trace.topology(); a matrix has no parts."""
        return json.loads(run_command([], ["topology", self.path, "--json", *option_words(options)]))

    def __repr__(self) -> str:
        return f"<rondo.MatrixFile {self.path!r}: {self.ranks} ranks, {len(self)} pairs, {int(self.bytes.sum())} bytes>"
