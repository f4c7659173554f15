# SPDX-License-Identifier: Apache-2.0
"""The call lines (docs/formats/call-lines.md) that a file of a time-independent trace must give: a second reader,
written from the format's description alone, for the actions of the recorded runs."""
import collections

TYPES = {0: "MPI_DOUBLE", 1: "MPI_INT", 2: "MPI_CHAR", 3: "MPI_SHORT", 4: "MPI_LONG", 5: "MPI_FLOAT", 6: "MPI_BYTE",
         43: "MPI_COMPLEX16"}
WORLD = "comm=MPI_COMM_WORLD"
NOT_CALLS = {"compute"}


class Requests:
    """Numbers of open requests by who sends to whom with which tag."""

    def __init__(self):
        self.made = 0
        self.open = collections.OrderedDict()

    def make(self, source, dest, tag):
        self.made += 1
        self.open[self.made] = (source, dest, tag)
        return f" -> request=#{self.made}"

    def take(self, source, dest, tag):
        number = next(n for n, name in self.open.items() if name == (source, dest, tag))
        del self.open[number]
        return f"#{number}"

    def take_oldest(self, count):
        return [f"#{self.open.popitem(last=False)[0]}" for _ in range(count)]


def array(values):
    return "[" + " ".join(values) + "]"


def call_line(rank, ranks, action, args, requests):
    def datatype(index):
        return TYPES[int(args[index])] if len(args) > index else "MPI_BYTE"

    if action in {"init", "finalize"}:
        return {"init": "MPI_Init()", "finalize": "MPI_Finalize()"}[action]
    if action == "barrier":
        return f"MPI_Barrier({WORLD})"
    if action in {"send", "isend"}:
        dest, tag, count = args[:3]
        line = f"MPI_{action.capitalize()}(count={count}, datatype={datatype(3)}, dest={dest}, tag={tag}, {WORLD})"
        return line + (requests.make(rank, int(dest), tag) if action == "isend" else "")
    if action in {"recv", "irecv"}:
        source, tag, count = args[:3]
        name = "MPI_ANY_SOURCE" if source == "-333" else source
        line = f"MPI_{action.capitalize()}(count={count}, datatype={datatype(3)}, source={name}, tag={tag}, {WORLD})"
        return line + (requests.make(int(source), rank, tag) if action == "irecv" else "")
    if action == "wait":
        return f"MPI_Wait(request={requests.take(int(args[0]), int(args[1]), args[2])})"
    if action == "waitall":
        return f"MPI_Waitall(array_of_requests={array(requests.take_oldest(int(args[0])))})"
    if action == "bcast":
        return f"MPI_Bcast(count={args[0]}, datatype={datatype(2)}, root={args[1]}, {WORLD})"
    if action == "reduce":
        return f"MPI_Reduce(count={args[0]}, datatype={datatype(3)}, root={args[2]}, {WORLD})"
    if action == "allreduce":
        return f"MPI_Allreduce(count={args[0]}, datatype={datatype(2)}, {WORLD})"
    if action == "alltoall":
        return (f"MPI_Alltoall(sendcount={args[0]}, sendtype={datatype(2)}, recvcount={args[1]}, "
                f"recvtype={datatype(3)}, {WORLD})")
    if action == "alltoallv":
        sends, receives = args[1:1 + ranks], args[2 + ranks:2 + 2 * ranks]
        types = [datatype(2 + 2 * ranks), datatype(3 + 2 * ranks)]
        return (f"MPI_Alltoallv(sendcounts={array(sends)}, sendtype={types[0]}, recvcounts={array(receives)}, "
                f"recvtype={types[1]}, {WORLD})")
    raise ValueError(f"no rule for {action}")


def expected_lines(lines, rank, ranks):
    requests = Requests()
    for line in lines:
        words = line.split()
        if words and words[1] not in NOT_CALLS:
            assert int(words[0]) == rank
            yield call_line(rank, ranks, words[1], words[2:], requests)
