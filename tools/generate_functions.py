#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes trace/mpi_functions.inc: the table of MPI functions and predefined objects as C++ data.

usage: generate_functions.py TABLE.toml OUTPUT.inc
"""
import pathlib
import sys

import mpi_fields
import mpi_table

# In the order of their words -1, -2, ...; archives store these numbers: append only.
PREDEFINED = {
    "Comms": "COMM_WORLD COMM_SELF",
    "Groups": "GROUP_EMPTY",
    "Datatypes": """CHAR SIGNED_CHAR UNSIGNED_CHAR BYTE WCHAR SHORT UNSIGNED_SHORT INT UNSIGNED LONG UNSIGNED_LONG FLOAT
        DOUBLE LONG_DOUBLE LONG_LONG_INT UNSIGNED_LONG_LONG PACKED FLOAT_INT DOUBLE_INT LONG_INT SHORT_INT 2INT
        LONG_DOUBLE_INT INT8_T INT16_T INT32_T INT64_T UINT8_T UINT16_T UINT32_T UINT64_T C_BOOL C_FLOAT_COMPLEX
        C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX AINT OFFSET COUNT COMPLEX DOUBLE_COMPLEX LOGICAL REAL DOUBLE_PRECISION
        INTEGER 2INTEGER 2REAL 2DOUBLE_PRECISION CHARACTER REAL4 REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32 INTEGER1
        INTEGER2 INTEGER4 INTEGER8 INTEGER16 CXX_BOOL CXX_FLOAT_COMPLEX CXX_DOUBLE_COMPLEX CXX_LONG_DOUBLE_COMPLEX""",
    "Ops": "MAX MIN SUM PROD LAND BAND LOR BOR LXOR BXOR MINLOC MAXLOC REPLACE NO_OP",
}


def predefined_names(kind):
    return ["MPI_" + name for name in PREDEFINED[kind].split()]


def camel(word):
    return "k" + word.capitalize()


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def field_code(field, table):
    parts = [f'"{field.name}"', f"FieldKind::{field.kind}", str(field.is_outcome).lower(), str(field.is_array).lower()]
    if field.arg.kind in table.constants | table.flags:
        parts.append(f"kNames_{field.arg.kind}")
    if field.arg.kind in table.flags:
        parts.append("true")
    return "{" + ", ".join(parts) + "}"


def main():
    table = mpi_table.load(sys.argv[1])
    lines = [f"constexpr std::string_view kNames_{kind}[] = {{{quoted(names)}}};"
             for kind, names in (table.constants | table.flags).items()]
    lines.append(f"constexpr std::string_view kErrorClasses[] = {{{quoted(table.error_classes)}}};")
    calls = sorted(table.calls, key=lambda call: call.id)
    for call in calls:
        items = ", ".join(field_code(f, table) for f in mpi_fields.fields(call))
        if items:
            lines.append(f"constexpr Field k{call.name}Fields[] = {{{items}}};")
    lines.append("constexpr Function kFunctions[] = {")
    for call in calls:
        fields = f"k{call.name}Fields" if mpi_fields.fields(call) else "{}"
        mode = camel(call.mode) if call.mode else "kNone"
        lines.append(f'  {{{call.id}, "{call.name}", Role::{camel(call.role)}, Mode::{mode}, '
                     f'{str(call.makes_request).lower()}, {fields}}},')
    lines.append("};")
    for kind in PREDEFINED:
        lines.append(f"constexpr std::string_view kPredefined{kind}[] = {{{quoted(predefined_names(kind))}}};")
    output = pathlib.Path(sys.argv[2])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
