#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes generate/replay's dispatcher for one MPI library, from the table of MPI functions: one case for each function
with arguments made from a call's words, and what the call gives back put where later words find it.

usage: generate_replay.py TABLE.toml --header MPI_H --output OUTPUT.cpp

MPI_H is the library's mpi.h after preprocessing (-E -dD): functions it lacks have no case.
"""
import argparse
import pathlib
import re

import generate_functions
import generate_wrappers
import mpi_doors
import mpi_fields
import mpi_table

# Written by hand: generate/replay/completion.cpp, memory_calls.cpp, main.cpp.
BY_HAND = generate_wrappers.BY_HAND - {"MPI_Pcontrol"} | set(
    "MPI_Iprobe MPI_Improbe MPI_Win_test MPI_Win_create MPI_Win_free MPI_Buffer_attach MPI_Buffer_detach".split())
CALLBACKS = {"MPI_User_function": "do_nothing", "MPI_Grequest_query_function": "answer_nothing",
             "MPI_Grequest_free_function": "free_nothing", "MPI_Grequest_cancel_function": "cancel_nothing"}
SMALL_INTEGERS = {"int", "MPI_Aint", "MPI_Offset", "MPI_Count"}
OBJECTS = "comm group datatype op win file message".split()


class NotReplayed(Exception):
    """The call has an argument of which a trace keeps too little."""


class Case:
    """The statements that play one call."""

    def __init__(self, call, table, name):
        self.call = call
        self.name = name  # that this MPI gives it
        self.named = table.constants | table.flags
        self.words = {}
        word = 0
        for field in mpi_fields.fields(call):
            self.words[field.name] = word
            word += 3 if field.kind == "kStatus" and not field.is_array else 1
        self.before = []
        self.arguments = [self.argument(arg) for arg in call.args]

    def word(self, arg):
        if arg.name not in self.words:
            raise NotReplayed(arg.name)
        return f"w[{self.words[arg.name]}]"

    def local(self, arg, type_name, value):
        name = arg.name + "_value"  # arguments are named like the functions that make them
        self.before.append(f"{type_name} {name} = {value};")
        return name

    def argument(self, arg):
        if arg.length:
            return self.array(arg)
        plain = {"info": "MPI_INFO_NULL", "status": "MPI_STATUS_IGNORE", "state": "nullptr", "argc": "nullptr", "argv": "nullptr"}
        if arg.kind in plain:
            return plain[arg.kind]
        if arg.kind == "callback":
            if arg.type not in CALLBACKS:
                raise NotReplayed(arg.name)
            return CALLBACKS[arg.type]
        if arg.kind == "pointer":
            return "static_cast<void*>(&" + self.local(arg, "void*", "nullptr") + ")"
        if arg.kind == "buffer":
            return f"{'send' if arg.direction == 'in' else 'receive'}_buffer({self.word(arg)})"
        if arg.kind == "string" and arg.direction == "in":
            function = "file_name" if arg.name == "filename" else "text"
            return f"{function}({self.word(arg)}).c_str()"
        if arg.kind == "string" and arg.direction == "out":
            return self.local(arg, "std::array<char, MPI_MAX_DATAREP_STRING>", "{}") + ".data()"
        if arg.kind == "request":
            return self.request(arg)
        if arg.kind in OBJECTS:
            return self.handle(arg)
        if arg.kind in self.named or arg.kind in ("rank", "root", "tag") or arg.type in SMALL_INTEGERS:
            return self.integer(arg)
        raise NotReplayed(arg.name)

    def request(self, arg):
        if arg.direction == "out":
            return f"new_request({str(self.call.mode in ('persistent', 'partitioned')).lower()})"
        return f"request({self.word(arg)})" if arg.direction != "in" else f"*request({self.word(arg)})"

    def handle(self, arg):
        if arg.direction == "out":
            return f"new_{arg.kind}({self.word(arg)})"
        value = f"{arg.kind}({self.word(arg)})"
        return value if arg.direction == "in" else "&" + self.local(arg, arg.type, "this->" + value)

    def integer(self, arg):
        if arg.direction == "out":
            return "&" + self.local(arg, arg.type, "0")
        if arg.name not in self.words:
            return self.length_of_array(arg)
        if arg.kind in self.named:
            return f"value_of_{arg.kind}({self.word(arg)})"
        if arg.kind in ("rank", "root"):
            return f"rank({self.word(arg)})"
        return f"tag({self.word(arg)})" if arg.kind == "tag" else f"integer<{arg.type}>({self.word(arg)})"

    def length_of_array(self, arg):
        """The number of elements of an array that is kept, where only that tells it."""
        array = next((a for a in self.call.args if a.length and a.length.name == arg.name and not a.length.function
                      and a.name in self.words and a.kind != "weight"), None)
        if array is None:
            raise NotReplayed(arg.name)
        factor = f" / {array.length.factor}" if array.length.factor > 1 else ""
        return f"static_cast<{arg.type}>(elements({self.word(array)}).size(){factor})"

    def counts_of(self, arg):
        """The argument with the lengths of the blocks whose displacements `arg` has."""
        prefix = {"displs": "", "sdispls": "send", "rdispls": "recv"}.get(arg.name)
        return next((a for a in self.call.args if prefix is not None and a.name.startswith(prefix) and
                     a.name.endswith("counts") and a.name in self.words), None)

    def array(self, arg):
        if arg.kind == "info":
            raise NotReplayed(arg.name)
        if arg.direction == "out":
            return self.out_array(arg)
        word = self.word(arg)
        if arg.kind == "request":
            return self.local(arg, "RequestArray", f"RequestArray(*this, elements({word}))") + ".data()"
        if arg.kind == "weight":
            return f"weights({word}, " + self.local(arg, "std::vector<int>", "{}") + ")"
        counts = self.counts_of(arg)
        if counts is not None:
            value = f"displacements<{arg.type}>({word}, {self.word(counts)})"
        elif arg.kind == "datatype":
            value = f"some_datatypes({word})"
        elif arg.kind == "rank":
            value = f"ranks({word})"
        elif arg.kind in self.named:
            value = f"choices({word}, value_of_{arg.kind})"
        elif arg.type in SMALL_INTEGERS:
            value = f"integers<{arg.type}>({word})"
        else:
            raise NotReplayed(arg.name)
        data = self.local(arg, "auto", value) + ".data()"
        return f"reinterpret_cast<int(*)[3]>({data})" if arg.length.factor == 3 else data

    def out_array(self, arg):
        word = self.word(arg)
        if arg.kind == "datatype":
            return self.local(arg, "DatatypeArray", f"DatatypeArray(*this, elements({word}))") + ".data()"
        if arg.type not in SMALL_INTEGERS:
            raise NotReplayed(arg.name)
        return self.local(arg, f"std::vector<{arg.type}>", f"std::vector<{arg.type}>(elements({word}).size() + 1)") + ".data()"

    def code(self):
        lines = [f"case {self.call.id}: {{"] + ["  " + line for line in self.before]
        lines.append(f'  check({self.name}({", ".join(self.arguments)}), "{self.name}");')
        return self.if_there(lines + ["  return true;", "}"])

    def if_there(self, lines):
        return lines if self.name == self.call.name else ["#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ", *lines, "#endif"]


def value_code(table, header):
    """Functions from words to the values that this MPI has for a name."""
    lines = []
    for kind, names in table.constants.items():
        lines.append(f"int value_of_{kind}(std::int64_t word) {{")
        lines += [f"  if (word == trace::choice({i})) return {name};" for i, name in enumerate(names)
                  if re.search(rf"\b{name}\b", header)]
        lines += ["  return Player::integer(word);", "}"]
    for kind, names in table.flags.items():
        lines += [f"static int value_of_{kind}(std::int64_t word) {{", "  if (trace::is_special(word)) return 0;",
                  "  int value = 0;"]
        lines += [f"  if ((word & {1 << i}) != 0) value |= {name};" for i, name in enumerate(names)
                  if re.search(rf"\b{name}\b", header)]
        lines += ["  return value;", "}"]
    return lines


def predefined_code():
    lines = []
    for kind, handle, function in (("Datatypes", "MPI_Datatype", "datatypes"), ("Ops", "MPI_Op", "ops")):
        null = handle.upper() + "_NULL"
        lines += [f"std::vector<{handle}> predefined_{function}() {{", "  return {"]
        lines += [f"#ifdef {name}\n    {name},\n#else\n    {null},\n#endif"
                  for name in generate_functions.predefined_names(kind)]
        lines += ["  };", "}"]
    return lines


def cases_of(table, header):
    known = generate_wrappers.declared(header)
    cases = []
    for call in table.calls:
        name = call.name if call.name in known else mpi_doors.early_name(call, header)
        if not name or call.name in BY_HAND or call.removed or call.is_marker:
            continue
        if call.role in ("process", "session"):
            continue
        try:
            cases.append(Case(call, table, name))
        except NotReplayed:
            pass
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("--header", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    header = pathlib.Path(options.header).read_text(encoding="utf-8")
    table = mpi_table.load(options.table)
    lines = ["// Generated by tools/generate_replay.py.", '#include "generate/replay/arrays.hpp"',
             '#include "generate/replay/player.hpp"', "#include <array>", "namespace rondo::generate {"]
    cases = cases_of(table, header)
    if any(case.name != case.call.name for case in cases):
        lines.insert(-1, "#include <mpi-ext.h>")
    lines += predefined_code() + value_code(table, header)
    lines += ["bool Player::play_generated(const trace::CallInstance& call) {", "const auto& w = call.words;",
              "switch (call.function->id) {"]
    for case in cases:
        lines += case.code()
    lines += ["default:", "  return false;", "}", "}"]
    by_hand = [call for call in table.calls if call.name in BY_HAND or call.is_marker]
    lines += ["bool Player::has(const trace::Function& function) {", "switch (function.id) {"]
    lines += [f"case {call.id}:" for call in by_hand]
    for case in cases:
        lines += case.if_there([f"case {case.call.id}:"])
    lines += ["  return true;", "default:", "  return false;", "}", "}", "} // namespace rondo::generate"]
    pathlib.Path(options.output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
