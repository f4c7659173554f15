#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the recorder's wrappers for one MPI library, from the table of MPI functions.

usage: generate_wrappers.py TABLE.toml --header MPI_H --fortran-symbols FILE --output-dir DIR

MPI_H              the library's mpi.h after preprocessing (-E -dD): functions it lacks get no wrapper
--fortran-symbols  names that the library's Fortran part defines, one a line

The Fortran parts of MPI libraries call MPI_Name or PMPI_Name, as they like. So both are wrapped; PMPI_Name records
only while a Fortran call is being converted.

Output: real_calls.hpp (pointers to the functions behind ours), handles.hpp (what stands for symbols of the library that are
data), wrappers.cpp, doors.cpp (the exported names, record/process/mpi_library.hpp), predefined.cpp, exports.map.
"""
import argparse
import itertools
import pathlib
import re

import generate_functions
import mpi_doors
import mpi_fields
import mpi_table

# Written by hand: they begin, end or complete things (record/lifecycle.cpp, record/complete.cpp, record/markers.cpp).
BY_HAND = set("""MPI_Init MPI_Init_thread MPI_Finalize MPI_Abort MPI_Pcontrol MPI_Wait MPI_Test MPI_Waitany MPI_Testany MPI_Waitall
    MPI_Testall MPI_Waitsome MPI_Testsome MPI_Request_get_status""".split())
# Of these, those with a second one for a log (record/complete_in_log.cpp).
LOGGED_BY_HAND = set("MPI_Wait MPI_Test MPI_Waitall MPI_Testall".split())
STARTS = {"MPI_Start": "call.started(*request);",
          "MPI_Startall": "for (int i = 0; i < count; ++i) call.started(array_of_requests[i]);",
          "MPI_Cancel": "call.cancelled(*request);"}
# Called time and again between computations that leave nothing of the recorder in the caches: their code stands together.
OFTEN = set("""MPI_Send MPI_Recv MPI_Isend MPI_Irecv MPI_Sendrecv MPI_Wait MPI_Waitall MPI_Waitany MPI_Waitsome MPI_Test MPI_Testall
    MPI_Start MPI_Startall MPI_Iprobe MPI_Barrier MPI_Bcast MPI_Reduce MPI_Allreduce MPI_Allgather MPI_Alltoall MPI_Alltoallv""".split())
# Statements that read an argument back from a call log's word, and the word.
LOGGED = {"buffer": ("reinterpret_cast<{type}>({word})", "reinterpret_cast<std::int64_t>({name})"),
          "handle": ("handle_of<{type}>(static_cast<std::uint64_t>({word}))", "static_cast<std::int64_t>(key_of({name}))"),
          "number": ("static_cast<{type}>({word})", "{name}")}
PLAIN_OBJECTS = {"win": "MPI_WIN_NULL", "file": "MPI_FILE_NULL", "session": "MPI_SESSION_NULL"}
CLOCKS = [f"{prefix}{name}{suffix}" for name in ("wtime", "wtick") for prefix, suffix in (
    ("mpi_", ""), ("mpi_", "_"), ("mpi_", "__"), ("mpi_", "_f08_"))] + [
    f"MPI_{name}" for name in ("Wtime", "Wtick", "WTIME", "WTICK", "Wtime_f08", "Wtick_f08")]  # record/live/wtime.cpp
# Functions of the MPI libraries' own through which errors are raised (record/mpi_errors.cpp).
CALL_HANDLER = [f"{prefix}MPI_{name}_call_errhandler" for prefix in ("", "P") for name in ("Comm", "Win", "File")]
ERRORS = {"OPEN_MPI": ["ompi_errhandler_invoke", "ompi_mpi_abort"] + CALL_HANDLER,
          "MPICH": ["MPIR_Err_return_comm", "MPIR_Err_return_win"] + CALL_HANDLER + [
              prefix + name for prefix in ("", "P") for name in (
                  "MPI_Comm_set_errhandler", "MPI_Errhandler_set", "MPI_Win_set_errhandler")]}
# Of the C library's (record/process/process_end.cpp): no doors, as no MPI is behind them.
ENDINGS = {"": ["abort", "_exit", "_Exit"], "MPICH": ["exit"]}
# The two sides make one communicator, each from one of its own.
DIFFERENT_PARENTS = ("MPI_Intercomm_create", "MPI_Comm_accept", "MPI_Comm_connect")
SCALARS = "tag color comm group datatype op message".split()


class Wrapper:
    """Code for one call."""

    def __init__(self, call, table):
        self.call = call
        self.constants = table.constants
        self.flags = table.flags
        self.comm = next((a.name for a in call.args if a.kind == "comm" and a.direction == "in"), None)

    def parameters(self):
        return [mpi_table.c_type(arg) for arg in self.call.args]

    def arguments(self):
        return [arg.name for arg in self.call.args]

    def condition(self, condition):
        name = condition.name
        if condition.verb == "unless":
            null = "MPI_NO_OP" if self.call.arg(name).kind == "op" else "MPI_IN_PLACE"
            return f"{name} != {null}"
        if not condition.is_place:
            return f"*{name}"
        return {"root": f"call.is_root({self.comm}, root)", "leaf": f"call.is_leaf({self.comm}, root)",
                "active": f"call.is_active({self.comm}, root)",
                "leader": (f"call.is_root({self.comm}, local_leader)" if self.comm
                           else "call.leads_group(local_group, local_leader)")}[name]

    def length(self, length):
        text = length.name
        if length.function == "sum":
            text = f"call.sum({text}, {self.length(self.call.arg(text).length)})"
        elif length.function == "last":
            text = f"call.last({text}, {self.length(self.call.arg(text).length)})"
        elif text.startswith("contents_"):
            text = f"call.contents(datatype).{text.removeprefix('contents_')}"
        elif not length.is_argument:
            text = {"comm_size": f"call.comm_size({self.comm})", "local_size": f"call.local_size({self.comm})",
                    "cart_dims": f"call.cart_dims({self.comm})", "sources": f"call.sources({self.comm})",
                    "destinations": f"call.destinations({self.comm})"}[text]
        elif self.call.arg(text).is_pointer:
            text = "*" + text
        return text if length.factor == 1 else f"{length.factor} * {text}"

    def put(self, field):
        """The statement that adds the field's words, its conditions apart."""
        arg = field.arg
        value = arg.name if arg.direction == "in" or arg.kind == "buffer" or arg.length else "*" + arg.name
        if arg.length:
            return self.put_array(arg)
        if arg.kind == "buffer":
            return f"call.buffer({arg.name}, [&] {{ return {self.data(arg)}; }});"
        if arg.kind == "string":
            return f"call.text({arg.name});"
        if arg.kind in PLAIN_OBJECTS:
            verb = "made_plain" if field.is_outcome else "plain"
            return f"call.{verb}(trace::FieldKind::{field.kind}, key_of({value}), {value} == {PLAIN_OBJECTS[arg.kind]});"
        if arg.is_handle:
            if not field.is_outcome:
                return f"call.{arg.kind}({value});"
            if arg.kind == "datatype" and self.call.role == "io":
                return f"call.made_or_predefined({value});"  # MPI_File_get_view gives what someone set
            making = f", {self.making()}" if arg.kind == "comm" else ""
            return f"call.made_{arg.kind}({value}{making});"
        if arg.kind in ("rank", "root"):
            return f"call.{arg.kind}({value});"
        if arg.kind in self.constants:
            return f"call.word(choice_{arg.kind}({value}));"
        if arg.kind in self.flags:
            return f"call.word(flags_{arg.kind}({value}));"
        return f"call.{arg.kind if arg.kind in SCALARS else 'integer'}({value});"

    def making(self):
        """What the members of a new communicator agree on."""
        text, tag = self.call.arg("stringtag"), self.call.arg("tag")
        parent = self.comm if self.comm and self.call.name not in DIFFERENT_PARENTS else "MPI_COMM_NULL"
        label = f"call.tag_of({text.name})" if text else tag.name if tag else "trace::kNothing"
        return f"{{{parent}, {label}, {str(self.call.makes_request).lower()}}}"

    def data(self, buffer):
        """Whether there are data in the buffer: MPI_BOTTOM is a null pointer, which buffers without any may be too."""
        behind = self.call.args[self.call.args.index(buffer) + 1:]
        count = next((a for a in behind if "count" in a.name or a.name.endswith("size")), None)
        datatype = next((a for a in behind if a.kind == "datatype"), None)
        if not datatype:
            return f"{count.name} != 0" if count else "false"
        if not count:
            return f"call.has_data(1, {datatype.name})"
        if not count.length:
            return f"call.has_data({count.name}, {datatype.name})"
        return f"call.have_data({count.name}, {self.length(count.length)}, {datatype.name})"

    def put_array(self, arg):
        n = self.length(arg.length)
        values = f"&{arg.name}[0][0]" if arg.length.factor == 3 else arg.name
        if arg.kind == "weight":
            return f"call.weights({values}, {n});"
        if arg.kind in self.constants:
            return f"call.choices({values}, {n}, choice_{arg.kind});"
        if arg.kind == "datatype" and arg.direction == "out":
            return f"call.made_datatypes({values}, {n});"
        verb = {"rank": "ranks", "datatype": "datatypes", "request": "request_array"}.get(arg.kind, "integers")
        return f"call.{verb}({values}, {n});"

    def put_with_conditions(self, field):
        conditions = " && ".join(self.condition(c) for c in field.arg.conditions)
        if field.kind == "kStatus":
            return f"if ({self.status_wanted_after()}) call.status(*status_used); else call.no_status();"
        if not conditions or field.arg.kind == "buffer" and not field.arg.conditions:
            return self.put(field)
        return f"if ({conditions}) {self.put(field)} else call.nothing();"

    def status(self):
        return next((a for a in self.call.args if a.kind == "status" and not a.length and a.direction == "out"), None)

    def status_wanted(self):
        """Where the status says more than the arguments: probes, and receives with wildcards."""
        if self.call.role == "probe":
            return "true"
        source, tag = self.call.arg("source"), self.call.arg("recvtag") or self.call.arg("tag")
        if self.call.role in ("recv", "sendrecv") and source and tag:
            return f"{source.name} == MPI_ANY_SOURCE || {tag.name} == MPI_ANY_TAG"
        return "false"

    def status_wanted_after(self):
        conditions = [self.condition(c) for c in self.status().conditions]
        return " && ".join(["wants_status"] + conditions)

    def request_wildcard(self):
        if self.call.role != "recv" or not self.call.arg("source"):
            return "false"
        return "source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG"

    def before(self):
        return [self.put_with_conditions(f) for f in mpi_fields.fields(self.call) if not f.is_outcome]

    def after(self):
        """Of calls that free nothing."""
        call = self.call
        fields = mpi_fields.fields(call)
        done = [self.put_with_conditions(f) for f in fields if f.is_outcome]
        if call.makes_request:
            persistent = str(call.mode in ("persistent", "partitioned")).lower()
            receives = str(call.role == "recv").lower()
            done.append(f"call.made_request(*request, {persistent}, {self.request_wildcard()}, {receives});")
        failed = ["call.no_status();" if f.kind == "kStatus" else "call.nothing();" for f in fields if f.is_outcome]
        return done, failed

    def goes_to_log(self):
        """Whether the call may be folded later (record/call_log.hpp)."""
        call = self.call
        return call.name in OFTEN - BY_HAND and call.role != "probe" and call.name not in STARTS and not any(
            a.length or a.kind == "message" or a.direction != "in" and a.kind not in ("buffer", "request", "status") for a in call.args)

    def is_logged(self):
        return self.goes_to_log() or self.call.name in LOGGED_BY_HAND

    def logged(self):
        """The arguments that are kept there, with their words."""
        kept = [a for a in self.call.args if a.kind != "status" and not (a.kind == "request" and a.direction == "out")]
        return [(a, f"entry[kEntryHead + {i}]") for i, a in enumerate(kept)]

    def out_of_log(self, arg, word):
        """The value of an argument that is kept there."""
        kind = ("const void*" if arg.direction == "in" else "void*") if arg.kind == "buffer" else arg.type
        return self.logged_as(arg)[0].format(type=kind, word=word)

    @staticmethod
    def logged_as(arg):
        return LOGGED["buffer" if arg.kind == "buffer" else "handle" if arg.is_handle else "number"]

    def fold_code(self):
        """The function that makes the event of a call in the log."""
        call = self.call
        lines = [f"[[gnu::hot]] static const std::int64_t* fold_{call.name}(Folding& folding, const std::int64_t* entry) {{",
                 f"  Call call(folding, {call.id}, entry);"]
        size = 0
        for arg, word in self.logged():
            lines.append(f"  [[maybe_unused]] const auto {arg.name} = {self.out_of_log(arg, word)};")
            size += 1
        lines += ["  " + line for line in self.before()]
        lines += ["  if (!call.goes_on(folding)) return nullptr;"]
        if call.makes_request:
            lines.append(f"  const auto made = handle_of<MPI_Request>(static_cast<std::uint64_t>(entry[kEntryHead + {size}]));")
            lines.append("  const MPI_Request* const request = &made;")
            size += 1
        done, failed = self.after()
        if self.status():
            done = failed = ["call.no_status();"]
        if done == failed:
            lines += ["  " + line for line in done]
        else:
            lines += ["  if (folding.result() == MPI_SUCCESS) {"] + ["    " + line for line in done] + ["  }"]
            lines += (["  else {"] + ["    " + line for line in failed] + ["  }"]) if failed else []
        return lines + ["  call.ends(folding);", f"  return entry + kEntryHead + {size};", "}"]

    def handle_bits(self):
        return " | ".join(f"bit_of(key_of({a.name}))" for a in self.call.args if a.is_handle and a.kind != "request" and a.direction == "in")

    def log_body(self):
        """What the entry does where the call may be folded later."""
        call = self.call
        arguments = ", ".join(self.arguments())
        excluded = self.request_wildcard() if call.makes_request else self.status_wanted()
        may = f"is_for_log(thread, {self.handle_bits()})"
        may = f"!({excluded}) && {may}" if excluded != "false" else may
        lines = [f"fetch_ahead(rondo_log_{call.name});", f"OnThread& thread = thread_at(real::rondo_thread_{call.name});",
                 f"if (!({may})) [[unlikely]] return record_{call.name}({arguments}{', ' if arguments else ''}__builtin_return_address(0));",
                 "std::int64_t* const entry = open_entry(thread);"]
        lines += [f"{word} = {self.logged_as(arg)[1].format(name=arg.name)};" for arg, word in self.logged()]
        size = len(self.logged())
        lines += [f"if (make_in_log(thread, entry, fold_{call.name}, {call.id}, __builtin_return_address(0), __builtin_frame_address(0))) [[unlikely]] {{"]
        again = [(arg, word.replace("entry", "open_entry(thread)")) for arg, word in self.logged()]
        lines += [f"  {arg.name} = {self.out_of_log(arg, word)};" for arg, word in again] + ["}"]
        lines += ["open_in_log(thread);", f"const int result = real::{call.name}({arguments});", "const std::uint64_t end = Clock::counter();",
                  "if (is_usual_end(thread, result, __builtin_frame_address(0))) [[likely]] {"]
        if call.makes_request:
            lines.append(f"  open_entry(thread)[kEntryHead + {size}] = static_cast<std::int64_t>(key_of(*request));")
            size += 1
        return lines + [f"  return close_in_log(thread, end, kEntryHead + {size}, result);", "}", "return end_otherwise(end, result);"]

    def body(self):
        call = self.call
        fields = mpi_fields.fields(call)
        arguments = self.arguments()
        polls = "flag" in [a.name for a in call.args if a.direction == "out"] and (
            call.role == "probe" or call.act in ("ask_partition", "end_exposure"))
        lines = [f"static_assert(is_poll({call.id}));", "const bool goes_on = goes_on_polling(on_thread);"] if polls else []
        lines += [f"Call call({call.id}, site);",
                 f"if (!call.is_recorded()) return real::{call.name}({', '.join(arguments)});"]
        lines += self.before()
        freed = [a for a in call.args if a.direction == "free"]
        for a in freed:
            lines.append(f"const std::uint64_t {a.name}_key = key_of(*{a.name});")
            if a.kind != "request":
                kind = mpi_fields.FIELD_KINDS[a.kind]
                lines.append(f"const std::int64_t {a.name}_word = call.word_before(trace::FieldKind::{kind}, {a.name}_key);")
        if self.status():
            lines += ["MPI_Status own_status;", f"const bool wants_status = {self.status_wanted()};",
                      "MPI_Status* const status_used = wants_status && status == MPI_STATUS_IGNORE ? &own_status : status;"]
            arguments = ["status_used" if a == "status" else a for a in arguments]
        if call.mode == "blocking" and call.role in ("recv", "probe") and call.arg("source"):
            lines.append("call.choose(source, tag, comm);")
        elif call.mode == "blocking" and call.role in ("send", "collective") and not any(f.is_outcome for f in fields):
            lines.append("call.say_ahead();")
        real = f"real::{call.name}({', '.join(arguments)})"
        if call.name == "MPI_Irecv":
            real = f"call.is_held(source) ? call.hold(buf, count, datatype, tag, comm, request) : {real}"
        elif call.name in ("MPI_Send", "MPI_Ssend"):
            real = f"call.late() != nullptr ? call.late()->send({str(call.name == 'MPI_Ssend').lower()}, {', '.join(arguments)}) : {real}"
        lines += ["call.enter();", f"const int result = {real};", "call.leave(result);"]
        done, failed = self.after()
        for arg in freed:
            kind = mpi_fields.FIELD_KINDS[arg.kind]
            done.append(f"call.freed({arg.name}_key);" if arg.kind == "request"
                        else f"call.freed(trace::FieldKind::{kind}, {arg.name}_key, {arg.name}_word);")
        if call.name in STARTS:
            done.append(STARTS[call.name])
        if done:
            lines.append("if (result == MPI_SUCCESS) {")
            lines += ["  " + line for line in done]
            lines += ["} else {"] + ["  " + line for line in failed] + ["}"] if failed else ["}"]
        if polls:
            lines.append("call.polled(goes_on, result != MPI_SUCCESS || *flag != 0);")
        lines += ["call.commit();", "return result;"]
        return lines

    def code(self):
        call = self.call
        parameters = ", ".join(["const void* site"] + self.parameters())
        arguments = "".join(", " + a for a in self.arguments())
        variadic = ", ..." if call.variadic else ""
        plain = ", ".join(self.parameters()) + variadic
        hot = "[[gnu::hot]] " if call.name in OFTEN else ""
        lines = []
        if call.name in BY_HAND:
            constant = "kMpi" + "".join(word.capitalize() for word in call.name[4:].split("_"))
            lines.append(f"static_assert({constant} == {call.id});")
            lines.append(f"int wrap_{call.name}({parameters}); // by hand")
        elif self.goes_to_log():  # the site comes last, so that arguments stay in their registers
            names = ", ".join(self.arguments())
            lines += self.fold_code()
            lines.append(f"[[gnu::always_inline]] static inline int body_{call.name}({plain}, const void* const site) {{")
            lines += ["  " + line for line in self.body()] + ["}"]
            lines.append(f"[[gnu::hot, gnu::noinline]] static int record_{call.name}({plain}, const void* const site) {{")
            lines += [f"  const int result = body_{call.name}({names}, site);",
                      f"  if (result == MPI_SUCCESS) note_log_handles({self.handle_bits()});", "  return result;", "}"]
            lines.append(f'extern "C" {hot}int rondo_entry_{call.name}({plain}) {{')
            lines.append(f"  return body_{call.name}({names}, __builtin_return_address(0));\n}}")
            lines.append(f'extern "C" RONDO_BEHIND_DOOR({call.name}) int rondo_log_{call.name}({plain}) {{')
            lines += ["  " + line for line in self.log_body()] + ["}"]
        else:
            lines.append(f'extern "C" {hot}int rondo_entry_{call.name}({plain}) {{')
            lines.append("  const void* const site = __builtin_return_address(0);")
            lines += ["  " + line for line in self.body()] + ["}"]
        if call.name in BY_HAND:
            lines.append(f'extern "C" {hot}int rondo_entry_{call.name}({plain}) {{')
            lines.append(f"  return wrap_{call.name}(__builtin_return_address(0){arguments});\n}}")
        if call.name in LOGGED_BY_HAND:
            lines.append(f'extern "C" int rondo_log_{call.name}({plain}); // by hand')
        lines.append(f'extern "C" int rondo_entry_P{call.name}({plain}) {{')
        if call.name == "MPI_Abort":  # other tools end the run by it, and so does MPICH itself
            lines.append("  note_abort(errorcode);")
        lines.append(f"  if (on_thread.fortran.site == nullptr || on_thread.call.frame != nullptr) "
                     f"return real::P{call.name}({', '.join(self.arguments())});")
        if self.is_logged():
            lines.append(f"  if (on_thread.log.limit != nullptr) return rondo_log_{call.name}({', '.join(self.arguments())});")
        if call.name in BY_HAND:
            lines.append(f"  return wrap_{call.name}(nullptr{arguments});\n}}")
        else:  # the site in the Fortran program goes before that of the call from here
            lines.append(f"  return rondo_entry_{call.name}({', '.join(self.arguments())});\n}}")
        return lines


def fortran_code(calls, symbols, header):
    """Trampolines: they note where the Fortran call stands and go on to MPI's own conversion. Every argument is a
    pointer or as wide as one, so that one shape fits all signatures.

    @return lines, the entry for each name, and names without an underscore, which functions of others have, too"""
    lines, names, plain = [], {}, set()
    for call in calls:
        count = sum(a.in_fortran for a in call.args) + 1 + sum(a.has_hidden_length for a in call.args)
        base = call.name.lower()
        is_large = call.name.endswith("_c")
        suffixes = ["_f08_large", "_f08ts_large"] if is_large else ["", "_f08", "_f08ts"]
        bases = [base.removesuffix("_c") if is_large else base]
        if early := mpi_doors.early_name(call, header):
            bases.append(early.lower())
        for base, suffix in itertools.product(bases, suffixes):
            name = f"{base}{suffix}_"
            if name not in symbols:
                continue
            parameters = ", ".join(f"void* a{i}" for i in range(count))
            arguments = ", ".join(f"a{i}" for i in range(count))
            lines += [f'extern "C" void rondo_entry_{name}({parameters}) {{',
                      f'  using Real = void (*)({", ".join(["void*"] * count)});',
                      f'  static const auto next = reinterpret_cast<Real>(real::find("{name}"));',
                      "  const bool is_outermost = enter_fortran(__builtin_return_address(0), __builtin_frame_address(0));",
                      f"  next({arguments});", "  leave_fortran(is_outermost);", "}"]
            aliases = [alias for alias in (base, base + "__", base.upper()) if alias in symbols] if suffix == "" else []
            names.update({spelling: f"rondo_entry_{name}" for spelling in [name, *aliases]})
            plain.update(alias for alias in aliases if not alias.endswith("_"))
    return lines, names, plain


def choice_code(constants, header):
    """Functions from a constant's value to its word; MPI_UNDEFINED and plain numbers stay what they are."""
    lines = []
    for kind, names in constants.items():
        lines.append(f"std::int64_t choice_{kind}(int value) {{")
        lines += [f"  if (value == {name}) return trace::choice({i});" for i, name in enumerate(names)
                  if re.search(rf"\b{name}\b", header)]
        lines += ["  return value;", "}"]
    return lines


def flag_code(flags, header):
    """Functions from a sum of flags to its word, whose bits are the same for all MPIs."""
    lines = []
    for kind, names in flags.items():
        lines += [f"std::int64_t flags_{kind}(int value) {{", "  std::int64_t word = 0;"]
        lines += [f"  if ((value & {name}) != 0) word |= {1 << i};" for i, name in enumerate(names)
                  if re.search(rf"\b{name}\b", header)]
        lines += ["  return word;", "}"]
    return lines


def error_code(classes, header):
    lines = ["std::int64_t error_number(int error_class) {"]
    lines += [f"  if (error_class == {name}) return {i};" for i, name in enumerate(classes, 1)
              if re.search(rf"\b{name}\b", header)]
    return lines + ["  return 0xffff; // a class that the program added", "}"]


def predefined_code():
    lines = ['// Generated by tools/generate_wrappers.py.', '#include "record/handles/predefined.hpp"', "namespace rondo::record {"]
    for kind, handle, function in (("Datatypes", "MPI_Datatype", "datatypes"), ("Ops", "MPI_Op", "ops")):
        items = [f"#ifdef {name}\n    {{{i}, {name}}},\n#endif"
                 for i, name in enumerate(generate_functions.predefined_names(kind))]
        lines += [f"std::vector<std::pair<int, {handle}>> predefined_{function}() {{", "  return {", *items, "  };", "}"]
    return lines + ["} // namespace rondo::record"]


def declared(header):
    return set(re.findall(r"\b(MPI_\w+)\s*\(", header))


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("--header", required=True)
    parser.add_argument("--fortran-symbols", required=True)
    parser.add_argument("--output-dir", required=True)
    options = parser.parse_args()
    header = pathlib.Path(options.header).read_text(encoding="utf-8")
    known = declared(header)
    symbols = set(pathlib.Path(options.fortran_symbols).read_text(encoding="utf-8").split())
    table = mpi_table.load(options.table)
    calls = [c for c in table.calls if c.name in known or mpi_doors.may_be_young(c, header)]
    symbols |= {spelling for c in calls if c.name not in known for spelling in mpi_doors.fortran_names(c)}
    output = pathlib.Path(options.output_dir)
    output.mkdir(parents=True, exist_ok=True)

    write(output / "real_calls.hpp", mpi_doors.real_calls_code(calls, OFTEN))
    write(output / "handles.hpp", mpi_doors.handle_code(header))
    lines = ['// Generated by tools/generate_wrappers.py.', '#include "real_calls.hpp"', '#include "record/by_hand.hpp"',
             '#include "record/call.hpp"', '#include "record/fortran_call.hpp"', '#include "record/mpi_errors.hpp"',
             '#include "record/process/mpi_library.hpp"', "namespace rondo::record {", "namespace real {"]
    lines += mpi_doors.find_code(calls, header, OFTEN) + ["} // namespace real"]
    lines += choice_code(table.constants, header) + flag_code(table.flags, header)
    lines += error_code(table.error_classes, header)
    markers = [c for c in table.calls if c.is_marker]
    lines += [f"static_assert(k{''.join(word.capitalize() for word in c.name.split('_')[1:])} == {c.id});" for c in markers]
    names, logged = [], []
    for call in calls:
        wrapper = Wrapper(call, table)
        lines += wrapper.code()
        if wrapper.is_logged():
            logged.append(call.name)
        names += [call.name, "P" + call.name]
    fortran_lines, fortran_entries, plain = fortran_code(calls, symbols, header)
    write(output / "wrappers.cpp", lines + fortran_lines + ["} // namespace rondo::record"])

    write(output / "predefined.cpp", predefined_code())
    errors = [name for macro, of in ERRORS.items() if re.search(rf"#define {macro}\b", header) for name in of]
    early = {p + name: f"rondo_entry_{p}{call.name}" for call in calls if (name := mpi_doors.early_name(call, header)) for p in ("", "P")}
    doors = {name: f"rondo_entry_{name}" for name in names + CLOCKS + errors} | early | fortran_entries
    plain |= {name for name in CLOCKS if name in (name.lower(), name.upper()) and not name.endswith("_")}
    endings = [name for macro, of in ENDINGS.items() if not macro or re.search(rf"#define {macro}\b", header) for name in of]
    exports = [f"    {name};" for name in [c.name for c in markers] + endings + list(doors)]
    write(output / "exports.map", ["{", "  global:"] + exports + ["  local: *;", "};"])
    write(output / "doors.cpp", mpi_doors.door_code(doors | {name: None for name in mpi_doors.QUESTIONS if name not in doors}, OFTEN, logged, plain))


if __name__ == "__main__":
    main()
