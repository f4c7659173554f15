# SPDX-License-Identifier: Apache-2.0
"""What Rondo keeps of each call: its fields, in the order of their words. Inputs come first (they are taken
before the call), then outcomes; within each the order of MPI's C binding.
"""
import dataclasses

import mpi_table

FIELD_KINDS = {
    "buffer": "kBuffer", "tag": "kTag", "color": "kColor", "rank": "kRank", "root": "kRoot", "comm": "kComm",
    "group": "kGroup", "datatype": "kDatatype", "op": "kOp", "request": "kRequest", "message": "kMessage",
    "win": "kWin", "file": "kFile", "session": "kSession", "status": "kStatus", "string": "kText",
}


@dataclasses.dataclass(frozen=True)
class Field:
    arg: mpi_table.Arg
    is_outcome: bool

    @property
    def name(self):
        return self.arg.name

    @property
    def kind(self):
        return FIELD_KINDS.get(self.arg.kind, "kInteger")

    @property
    def is_array(self):
        return self.arg.length is not None


def printed_lengths(call):
    """Scalar inputs that only say how long a kept input array is."""
    return {arg.length.name for arg in call.args
            if arg.length and arg.length.is_argument and not arg.length.function and arg.is_input and is_field(call, arg)}


def is_field(call, arg):
    if not arg.is_kept or arg.kind == "state":
        return False
    if arg.kind == "request" and arg.direction == "out":
        return False  # counted: see Function::makes_request
    if arg.length and arg.kind == "string":
        return False
    if arg.length and arg.direction == "out" and arg.kind != "buffer":
        return call.role in ("complete", "datatype")
    return not (arg.kind == "string" and arg.direction == "out")


def fields(call):
    lengths = printed_lengths(call)
    kept = [arg for arg in call.args if is_field(call, arg) and arg.name not in lengths]
    inputs = [Field(arg, False) for arg in kept if arg.is_input or arg.kind == "buffer"]
    return inputs + [Field(arg, True) for arg in kept if not (arg.is_input or arg.kind == "buffer")]
