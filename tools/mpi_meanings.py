# SPDX-License-Identifier: Apache-2.0
"""What a call to each MPI function means, by rules over its role and the kinds of its arguments, and by the `act`
that the table gives where these do not tell. include/rondo/trace/call_meaning.hpp says what each word means.

    meaning = mpi_meanings.meaning(table.call("MPI_Isend"))
    meaning["act"], meaning["dest"]     # "transfer", 2: its third word

A function of which the rules can't tell what it does is a TableError that names it.
"""
import mpi_fields
import mpi_table

ACTS = """local init finalize abort phase_begin phase_end transfer take_matched probe matched_probe complete
    ask_partition start ready cancel free_request own_request collective make_comm free_comm disconnect process
    make_window free_window attach fence expose end_exposure access end_access lock flush one_sided file file_access
    make_object ask_object name_object free_object""".split()
# One for each role whose calls all do the same.
BY_ROLE = {"send": "transfer", "sendrecv": "transfer", "complete": "complete", "collective": "collective",
           "neighbor": "collective", "process": "process"}
OPERATIONS = """barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce
    allreduce reduce_scatter reduce_scatter_block scan exscan neighbor_allgather neighbor_allgatherv neighbor_alltoall
    neighbor_alltoallv neighbor_alltoallw""".split()
DUPLICATES = [f"MPI_Comm_{name}" for name in "dup dup_with_info idup idup_with_info".split()]
TOPOLOGIES = "cart cart_sub graph dist_graph dist_graph_adjacent".split()

# Words that an argument's name gives away: the first of these that the function has.
INPUTS = {
    "dest": "dest", "source": "source", "partitions": "partitions", "root": "root", "target": "target_rank rank",
    "send_buffer": "sendbuf", "request": "request", "requests": "array_of_requests", "op": "op", "window": "win",
    "group": "group", "message": "message", "file": "fh",
}
OUTCOMES = {"status": "status", "statuses": "array_of_statuses", "flag": "flag", "index": "index",
            "indices": "array_of_indices", "outcount": "outcount"}
NAMES = "name comm_name type_name win_name".split()
# Of what goes and of what comes, by what is done.
AMOUNTS = {
    "collective": ({"count": "sendcount sendcounts count", "type": "sendtype sendtypes datatype"},
                   {"count": "recvcount recvcounts", "type": "recvtype recvtypes datatype"}),
    "one_sided": ({"count": "origin_count", "type": "origin_datatype datatype"},
                  {"count": "result_count origin_count", "type": "result_datatype origin_datatype datatype"}),
    "file_access": ({"count": "count", "type": "datatype"}, {}),
    "transfer": ({"count": "sendcount count", "type": "sendtype datatype", "tag": "sendtag tag"},
                 {"count": "recvcount count", "type": "recvtype datatype", "tag": "recvtag tag"}),
}


def argument_names():
    """Texts of names that this module knows arguments by."""
    yield from (*INPUTS.values(), *OUTCOMES.values(), " ".join(NAMES))
    yield from (names for sides in AMOUNTS.values() for side in sides for names in side.values())


class Words:
    """Where the fields of a call stand among its words."""

    def __init__(self, call):
        self.call, self.fields, self.starts, word = call, mpi_fields.fields(call), {}, 0
        for field in self.fields:
            self.starts[field.name] = word
            word += 3 if field.kind == "kStatus" and not field.is_array else 1

    def first(self, names):
        """The first of these fields that there is, by name; None if there is none."""
        return next((field for name in names.split() for field in self.fields if field.name == name), None)

    def of(self, names):
        field = self.first(names)
        return self.starts[field.name] if field else -1

    def of_kind(self, kind, is_outcome):
        """The first scalar field of a kind."""
        return next((self.starts[field.name] for field in self.fields
                     if field.kind == kind and field.is_outcome == is_outcome and not field.is_array), -1)


def plain_name(call):
    """"ialltoallv" for MPI_Ialltoallv_c; without what says how the call is made: "alltoallv"."""
    name = (call.large_of or call.name).removeprefix("MPI_").lower().removesuffix("_init")
    return name[1:] if call.mode == "nonblocking" and call.role != "io" else name


def act_of(call, words):
    if call.act:
        return call.act
    if call.role in BY_ROLE:
        return BY_ROLE[call.role]
    if call.role == "recv":  # MPI_Mrecv has no source: the probe has received
        return "transfer" if words.of("source") >= 0 else "take_matched"
    if call.role == "probe":
        return "matched_probe" if words.of("message") >= 0 else "probe"
    if call.role == "io":
        return "file_access" if words.of("count") >= 0 and words.of("datatype") >= 0 else "file"
    if call.role == "rma" and words.of("target_rank") >= 0:
        return "one_sided"
    if call.role in ("comm", "topo") and words.of_kind("kComm", True) >= 0:
        return "make_comm"
    if call.role == "win" and words.of_kind("kWin", True) >= 0:
        return "make_window"
    if call.role in ("group", "datatype", "op", "session"):
        if any(arg.is_handle and arg.direction == "out" for arg in call.args):
            return "make_object"
        if any(arg.direction == "free" for arg in call.args):
            return "free_object"
    raise mpi_table.TableError(f"[{call.name}] what does it do? Give it an `act` ({', '.join(ACTS)})")


def completes(call, act, words):
    if act != "complete":
        return "none"
    if words.of("array_of_requests") < 0:
        return "one"
    return "some" if words.of("array_of_indices") >= 0 else "any" if words.of("index") >= 0 else "all"


def send_kind(call):
    name = plain_name(call)
    return {"s": "synchronous", "b": "buffered", "r": "ready"}.get(name[0] if name[1:] == "send" else "", "standard")


def topology(call):
    if call.name in DUPLICATES:
        return "same"
    if call.role != "topo":
        return "none"
    name = call.name.removeprefix("MPI_").lower().replace("_create", "")
    if name not in TOPOLOGIES:
        raise mpi_table.TableError(f"[{call.name}] makes no process topology that is known ({', '.join(TOPOLOGIES)})")
    return name


def collective(call, act):
    if act != "collective":
        return "none"
    if plain_name(call) not in OPERATIONS:
        raise mpi_table.TableError(f"[{call.name}] is no collective operation that is known ({', '.join(OPERATIONS)})")
    return plain_name(call)


def amounts(call, act, words):
    """Counts, datatypes and tags of what goes and of what comes, and whether these are arrays."""
    is_transfer = act in ("transfer", "take_matched", "probe", "matched_probe")
    send, receive = AMOUNTS.get("transfer" if is_transfer else act, ({}, {}))
    if is_transfer and words.of("dest") < 0:
        send = {}
    elif is_transfer and words.of("source") < 0:
        receive = {}
    result = {f"{side}_{what}": words.of(names) for side, known in (("send", send), ("receive", receive))
              for what, names in known.items()}
    for side, known in (("send", send), ("receive", receive)):
        for what in ("count", "type"):
            field = words.first(known.get(what, ""))
            result[f"has_{side}_{what}s"] = field is not None and field.is_array
    return result


def meaning(call):
    """Names of the members of trace::CallMeaning -> values: texts of enumerators, indices of words (-1: none), truths."""
    words = Words(call)
    act = act_of(call, words)
    if act not in ACTS:
        raise mpi_table.TableError(f"[{call.name}] `{act}` is no act ({', '.join(ACTS)})")
    origin = call.arg("origin_addr")
    result = {"act": act, "completes": completes(call, act, words), "collective": collective(call, act),
              "send_kind": send_kind(call), "topology": topology(call)}
    result |= {name: words.of(fields) for name, fields in (INPUTS | OUTCOMES).items()}
    result |= {"comm": words.of_kind("kComm", False), "new_comm": words.of_kind("kComm", True),
               "name": words.of(" ".join(NAMES))}
    result |= amounts(call, act, words)
    if act == "one_sided":
        result |= {"target_count": words.of("target_count"), "target_type": words.of("target_datatype datatype")}
    result |= {
        "is_started_later": call.mode in ("persistent", "partitioned"),
        "is_partitioned": call.mode == "partitioned",
        "keeps_request": act == "complete" and call.arg("request") is not None and call.arg("request").direction == "in",
        "may_find_nothing": act in ("complete", "ask_partition", "probe", "matched_probe", "end_exposure")
        and (words.of("flag") >= 0 or call.name.startswith("MPI_Test")),
        "is_removed": call.removed is not None,
        "gets": act == "one_sided" and origin.direction == "out",
        "gives_back": act == "one_sided" and (origin.direction == "out" or call.arg("result_addr") is not None),
        "compares": act == "one_sided" and call.arg("compare_addr") is not None,
        # Not all of the communicator, but those of a group.
        "is_of_group": act == "make_comm" and words.of("group") >= 0 and words.of("tag stringtag") >= 0,
    }
    if act == "complete":
        result["request_count"] = words.of("count incount")
    if result["flag"] >= 0 and not words.first("flag").is_outcome:
        result["flag"] = -1  # MPI_File_set_atomicity is given one
    if act not in ("complete", "end_exposure", "probe", "matched_probe", "ask_partition"):
        result["index"] = -1  # of MPI_Graph_create it is an array of the program's
    return result
