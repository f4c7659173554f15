# SPDX-License-Identifier: Apache-2.0
"""Reads the lines of `rondo print --flat` (docs/formats/call-lines.md) and counts messages the slow, obvious way."""
import collections
import functools
import math
import re

import support

SIZES = {"MPI_CHAR": 1, "MPI_BYTE": 1, "MPI_INT": 4, "MPI_INTEGER": 4, "MPI_LONG": 8, "MPI_UINT64_T": 8, "MPI_FLOAT": 4,
         "MPI_DOUBLE": 8, "MPI_DOUBLE_PRECISION": 8}
SENDS = {"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend"}
INITS = {"MPI_Send_init", "MPI_Bsend_init", "MPI_Ssend_init", "MPI_Rsend_init"}
ARGUMENT = re.compile(r"(\w+)=(\[[^\]]*\]|\{[^}]*\}|\"[^\"]*\"|[^,{]+(?:\{[^}]*\})?)")


flat_lines = functools.cache(support.flat_lines)


def calls_of(archive, rank):
    """(name, arguments and outcomes by name) of each call of a rank."""
    for line in flat_lines(archive)[rank].splitlines():
        name, _, rest = line.partition("(")
        yield name, dict(ARGUMENT.findall(rest.replace(") -> ", ", ").rstrip(")")))


def integers(text):
    return [int(word) for word in text.strip("[]").split()]


class MessageCounter:
    """Messages that one rank sends: {(rank, destination): [messages, bytes]}."""

    def __init__(self, rank, ranks, matrix):
        self.rank, self.matrix = rank, matrix
        self.members = {"MPI_COMM_WORLD": list(range(ranks)), "MPI_COMM_SELF": [rank]}
        self.sizes = dict(SIZES)
        self.persistent = {}

    def send(self, count, datatype, dest, comm):
        if dest == "MPI_PROC_NULL":
            return
        entry = self.matrix[self.rank, self.members[comm][int(dest)]]
        entry[0] += 1
        entry[1] += int(count) * self.sizes[datatype]

    def new_objects(self, name, a):
        for comm in ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph"):
            if "{" in a.get(comm, ""):
                number, members = a[comm].rstrip("}").split("{")
                self.members[number] = integers(members.rpartition("|")[2])
        if "newtype" in a:
            elements = {"MPI_Type_contiguous": lambda: int(a["count"]),
                        "MPI_Type_vector": lambda: int(a["count"]) * int(a["blocklength"]),
                        "MPI_Type_create_subarray": lambda: math.prod(integers(a["array_of_subsizes"]))}[name]()
            self.sizes[a["newtype"]] = elements * self.sizes[a["oldtype"]]

    def call(self, name, a):
        self.new_objects(name, a)
        if name in SENDS:
            self.send(a["count"], a["datatype"], a["dest"], a["comm"])
        elif name == "MPI_Sendrecv":
            self.send(a["sendcount"], a["sendtype"], a["dest"], a["comm"])
        elif name in INITS:
            self.persistent[a["request"]] = (a["count"], a["datatype"], a["dest"], a["comm"])
        elif name in ("MPI_Start", "MPI_Startall"):
            for request in a.get("array_of_requests", a.get("request")).strip("[]").split():
                if request in self.persistent:
                    self.send(*self.persistent[request])


def matrix_of(archive, ranks):
    """Lines of the CSV that `rondo matrix` should write."""
    matrix = collections.defaultdict(lambda: [0, 0])
    for rank in range(ranks):
        counter = MessageCounter(rank, ranks, matrix)
        for name, arguments in calls_of(archive, rank):
            counter.call(name, arguments)
    lines = [f"{src},{dst},{messages},{size}" for (src, dst), (messages, size) in sorted(matrix.items())]
    return [f"# ranks={ranks}", "src,dst,messages,bytes", *lines]


def collective_calls(archive, ranks):
    """{function: calls by all ranks} of blocking and nonblocking collectives."""
    operations = ("Barrier|Bcast|(?:All)?[Gg]atherv?|Scatterv?|(?:All)?[Rr]educe|(?:Ex)?[Ss]can|Alltoall[vw]?"
                  "|Reduce_scatter(?:_block)?|Neighbor_all(?:gatherv?|toall[vw]?)")
    pattern = re.compile(f"MPI_I?(?:{operations})", re.IGNORECASE)
    count = collections.Counter()
    for rank in range(ranks):
        count.update(name for name, _ in calls_of(archive, rank) if pattern.fullmatch(name))
    return dict(count)
