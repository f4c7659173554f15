# SPDX-License-Identifier: Apache-2.0
"""The table of MPI functions, record/mpi_calls.toml, as Python objects.

    table = mpi_table.load()
    for call in table.calls:            # large-count calls follow the call they belong to
        print(call.id, call.prototype())

The format, with the meaning of every word, is in the table's own header. Whatever breaks its rules is a
TableError that names the entry.
"""
import dataclasses
import json
import pathlib
import re

try:
    import tomllib
except ImportError:  # before Python 3.11: the same table as JSON can be read
    tomllib = None

DEFAULT_PATH = pathlib.Path(__file__).resolve().parent.parent / "record" / "mpi_calls.toml"

ROLES = ("env send recv sendrecv probe complete request collective neighbor comm topo group datatype op win rma io "
         "process session marker").split()
MODES = "blocking nonblocking persistent partitioned".split()
MODE_ROLES = "send recv sendrecv probe collective neighbor".split()  # always have a mode; io may have one
DIRECTIONS = "in out inout free".split()
KEYS = "id large since removed role mode act variadic args".split()

HANDLES = {"comm": "MPI_Comm", "group": "MPI_Group", "datatype": "MPI_Datatype", "op": "MPI_Op",
           "request": "MPI_Request", "message": "MPI_Message", "win": "MPI_Win", "file": "MPI_File",
           "session": "MPI_Session"}
INTEGERS = dict.fromkeys("int logical count displ rank root tag color weight index outcount".split(), "int") | {
    "aint": "MPI_Aint", "address": "MPI_Aint", "offset": "MPI_Offset", "bigcount": "MPI_Count"}
POINTERS = {"buffer": "void", "pointer": "void", "state": "void", "string": "char"}
NOT_KEPT = "info errhandler state callback pointer errcodes argc argv argument_list argument_lists".split()
ONLY_IN_C = "argc argv".split()
HIDDEN_LENGTH = "string argument_list argument_lists".split()  # in Fortran
C_TYPES = HANDLES | INTEGERS | POINTERS | {
    "status": "MPI_Status", "info": "MPI_Info", "errhandler": "MPI_Errhandler"}
# Kinds whose C declaration follows no rule; {} is the argument's name.
IRREGULAR = {"argc": "int *{}", "argv": "char ***{}", "errcodes": "int {}[]", "argument_list": "char *{}[]",
             "argument_lists": "char **{}[]"}

PLACES = "root leaf active leader".split()
LENGTHS = ("comm_size local_size cart_dims sources destinations contents_integers contents_addresses "
           "contents_large_counts contents_datatypes").split()


class TableError(Exception):
    """What is wrong with the table, one sentence per line."""


@dataclasses.dataclass(frozen=True)
class Length:
    name: str          # an argument, or one of LENGTHS
    function: str = ""  # "", "sum" or "last": of the array argument `name`
    factor: int = 1    # 3: the C type is NAME[][3]

    @property
    def is_argument(self):
        return bool(self.function) or self.name not in LENGTHS

    def __str__(self):
        text = f"{self.function}({self.name})" if self.function else self.name
        return text if self.factor == 1 else f"{text}*{self.factor}"


@dataclasses.dataclass(frozen=True)
class Condition:
    verb: str  # "if" or "unless"
    name: str  # one of PLACES, or an argument

    @property
    def is_place(self):
        return self.verb == "if" and self.name in PLACES

    def __str__(self):
        return f"{self.verb} {self.name}"


@dataclasses.dataclass(frozen=True)
class Arg:
    name: str
    direction: str
    kind: str                      # "callback" without its type
    type: str                      # C's base type: "int", "void", "MPI_Comm", "MPI_User_function"
    length: Length | None = None   # None: a scalar
    conditions: tuple[Condition, ...] = ()
    nonconst: bool = False

    @property
    def is_input(self):
        """The caller gives a value that says something; of a buffer, its address."""
        return self.direction != "out" or self.kind == "buffer"

    @property
    def is_outcome(self):
        """The call gives a value back; of an inout handle it is no news which object it is."""
        return self.direction == "out" and self.kind != "buffer"

    @property
    def is_handle(self):
        return self.kind in HANDLES

    @property
    def is_kept(self):
        return self.kind not in NOT_KEPT

    @property
    def is_pointer(self):
        """C passes an address: arrays, data, and all that is not only read."""
        return self.kind in POINTERS or self.kind == "callback" or self.kind in IRREGULAR or \
            self.length is not None or self.direction != "in"

    @property
    def in_fortran(self):
        return self.kind not in ONLY_IN_C

    @property
    def has_hidden_length(self):
        """Fortran passes the length of the characters, after all arguments."""
        return self.kind in HIDDEN_LENGTH


@dataclasses.dataclass(frozen=True)
class Call:
    name: str
    id: int
    since: str
    removed: str | None
    role: str
    mode: str | None
    act: str | None  # where role, mode and arguments do not tell: tools/mpi_meanings.py
    variadic: bool
    args: tuple[Arg, ...]
    large_of: str | None = None  # for a large-count call: the name of the call it belongs to

    def arg(self, name):
        return next((arg for arg in self.args if arg.name == name), None)

    @property
    def is_marker(self):
        """A function of the recorder's own."""
        return self.role == "marker"

    @property
    def makes_request(self):
        return any(arg.kind == "request" and arg.direction == "out" for arg in self.args)

    def prototype(self):
        parameters = [c_type(arg) for arg in self.args] + ["..."] * self.variadic
        return f"int {self.name}({', '.join(parameters) or 'void'})"


@dataclasses.dataclass(frozen=True)
class Table:
    calls: tuple[Call, ...]
    constants: dict[str, tuple[str, ...]]  # kind -> MPI's names of its values
    flags: dict[str, tuple[str, ...]]      # kind -> MPI's names of its bits
    error_classes: tuple[str, ...] = ()
    special: tuple[str, ...] = ()          # MPI's other names that Rondo writes

    def without_markers(self):
        return dataclasses.replace(self, calls=tuple(call for call in self.calls if not call.is_marker))

    def call(self, name):
        return next((call for call in self.calls if call.name == name), None)


def c_type(arg):
    """The C declaration of the parameter, as MPI's C binding has it."""
    if arg.kind in IRREGULAR:
        return IRREGULAR[arg.kind].format(arg.name)
    if arg.kind == "callback":
        return f"{arg.type} *{arg.name}"
    is_const = arg.direction == "in" and not arg.nonconst
    star = "*" if arg.kind in POINTERS else ""
    if arg.length:
        # An array of texts is char *x[]: C has no const there.
        const = "const " if is_const and not star else ""
        return f"{const}{arg.type} {star}{arg.name}[]" + ("[3]" if arg.length.factor == 3 else "")
    if star:
        const = "const " if is_const and arg.kind in ("buffer", "string") else ""
        return f"{const}{arg.type} *{arg.name}"
    return f"{arg.type} {'' if arg.direction == 'in' else '*'}{arg.name}"


# ---- Large counts --------------------------------------------------------------------------------


def large_arg(arg, role):
    kind = {"count": "bigcount", "displ": "aint"}.get(arg.kind, arg.kind)
    if arg.kind == "aint" and role == "datatype":
        kind = "bigcount"
    c_base = arg.type + "_c" if kind == "callback" else C_TYPES.get(kind, arg.type)
    return dataclasses.replace(arg, kind=kind, type=c_base)


def large_call(call, number):
    return dataclasses.replace(call, name=call.name + "_c", id=number, since="4.0", large_of=call.name,
                               args=tuple(large_arg(arg, call.role) for arg in call.args))


# ---- Reading -------------------------------------------------------------------------------------

ARG = re.compile(r"(?P<name>\w+) (?P<direction>\w+) (?P<kind>\w+)(?:\((?P<callback>\w+)\))?"
                 r"(?:\[(?P<length>[^]]*)\])?(?P<conditions>(?: (?:if|unless) \w+)*)(?P<nonconst> nonconst)?")
LENGTH = re.compile(r"(?:(?P<function>sum|last)\((?P<array>\w+)\)|(?P<name>\w+))(?P<factor>\*3)?")


class Problem(Exception):
    """What is wrong with one entry."""


def need(condition, message):
    if not condition:
        raise Problem(message)


def parse_length(text):
    match = LENGTH.fullmatch(text)
    need(match, f"`{text}` is no length")
    return Length(match["array"] or match["name"], match["function"] or "", 3 if match["factor"] else 1)


def parse_arg(text, named_kinds):
    match = ARG.fullmatch(text)
    need(match, "is not NAME DIRECTION KIND [CONDITIONS] [nonconst]")
    kind = match["kind"]
    need(match["direction"] in DIRECTIONS, f"`{match['direction']}` is no direction ({', '.join(DIRECTIONS)})")
    need((kind == "callback") == bool(match["callback"]), "callback(TYPE), and only it, names a C type")
    c_base = match["callback"] or C_TYPES.get(kind) or ("int" if kind in named_kinds else "")
    need(c_base or kind in IRREGULAR, f"`{kind}` is no kind")
    words = match["conditions"].split()
    return Arg(match["name"], match["direction"], kind, c_base,
               parse_length(match["length"]) if match["length"] is not None else None,
               tuple(Condition(*pair) for pair in zip(words[::2], words[1::2])), bool(match["nonconst"]))


def check_arg(arg, call):
    """The rules that need the call's other arguments."""
    if arg.direction == "free":
        need(arg.is_handle and not arg.length, "only a handle can be freed")
    if arg.nonconst:
        need(arg.length and arg.direction == "in", "nonconst says something only of an in array")
    if arg.length:
        other = call.arg(arg.length.name)
        if arg.length.is_argument:
            need(other, f"the length `{arg.length.name}` is no argument")
            need(other.type in ("int", "MPI_Count"), f"the length `{other.name}` is no integer")
            need(bool(other.length) == bool(arg.length.function), f"sum() and last() are for arrays: `{arg.length}`")
        else:
            holder = "datatype" if arg.length.name.startswith("contents_") else "comm"
            need(call.arg(holder), f"the length `{arg.length.name}` needs an argument `{holder}`")
    for condition in arg.conditions:
        other = call.arg({"root": "root", "leaf": "root", "active": "root", "leader": "local_leader"}[condition.name]
                         if condition.is_place else condition.name)
        need(other, f"`{condition}` names no argument")
        if condition.is_place:
            continue
        if condition.verb == "if":
            need(other.kind == "logical" and other.direction == "out", f"`{condition}` needs an out logical")
        else:
            need(other.kind in ("buffer", "op"), f"`{condition}` needs a buffer or op")


def parse_call(name, entry, named_kinds):
    is_marker = entry.get("role") == "marker"
    need(re.fullmatch(r"rondo_[a-z_]+" if is_marker else r"MPI_[A-Z]\w*", name), "is no name of an MPI function")
    for key in entry:
        need(key in KEYS, f"unknown key `{key}`")
    for key in ("id", "since", "role", "args"):
        need(key in entry, f"lacks `{key}`")
    role, mode = entry["role"], entry.get("mode")
    need(isinstance(entry["id"], int) and 0 < entry["id"] < 0x10000, "id is no number from 1 to 65535")
    for key in ("since", "removed"):
        need(re.fullmatch(r"\d\.\d", entry.get(key, "1.0")), f"{key} is no MPI version like \"3.1\"")
    need(role in ROLES, f"`{role}` is no role ({', '.join(ROLES)})")
    need(mode in [None, *MODES], f"`{mode}` is no mode ({', '.join(MODES)})")
    need(mode is not None if role in MODE_ROLES else mode is None or role == "io",
         f"role {role} goes {'with' if role in MODE_ROLES else 'without'} a mode")
    args = []
    for text in entry["args"]:
        try:
            args.append(parse_arg(text, named_kinds))
        except Problem as problem:
            raise Problem(f"`{text}`: {problem}") from None
    need(len({arg.name for arg in args}) == len(args), "two arguments have one name")
    call = Call(name, entry["id"], entry["since"], entry.get("removed"), role, mode, entry.get("act"),
                entry.get("variadic", False), tuple(args))
    for arg, text in zip(args, entry["args"]):
        try:
            check_arg(arg, call)
        except Problem as problem:
            raise Problem(f"`{text}`: {problem}") from None
    return call


def expand(call, number):
    """The call, and its large-count twin if it has one."""
    if number is None:
        return [call]
    twin = large_call(call, number)
    need(isinstance(number, int) and 0 < number < 0x10000, "large is no number from 1 to 65535")
    need(twin.args != call.args, "has a large call, but nothing in it changes")
    return [call, twin]


def parse(text, path="mpi_calls.toml"):
    """The table in `text`; `path` is for messages only."""
    try:
        entries = json.loads(text) if str(path).endswith(".json") else tomllib.loads(text)
    except ValueError as error:  # either's error is one
        raise TableError(f"{path}: {error}") from None
    constants, flags = ({kind: tuple(names) for kind, names in entries.pop(part, {}).items()}
                        for part in ("constants", "flags"))
    error_classes = tuple(entries.pop("errors", {}).get("classes", ()))
    special = tuple(entries.pop("special", {}).get("names", ()))
    calls, problems, owners = [], [], {}
    for name, entry in entries.items():
        try:
            found = expand(parse_call(name, entry, constants | flags), entry.get("large"))
        except Problem as problem:
            problems.append(f"{path}: [{name}] {problem}")
            continue
        for call in found:
            for key in (call.id, call.name):
                if key in owners:
                    problems.append(f"{path}: [{name}] {call.name}: {key} is taken by {owners[key]}")
                owners.setdefault(key, call.name)
        calls += found
    if problems:
        raise TableError("\n".join(problems))
    return Table(tuple(calls), constants, flags, error_classes, special)


def load(path=DEFAULT_PATH):
    return parse(pathlib.Path(path).read_text(encoding="utf-8"), path)
