#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes trace/call_meanings.inc: what a call to each MPI function means, as C++ data in the order of ids.

usage: generate_meanings.py TABLE.toml OUTPUT.inc
"""
import pathlib
import sys

import mpi_meanings
import mpi_table

# Members of trace::CallMeaning that are enumerators, and their types.
ENUMS = {"act": "Act", "completes": "Completes", "collective": "Collective", "send_kind": "SendKind",
         "topology": "MadeTopology"}


def enumerator(word):
    return "k" + "".join(part.capitalize() for part in word.split("_"))


def member_code(name, value):
    """The initializer of a member; "" where it has the value that it has anyway."""
    if name in ENUMS:
        is_default = value in ("none", "standard", "local")
        return "" if is_default else f"m.{name} = {ENUMS[name]}::{enumerator(value)};"
    if isinstance(value, bool):
        return f"m.{name} = true;" if value else ""
    return f"m.{name} = {value};" if value >= 0 else ""


def call_code(call):
    code = [member_code(name, value) for name, value in mpi_meanings.meaning(call).items()]
    return f"  {{ // {call.name}\n    [[maybe_unused]] CallMeaning& m = all[{call.id}];\n    {' '.join(filter(None, code))}\n  }}"


def main():
    table = mpi_table.load(sys.argv[1])
    calls = sorted(table.calls, key=lambda call: call.id)
    lines = [f"constexpr std::size_t kLastId = {calls[-1].id};",
             "constexpr std::array<CallMeaning, kLastId + 1> all_meanings() {",
             "  std::array<CallMeaning, kLastId + 1> all{};"]
    lines += [call_code(call) for call in calls]
    lines += ["  return all;", "}"]
    output = pathlib.Path(sys.argv[2])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
