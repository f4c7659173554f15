#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the Python module opens an archive and hands out calls: best of five openings; rows a second in chunks of a million, and the
largest memory of the process, for a run of N calls that is made here.

usage: bench/python_rates.py BUILD [--calls N] [--times histogram|full] [ARCHIVE...]
needs: a build with the Python module, mpicc.openmpi, and the Python that the module is for

Wall-clock and CPU time are both said: on a machine that others use only the second means something.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) { /* four calls a round, to nobody: sizes and tags in loops */
  static char data[4096];
  MPI_Init(&argc, &argv);
  const long rounds = atol(argv[1]) / 4;
  for (long i = 0; i < rounds; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(data, 64, MPI_CHAR, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 16 << (i & 7), MPI_CHAR, MPI_PROC_NULL, i & 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Send(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
"""
# Run in a process of its own, whose memory is that of the work alone.
MEASURE = r"""
import json, resource, sys, time
import rondo
def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - wall, time.process_time() - cpu
path, columns = sys.argv[1], json.loads(sys.argv[2])
opened = [timed(lambda: rondo.open(path))[1:] for _ in range(5)] # each is closed again: what stays open counts as memory
trace = rondo.open(path)
facts = {"open_wall_ms": min(w for w, _ in opened) * 1e3, "open_cpu_ms": min(c for _, c in opened) * 1e3}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def read():
    rows = total = 0
    for chunk in trace.calls(0, **({"columns": columns} if columns else {}), rows=1_000_000):
        rows += len(chunk)
        total += int(chunk["bytes"].sum())
    return rows, total
(rows, total), wall, cpu = timed(read)
facts |= {"rows": rows, "bytes": total, "wall_s": wall, "cpu_s": cpu, "rows_per_cpu_s": rows / cpu, "rows_per_s": rows / wall,
          "largest_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "memory_before_mb": before / 1024}
print(json.dumps(facts))
"""


def measure(build, archive, columns):
    environment = dict(os.environ, PYTHONPATH=str(build / "python"))
    said = subprocess.run(["/usr/bin/python3", "-c", MEASURE, archive, json.dumps(columns)], env=environment, check=True, capture_output=True, text=True)
    found = json.loads(said.stdout)
    print(f"{archive.name},{archive.stat().st_size},{'+'.join(columns) or 'all'},{found['open_wall_ms']:.1f},{found['open_cpu_ms']:.1f},{found['rows']},"
          f"{found['wall_s']:.2f},{found['cpu_s']:.2f},{found['rows_per_s'] / 1e6:.1f},{found['rows_per_cpu_s'] / 1e6:.1f},"
          f"{found['memory_before_mb']:.0f},{found['largest_memory_mb']:.0f},{found['bytes']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=100_000_000)
    parser.add_argument("--times", default="histogram")
    parser.add_argument("archives", nargs="*", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    build = options.build.resolve()
    print("archive,bytes,columns,open_wall_ms,open_cpu_ms,rows,wall_s,cpu_s,million_rows_per_s,million_rows_per_cpu_s,memory_before_mb,largest_memory_mb,sum")
    for archive in options.archives:
        measure(build, archive.resolve(), [])
    if options.calls == 0:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "many.c").write_text(PROGRAM)
        subprocess.run(["mpicc.openmpi", "-O2", folder / "many.c", "-o", folder / "many"], check=True)
        archive = folder / f"many.{options.calls}.{options.times}.rondo"
        subprocess.run([build / "bin" / "rondo", "record", "--times", options.times, "-o", archive, "--", folder / "many", str(options.calls)],
                       check=True, stderr=sys.stderr)
        measure(build, archive, [])
        measure(build, archive, ["function", "peer", "bytes"])


if __name__ == "__main__":
    main()
