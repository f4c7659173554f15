#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes generate/c_arguments.inc: every argument of the C binding of every MPI function that Rondo records, as C++
data, with the word of a recorded call that says its value.

usage: generate_arguments.py TABLE.toml OUTPUT.inc
"""
import pathlib
import sys

import mpi_fields
import mpi_table
from generate_functions import camel


def words_of(call):
    """Argument name -> first word of its field."""
    words, word = {}, 0
    for field in mpi_fields.fields(call):
        words[field.name] = word
        word += 3 if field.kind == "kStatus" and not field.is_array else 1
    return words


def kind_of(arg, table):
    return "kChoice" if arg.kind in table.constants | table.flags else \
        "k" + "".join(part.capitalize() for part in arg.kind.split("_"))


def length_owner(call, arg, words):
    """The kept array that an argument which is no field is the length of; -1 if it is none."""
    for index, other in enumerate(call.args):
        if other.length and other.length.name == arg.name and not other.length.function and other.name in words:
            return index
    return -1


def argument_code(call, arg, words, table):
    word = words.get(arg.name, -1)
    owner = length_owner(call, arg, words) if word < 0 else -1
    return (f'{{"{arg.name}", ArgumentKind::{kind_of(arg, table)}, Direction::{camel(arg.direction)}, '
            f'{str(arg.length is not None).lower()}, {word}, {owner}, "{arg.type}"}}')


def main():
    table = mpi_table.load(sys.argv[1])
    calls = sorted(table.calls, key=lambda call: call.id)
    lines = []
    for call in calls:
        words = words_of(call)
        if call.args:
            items = ",\n  ".join(argument_code(call, arg, words, table) for arg in call.args)
            lines.append(f"constexpr CArgument k{call.name}Arguments[] = {{\n  {items}}};")
    lines.append("constexpr Entry kEntries[] = {")
    lines += [f"  {{{call.id}, {f'k{call.name}Arguments' if call.args else '{}'}}}," for call in calls]
    lines.append("};")
    output = pathlib.Path(sys.argv[2])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
