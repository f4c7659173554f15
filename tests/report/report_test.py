#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo report: pages open in a browser without complaints, show the numbers of the commands, and run nothing that an archive says."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import programs  # noqa: E402
from support import ALL_CASES, BUILD, CommandTest, record, run  # noqa: E402

MODULES = BUILD / "report" / "web"
DATA = pathlib.Path(os.environ.get("RONDO_TEST_DATA", "/nowhere"))
CHROMIUM = shutil.which("chromium")
NODE = shutil.which("node") or shutil.which("nodejs")
SILENT = "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n"
ABORTING = ("#include <mpi.h>\nint main(int c, char** v) { int r; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
            "MPI_Barrier(MPI_COMM_WORLD); if (r == 1) MPI_Abort(MPI_COMM_WORLD, 3); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n")
# Fences, locks with flushes, post and start, requests; sizes that hang on the rank, and a send beside them.
ONE_SIDED = """#include <mpi.h>
int main(int c, char** v) {
  static double mine[5000], theirs[5000];
  int r, n; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);
  int next = (r + 1) % n, last = (r + n - 1) % n;
  MPI_Win w; MPI_Win_create(theirs, sizeof theirs, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  MPI_Group all, to, from; MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &next, &to); MPI_Group_incl(all, 1, &last, &from);
  for (int i = 0; i < 5; ++i) {
    MPI_Win_fence(0, w); MPI_Put(mine, 100 + 10 * r, MPI_DOUBLE, next, 0, 100 + 10 * r, MPI_DOUBLE, w);
    MPI_Get(mine, 4, MPI_DOUBLE, last, 0, 4, MPI_DOUBLE, w); MPI_Win_fence(0, w);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, w); MPI_Put(mine, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, w);
    MPI_Win_flush(next, w); MPI_Accumulate(mine, 5000, MPI_DOUBLE, next, 0, 5000, MPI_DOUBLE, MPI_SUM, w); MPI_Win_unlock(next, w);
    MPI_Win_post(from, 0, w); MPI_Win_start(to, 0, w); MPI_Put(mine, 20, MPI_DOUBLE, next, 0, 20, MPI_DOUBLE, w);
    MPI_Win_complete(w); MPI_Win_wait(w);
    MPI_Barrier(MPI_COMM_WORLD); /* who locks first is no matter of time: the page plays all networks in one order */
    MPI_Request q; MPI_Win_lock_all(0, w); MPI_Rput(mine, 300, MPI_DOUBLE, next, 0, 300, MPI_DOUBLE, w, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Win_unlock_all(w);
    if (r == 0) MPI_Send(mine, 50, MPI_DOUBLE, n - 1, 0, MPI_COMM_WORLD);
    if (r == n - 1) MPI_Recv(mine, 50, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Win_free(&w); MPI_Finalize(); return 0;
}
"""


def built(folder, name, text):
    source = folder / f"{name}.c"
    source.write_text(text, encoding="utf-8")
    return programs.build(folder, source)


class Pages(CommandTest):
    """All pages are opened by one browser, before the first test."""
    pages = None
    used_whole = ("halo", "stamped", "two", "butterfly", "long")
    like_others = () if ALL_CASES else ("one", "hostile", "torus", "injected")  # to axe: they have no part that no other has

    def setUp(self):
        super().setUp()
        if Pages.pages is None:
            Pages.pages = {}
            Pages.pages = self.visit()
        self.assertTrue(self.pages, "no page could be looked at: see the first test")

    def archives(self):
        silent, _ = programs.record(built(self.folder, "silent", SILENT), 3)
        stamped, _ = programs.record(BUILD / "examples" / "openmpi" / "halo2d", 6, times="full", archive=self.folder / "stamped.rondo")
        return {"halo": [record("halo2d", 5)], "stamped": [stamped], "one": [record("collectives", 1)], "silent": [silent],
                "hostile": [self.hostile()], "aborted": [self.aborted()], "several": [self.several()],
                "two": [record("ring", 4), record("ring", 7)], "butterfly": [record("butterfly", 16)],
                **self.made(), **self.applications()}

    def made(self):
        """Runs of more ranks than there are processors for."""
        maker = BUILD / "bin" / "many_ranks"
        found = {}
        for name, words in (("torus", ("torus", "4x4x4", "20")), ("large", ("halo", "256x256", "10")), ("long", ("sum", "64", "1500"))):
            if maker.exists():
                found[name] = [self.folder / f"{name}.rondo"]
                subprocess.run([maker, *words, *found[name]], check=True, capture_output=True)
        return found

    def applications(self):
        found = {name: [path] for name, path in (("nas", DATA / "live" / "mg.W.16.rondo"), ("injected", DATA / "hostile" / "inject.rondo"))
                 if path.exists() and (ALL_CASES or name != "nas")}
        if shutil.which("lmp"):
            program = pathlib.Path(shutil.copy(shutil.which("lmp"), self.folder))
            found["lammps"] = [programs.record(program, 4, "-log", "none", "-in", HERE.parent / "oracle" / "inputs" / "melt.in")[0]]
        return found

    def aborted(self):
        archive = self.folder / "aborted.rondo"
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        run("record", "-o", archive, "--", "mpirun.openmpi", "--oversubscribe", "-n", "3", built(self.folder, "aborting", ABORTING),
            environment=root)
        self.assertTrue(archive.exists())
        return archive

    def several(self):
        archive = self.folder / "several.rondo"
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        ring = BUILD / "examples" / "openmpi" / "ring"
        run("record", "-o", archive, "--", "mpirun.openmpi", "--oversubscribe", "-n", "2", ring, ":", "-n", "2",
            shutil.copy(ring, self.folder / "other"), environment=root)
        return archive

    def hostile(self):
        name = "<img src=x onerror=alert(1)>"
        program = self.folder / name
        shutil.copy(BUILD / "examples" / "openmpi" / "ring", program)
        return programs.record(program, 4, archive=self.folder / "hostile.rondo")[0]

    def visit(self):
        archives = self.archives()
        files = []
        for name, traces in archives.items():
            page = self.folder / f"{name}.html"
            self.assertEqual(run("report", *traces, "-o", page).returncode, 0)
            files.append(("+" if name in self.used_whole else "-" if name in self.like_others else "") + str(page))
        done = subprocess.run([NODE, HERE / "browse.mjs", MODULES, CHROMIUM, *files], capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = {}
        for name, traces in archives.items(): # archives of this test's folder are gone in the next one
            said[name] = {"page_bytes": (self.folder / f"{name}.html").stat().st_size, "archive_bytes": sum(t.stat().st_size for t in traces)}
        pages = dict(zip(archives, json.loads(done.stdout)))
        for name in ("halo", "stamped"):
            for move in pages[name]["sliders"]:
                options = move["command"].split()[3:]
                move["simulated"] = json.loads(run("simulate", archives[name][0], *options, "--json").stdout)["predicted_seconds"]
        butterfly = archives["butterfly"][0]
        said["butterfly"]["stats"] = json.loads(run("stats", butterfly, "--json").stdout)
        said["butterfly"]["patterns"] = json.loads(run("patterns", butterfly, "--communication", "--json").stdout)["patterns"]
        return {name: page | said[name] for name, page in pages.items()}

    def test_say_nothing_on_the_console_and_ask_for_nothing(self):
        for name, page in self.pages.items():
            self.assertEqual(page["complaints"], [], name)

    def test_show_all_sections(self):
        wanted = ["time", "talk", "sizes", "topology", "program", "patterns", "timeline", "whatif"]
        for name, page in self.pages.items():
            self.assertEqual(page["sections"], ["compare", *wanted] if name == "two" else wanted)
            self.assertEqual(len(page["sentences"]), 3)

    def test_show_a_program_that_is_called_like_markup_as_text(self):
        page = self.pages["hostile"]
        self.assertIn("<img src=x onerror=alert(1)>", page["command"])
        self.assertEqual(page["images"], 0)

    def test_name_all_programs_of_a_run(self):
        self.assertEqual(self.pages["several"]["command"], "ring on ranks 0-1, other on ranks 2-3")

    def test_draw_charts_and_obey_keys(self):
        for name in ("halo", "stamped", "two"):
            page = self.pages[name]
            self.assertTrue(page["isMatrixDrawn"], name)
            self.assertTrue(page["isTimelineDrawn"], name)
            self.assertIn("rank 0 → rank 1", page["pair"])
            self.assertRegex(page["address"], r"\.sort=-?1")

    def test_unpack_in_a_worker_or_by_themselves_where_a_browser_refuses_it(self):
        self.assertEqual({page["worker"] for page in self.pages.values()}, {"beside"})
        refused = next(iter(self.pages.values()))["refused"]
        self.assertEqual(refused, {"workers": ["beside", "none", "none"], "is_same": True})

    def test_say_whether_a_timeline_is_measured(self):
        self.assertIn("As it was", self.pages["stamped"]["timeline"])
        self.assertIn("Reconstructed", self.pages["halo"]["timeline"])

    def test_say_where_a_reader_looks_in_their_address(self):
        for name in ("halo", "stamped", "butterfly"):
            page = self.pages[name]
            self.assertIn("timeline.view=", page["zoomed_address"])
            self.assertTrue(page["is_zoomed"], name)
            self.assertTrue(page["is_same_view"], name)

    def test_draw_all_messages_of_a_small_run(self):
        messages = self.pages["butterfly"]["stats"]["message_density"]["total_messages"]
        self.assertIn(f" {messages} messages in view", self.pages["butterfly"]["arrows"])
        self.assertIn("Critical path", self.pages["butterfly"]["arrows"])

    def test_light_what_a_line_sends(self):
        self.assertRegex(self.pages["halo"]["lit"], r"messages between \d+ pairs")

    def test_have_the_program_of_a_rank(self):
        for name, page in self.pages.items():
            own = "MPI_Init" if name != "aborted" else "MPI_Init|nothing was recorded of it"  # killed before it could write
            self.assertRegex(page["own"], f"^({own})", name)

    def test_predict_by_sliders_what_rondo_simulate_says(self):
        for name in ("halo", "stamped"):
            said = self.pages[name]["sliders"]
            self.assertGreaterEqual(len(said), 6)
            self.assertGreaterEqual(len({move["predicted"] for move in said}), 5, said)
            for move in said:
                self.assertAlmostEqual(move["predicted"] / move["simulated"], 1, delta=1e-5, msg=move["command"])

    def test_predict_between_what_was_simulated_where_a_run_is_too_long_to_play(self):
        if "long" not in self.pages:
            self.skipTest("needs many_ranks of a build with its benchmarks")
        page = self.pages["long"]
        self.assertIn("it has more than 1.0 M", page["text"])
        self.assertEqual([move["command"] for move in page["sliders"]], ["", "", ""])
        predicted = [move["predicted"] for move in page["sliders"]]
        self.assertTrue(predicted[0] < predicted[1] < predicted[2], predicted)  # a higher latency, then the least bandwidth

    def test_draw_patterns(self):
        page = self.pages["butterfly"]
        self.assertGreater(page["drawings"], 0)
        self.assertEqual(page["first_drawing"], len(page["patterns"][0]["links"]))

    def test_put_runs_side_by_side(self):
        self.assertEqual(self.pages["two"]["compared"], 2)

    def test_say_what_a_run_without_messages_lacks(self):
        self.assertIn("No rank sends a message", self.pages["silent"]["text"])

    def test_say_that_a_run_did_not_end(self):
        self.assertIn("not complete", self.pages["aborted"]["warning"])
        self.assertRegex(self.pages["aborted"]["sentences"][2], "^First to act on: the run did not end as it should; rank 1: .*MPI_Abort")
        self.assertEqual(self.pages["halo"]["warning"], "")

    def test_weigh_little_more_than_their_archives(self):
        for name, page in self.pages.items():
            self.assertLess(page["page_bytes"], 1.4 * page["archive_bytes"] + 150_000, name)

    def test_name_ranks_along_a_matrix(self):
        self.assertEqual(self.pages["halo"]["axis"], ["0", "1", "2", "3", "4"])
        if "large" in self.pages:
            self.assertEqual(self.pages["large"]["axis"], ["20000", "30000", "40000", "50000"])  # zoomed in by a half

    def test_say_of_many_ranks_that_rows_are_several(self):
        if "large" not in self.pages:
            self.skipTest("needs many_ranks of a build with its benchmarks")
        self.assertIn("Each row is 683 ranks together", self.pages["large"]["timeline"])
        self.assertIn("write the page with --limit", self.pages["large"]["text"])

    def test_obey_keys_from_what_is_in_view(self):
        if "large" not in self.pages:
            self.skipTest("needs many_ranks of a build with its benchmarks")
        for name in ("inner_pair", "inner_rank"):
            self.assertRegex(self.pages["large"][name], r"^rank 3[0-9]{4} ")  # the middle of 65,536

    def test_print_dark_on_light(self):
        for name, page in self.pages.items():
            self.assertEqual(page["paper"], "rgb(255, 255, 255)", name)

    def test_fit_their_windows(self):
        for name, page in self.pages.items():
            self.assertEqual(page["too_wide"], [], name)

    def test_are_accessible(self):
        for name, page in self.pages.items():
            if name not in self.like_others:
                self.assertEqual(page["violations"], [], name)


class Played(CommandTest):
    """Runs without time stamps as the page plays them."""
    programs = (("halo2d", 9), ("butterfly", 8), ("ring", 7), ("collectives", 5))

    def test_runs_obey_their_messages_and_keep_their_time(self):
        documents = []
        for name, ranks in self.programs:
            documents.append(self.folder / f"{name}.json")
            self.assertEqual(run("report", record(name, ranks), "--json", "-o", documents[-1]).returncode, 0)
        sources = HERE.parents[1] / "report" / "web" / "src"
        done = subprocess.run([NODE, HERE / "play.mjs", shutil.which("esbuild"), sources, *documents], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        early = 0
        for (name, ranks), found in zip(self.programs, json.loads(done.stdout)):
            with self.subTest(name):
                self.assertGreater(found["receipts"] + found["operations"], 0)
                self.assertEqual(found["after"], {"messages": 0, "operations": 0})
                self.assertEqual(found["broken"], 0)
                self.assertTrue(found["is_ordered"])
                self.assertEqual(len(found["spans_ns"]), ranks)
                self.assertAlmostEqual(found["played_ns"] / found["schedule_ns"], 1, delta=0.05)
                self.assertAlmostEqual(found["schedule_ns"] / max(found["spans_ns"]), 1, delta=0.25)  # rounded means, on busy machines
                self.assertTrue(found["path"]["joins"])
                self.assertEqual(found["path"]["ends"], found["path"]["hops"] + 1)
                self.assertLessEqual(found["path"]["computing_ns"], found["path"]["whole_ns"])
                self.assertGreaterEqual(found["path"]["start_ns"], found["path"]["init_ns"])  # as the timeline that it is drawn in
            early += found["before"]["messages"] + found["before"]["operations"]
        self.assertGreater(early, 0)  # or else playing would be of no use


class Predicted(CommandTest):
    """Runs on networks of a reader's choice, as the page plays them."""
    programs = (("halo2d", 9), ("collectives", 5), ("persistent", 6), ("workers", 5))
    networks = ({"latency": 5e-6, "bandwidth": 1e9, "overhead": 0, "rendezvous": None, "computing": 1},
                {"latency": 3e-4, "bandwidth": 2e7, "overhead": 2e-6, "rendezvous": None, "computing": 0},
                {"latency": 1e-7, "bandwidth": None, "overhead": 5e-5, "rendezvous": 0, "computing": 0.5},
                {"latency": 1e-5, "bandwidth": 1e8, "overhead": 1e-6, "rendezvous": 256, "computing": 3})
    parts = (("predicted", "predicted_seconds"), ("computing", "computing_seconds"), ("communicating", "communicating_seconds"),
             ("waiting", "waiting_seconds"))

    def simulated(self, archive, network):
        settings = f"latency={network['latency']}s,bandwidth={network['bandwidth'] or 'inf'}{'B/s' if network['bandwidth'] else ''}"
        settings += f",overhead={network['overhead']}s" + (f",rendezvous={network['rendezvous']}" if network["rendezvous"] is not None else "")
        done = run("simulate", archive, "--network", settings, "--scale-compute", network["computing"], "--json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def test_take_as_long_as_rondo_simulate_says(self):
        archives = [record(name, ranks) for name, ranks in self.programs]
        archives.append(programs.record(BUILD / "examples" / "openmpi" / "halo2d", 6, times="full", archive=self.folder / "stamped.rondo")[0])
        archives.append(programs.record(built(self.folder, "one_sided", ONE_SIDED), 5)[0])
        archives += [path for path in [DATA / "live" / f"{name}.rondo" for name in ("mg.W.16", "lu.W.8")] if path.exists()]
        documents = [self.folder / f"{i}.json" for i in range(len(archives))]
        for archive, document in zip(archives, documents):
            self.assertEqual(run("report", archive, "--json", "-o", document).returncode, 0)
        sources = HERE.parents[1] / "report" / "web" / "src"
        done = subprocess.run([NODE, HERE / "predict.mjs", shutil.which("esbuild"), sources, json.dumps(self.networks), *documents],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        standing = 0
        for archive, found in zip(archives, json.loads(done.stdout)):
            with self.subTest(archive.name):
                self.assertNotIn("why_not", found)
                for network, outcome in zip(self.networks, found["outcomes"]):
                    said = self.simulated(archive, network)
                    standing += outcome["stuck"] > 0
                    self.assertEqual(outcome["stuck"] > 0, said is None, network) # programs that rely on MPI's buffers
                    for mine, key in self.parts if said else ():
                        whole = said["predicted_seconds"] * (1 if mine == "predicted" else len(said["ranks"]))
                        self.assertAlmostEqual(outcome[mine], sum(rank[key] for rank in said["ranks"]) if mine != "predicted" else said[key],
                                               delta=1e-5 * whole, msg=(mine, network))
        self.assertLess(standing, len(archives))


class Pictures(unittest.TestCase):
    def test_of_large_runs_show_every_pair_at_every_zoom(self):
        sources = HERE.parents[1] / "report" / "web" / "src"
        done = subprocess.run([NODE, HERE / "squares.mjs", shutil.which("esbuild"), sources], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertGreater(min(found["pairs"], found["edges"]), 10_000)
        self.assertEqual((found["hidden"], found["empty"], found["hidden_edges"]), (0, 0, 0))


class Files(CommandTest):
    def test_are_the_same_for_the_same_archive(self):
        texts = []
        for name in ("a.html", "b.html"):
            self.assertEqual(run("report", record("ring"), "-o", self.folder / name).returncode, 0)
            texts.append((self.folder / name).read_bytes())
        self.assertEqual(texts[0], texts[1])
        self.assertNotIn(b"http", texts[0].replace(b"http://www.w3.org/", b"").replace(b"http-equiv", b""))

    def test_leave_out_the_logical_program_of_programs_that_do_not_fold(self):
        limit = ("--limit", "0.02")  # of 200,000 terms, and 20 million calls
        document = json.loads(run("report", record("irregular", 4, "1500"), "--json", *limit).stdout)["runs"][0]
        self.assertNotIn("logical", document)
        self.assertRegex(document["left_out"][0], r"^the logical program is left out, as the run has .* on 4 ranks, in [0-9]+( k)? terms: .* --limit [0-9]+$")

    def test_draw_the_first_of_many_patterns(self):
        limit = ("--limit", "0.01")  # of 3000 messages to draw
        patterns = json.loads(run("report", record("irregular", 6), "--json", *limit).stdout)["runs"][0]["patterns"]["patterns"]
        self.assertGreater(len(patterns), 12)
        self.assertEqual([pattern.get("is_cut", False) for pattern in patterns], [i >= 12 for i in range(len(patterns))])
        self.assertEqual(["links" in pattern for pattern in patterns], [i < 12 for i in range(len(patterns))])

    def test_hold_what_the_document_says(self):
        maker = BUILD / "bin" / "many_ranks"
        if not maker.exists():
            self.skipTest("needs many_ranks of a build with its benchmarks")
        archive, page, document = (self.folder / f"grid.{ending}" for ending in ("rondo", "html", "json"))
        subprocess.run([maker, "halo", "30x50", "20", archive], check=True, capture_output=True)
        self.assertEqual(run("report", archive, "-o", page).returncode, 0)
        self.assertEqual(run("report", archive, "--json", "-o", document).returncode, 0)
        done = subprocess.run([NODE, HERE / "unpack.mjs", shutil.which("esbuild"), HERE.parents[1] / "report" / "web" / "src", page, document],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertIsNone(found["difference"])
        self.assertLess(found["packed"], document.stat().st_size / 10)

    def test_are_not_overwritten(self):
        page = self.folder / "a.html"
        page.write_text("mine", encoding="utf-8")
        self.assertEqual(run("report", record("ring"), "-o", page).returncode, 2)
        self.assertEqual(page.read_text(encoding="utf-8"), "mine")

    def test_name_an_archive_that_is_no_archive(self):
        done = run("report", __file__, "-o", self.folder / "a.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn(pathlib.Path(__file__).name, done.stderr)


class Texts(unittest.TestCase):
    def test_have_the_article_that_a_name_asks_for(self):
        source = HERE.parents[1] / "report" / "web" / "src" / "format.ts"
        names = ["ring of 5 ranks", "all-to-all of 4 ranks", "8x8 grid", "11x2 torus", "110x2 torus", "3 multigrid levels on a 5x5 grid"]
        code = subprocess.run([shutil.which("esbuild"), "--format=esm", source], capture_output=True, text=True, check=True).stdout
        code += f"console.log(JSON.stringify({json.dumps(names)}.map(withArticle)));"
        done = subprocess.run([NODE, "--input-type=module"], input=code, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout), ["a ring of 5 ranks", "an all-to-all of 4 ranks", "an 8x8 grid", "an 11x2 torus", "a 110x2 torus",
                                                   "3 multigrid levels on a 5x5 grid"])


class Sources(unittest.TestCase):
    def test_make_no_markup_of_texts(self):
        for source in (HERE.parents[1] / "report" / "web" / "src").glob("*.ts*"):
            for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
                self.assertNotIn(word, source.read_text(encoding="utf-8"), source.name)


if __name__ == "__main__":
    if not (CHROMIUM and NODE and (MODULES / "node_modules" / "playwright-core").exists()):
        print("skipped: needs chromium, and a build with rondo report")
        sys.exit(77)
    unittest.main()
