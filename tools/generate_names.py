#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes trace/mpi_names.inc: MPI's names as C++ constants, MPI_Send as `Send`, MPI_2INT as `_2INT`. They are all names of the
table of MPI functions, its C types, and the functions that are not recorded.

usage: generate_names.py TABLE.toml NOT_RECORDED.txt OUTPUT.inc
"""
import itertools
import pathlib
import re
import sys

import generate_functions
import mpi_table


def names(table, not_recorded):
    """All of them, each once; of functions that are not recorded those that `not_recorded` names without a pattern."""
    constants = [values for kind, values in table.constants.items() if kind != "whence"]  # C has macros SEEK_SET ...
    of_values = itertools.chain(*constants, *table.flags.values())
    of_objects = itertools.chain(*map(generate_functions.predefined_names, generate_functions.PREDEFINED))
    of_calls = (call.name for call in table.calls if not call.is_marker)
    of_types = mpi_table.HANDLES | mpi_table.INTEGERS
    types = (of_types[kind] for kind in of_types if of_types[kind].startswith("MPI_"))
    others = re.findall(r"^MPI_\w+$", not_recorded, re.MULTILINE)
    return dict.fromkeys(itertools.chain(of_calls, of_objects, of_values, table.special, table.error_classes, types, others))


def identifier(name):
    word = name.removeprefix("MPI_")
    return "_" + word if word[0].isdigit() else word


def main():
    known = names(mpi_table.load(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    lines = [f'inline constexpr std::string_view {identifier(name)} = "{name}";' for name in known]
    output = pathlib.Path(sys.argv[3])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
