#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows what the table of MPI functions becomes, and every mistake in it being told by the entry's name."""
import shutil
import unittest

import check_mpi_calls
import mpi_meanings
import mpi_table

HEAD = 'id = 1\nsince = "1.0"\n'
PLAIN = HEAD + 'role = "env"\n'


def one(args, entry=PLAIN):
    return mpi_table.parse(f"[MPI_Name]\n{entry}args = {list(args)}\n")


class CTypes(unittest.TestCase):
    def becomes(self, text, declaration, *others):
        table = one([text, *others])
        self.assertEqual(mpi_table.c_type(table.calls[0].args[0]), declaration)

    def test_scalars(self):
        self.becomes("count in count", "int count")
        self.becomes("flag out logical", "int *flag")
        self.becomes("request free request", "MPI_Request *request")

    def test_data_and_texts(self):
        self.becomes("buf in buffer", "const void *buf")
        self.becomes("buf out buffer", "void *buf")
        self.becomes("name in string", "const char *name")
        self.becomes("name out string", "char *name")
        self.becomes("f in callback(MPI_User_function)", "MPI_User_function *f")

    def test_arrays(self):
        self.becomes("x in displ[n]", "const int x[]", "n in int")
        self.becomes("x inout request[n]", "MPI_Request x[]", "n in int")
        self.becomes("x in string[n]", "char *x[]", "n in int")
        self.becomes("x in int[n*3] nonconst", "int x[][3]", "n in int")


class LargeCounts(unittest.TestCase):
    def test_widens_counts_and_displacements(self):
        table = one(["n in count", "x in displ[comm_size]", "a in aint", "comm in comm"], PLAIN + "large = 2\n")
        self.assertEqual([(call.name, call.id) for call in table.calls], [("MPI_Name", 1), ("MPI_Name_c", 2)])
        self.assertEqual(table.call("MPI_Name_c").prototype(),
                         "int MPI_Name_c(MPI_Count n, const MPI_Aint x[], MPI_Aint a, MPI_Comm comm)")

    def test_widens_addresses_of_datatypes(self):
        table = one(["a in aint"], HEAD + 'role = "datatype"\nlarge = 2\n')
        self.assertEqual(table.call("MPI_Name_c").prototype(), "int MPI_Name_c(MPI_Count a)")

    def test_widens_functions(self):
        table = one(["f in callback(MPI_User_function)"], PLAIN + "large = 2\n")
        self.assertEqual(table.call("MPI_Name_c").prototype(), "int MPI_Name_c(MPI_User_function_c *f)")


class Mistakes(unittest.TestCase):
    def fails(self, message, args=("n in int",), entry=PLAIN):
        with self.assertRaises(mpi_table.TableError) as caught:
            one(args, entry)
        self.assertIn(f"[MPI_Name] {message}", str(caught.exception))

    def test_of_entries(self):
        self.fails("unknown key `ide`", entry=PLAIN + "ide = 2\n")
        self.fails("lacks `since`", entry='id = 1\nrole = "env"\n')
        self.fails("id is no number", entry='id = 0\nsince = "1.0"\nrole = "env"\n')
        self.fails("since is no MPI version", entry='id = 1\nsince = "one"\nrole = "env"\n')
        self.fails("`sent` is no role", entry=HEAD + 'role = "sent"\n')
        self.fails("role send goes with a mode", entry=HEAD + 'role = "send"\n')
        self.fails("has a large call, but nothing in it changes", entry=PLAIN + "large = 2\n")
        self.fails("MPI_Name_c: 1 is taken by MPI_Name", ["n in count"], PLAIN + "large = 1\n")
        self.fails("two arguments have one name", ["n in int", "n in int"])

    def test_of_arguments(self):
        self.fails("`n int`: is not NAME DIRECTION KIND", ["n int"])
        self.fails("`n into int`: `into` is no direction", ["n into int"])
        self.fails("`n in cont`: `cont` is no kind", ["n in cont"])
        self.fails("`n in int()`: is not", ["n in int()"])
        self.fails("`f in callback`: callback(TYPE)", ["f in callback"])
        self.fails("`n free int`: only a handle can be freed", ["n free int"])
        self.fails("`n in int nonconst`: nonconst says something only of an in array", ["n in int nonconst"])

    def test_of_lengths(self):
        self.fails("`x in int[m]`: the length `m` is no argument", ["x in int[m]"])
        self.fails("`x in int[b]`: the length `b` is no integer", ["x in int[b]", "b in comm"])
        self.fails("`x in int[sum(n)]`: sum() and last()", ["x in int[sum(n)]", "n in int"])
        self.fails("`x in int[comm_size]`: the length `comm_size` needs an argument `comm`", ["x in int[comm_size]"])
        self.fails("`x in int[n+1]`: `n+1` is no length", ["x in int[n+1]", "n in int"])

    def test_of_conditions(self):
        self.fails("`n in int if root`: `if root` names no argument", ["n in int if root"])
        self.fails("`n in int if m`: `if m` needs an out logical", ["n in int if m", "m in int"])
        self.fails("`n in int unless m`: `unless m` needs a buffer or op", ["n in int unless m", "m in int"])

    def test_of_the_file(self):
        with self.assertRaisesRegex(mpi_table.TableError, "^calls.toml: ."):
            mpi_table.parse("[MPI_Name", "calls.toml")


class Meanings(unittest.TestCase):
    def test_every_function_has_one(self):
        for call in mpi_table.load().calls:
            self.assertIn(mpi_meanings.meaning(call)["act"], mpi_meanings.ACTS)

    def test_of_a_function_that_the_rules_do_not_know(self):
        for entry, message in ((PLAIN, "what does it do? Give it an `act`"),
                               (HEAD + 'role = "request"\n', "what does it do?"),
                               (PLAIN + 'act = "dance"\n', "`dance` is no act"),
                               (HEAD + 'role = "topo"\nact = "make_comm"\n', "makes no process topology"),
                               (HEAD + 'role = "collective"\nmode = "blocking"\n', "is no collective operation")):
            with self.assertRaises(mpi_table.TableError) as caught:
                mpi_meanings.meaning(one(["n in int"], entry).calls[0])
            self.assertIn(f"[MPI_Name] {message}", str(caught.exception))


@unittest.skipUnless(shutil.which("mpicc.mpich"), "needs MPICH")
class AgainstMpi(unittest.TestCase):
    def setUp(self):
        self.headers = [check_mpi_calls.Header("mpicc.mpich")]

    def says(self, message, args, exclusions, name="MPI_Comm_rank"):
        table = mpi_table.parse(f'[{name}]\n{PLAIN}args = {args}\n')
        self.assertIn(message, "\n".join(check_mpi_calls.compare(table, exclusions, self.headers)))

    def test_finds_what_differs(self):
        everything = {"MPI_*": "any reason"}
        self.says("MPI_Comm_rank: mpicc.mpich: conflicting types", ["comm in comm", "rank in int"], everything)
        self.says("MPI_Comm_rink: mpicc.mpich lacks it", ["comm in comm"], everything, "MPI_Comm_rink")
        self.says("MPI_Comm_size: mpicc.mpich has it, but", ["comm in comm", "rank out int"], {})
        self.says("MPI_Comm_rank: both in the table and", ["comm in comm", "rank out int"], {"MPI_Comm_rank": "query"})


if __name__ == "__main__":
    unittest.main()
