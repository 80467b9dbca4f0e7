"""scripts/bench.py with made-up programs on both sides: ratios, order, and what happens when one of them fails."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

OURS = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
open(os.environ["LOG"], "a").write("o")
if words[0] == "--version": print("ours 1")
elif words[0] == "info": print(json.dumps({"contextLength": 100}))
elif "--json" not in words: print("||\\n||\\n| m | s | t | avx2 | x |")
elif os.environ.get("ABOVE_ROOF"): sys.exit("error: pp8 seems to do 900 GOP/s, above the 100 that this machine reaches at most")
else: print(json.dumps([{"test": "pp8", "tps": {"mean": 30.0}}, {"test": "tg4", "tps": {"mean": 12.0}}]))
"""

PEER = """#!/usr/bin/env python3
import json, os, sys
if "--version" in sys.argv: sys.exit(print("peer 1"))
log = open(os.environ["LOG"], "a+")
log.write("p")
log.seek(0)
if os.environ.get("CRASH") and log.read().count("p") >= int(os.environ["CRASH"]): os.abort()
print(json.dumps([{"n_prompt": 8, "n_gen": 0, "n_depth": 0, "avg_ts": 10.0}, {"n_prompt": 0, "n_gen": 4, "n_depth": 0, "avg_ts": 6.0}]))
"""


class BenchScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cli, self.peer = self.program("cli", OURS), self.program("llama-bench", PEER)
        self.out, self.log = self.path("out.json"), self.path("log")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def program(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def bench(self, *words, **environment):
        command = [sys.executable, "scripts/bench.py", "--cli", self.cli, "--out", self.out, "--rounds", "3", *words, "model.gguf"]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"LOG": self.log} | environment)
        self.assertTrue(os.path.exists(self.out), ran.stderr)
        with open(self.out) as f:
            return ran, json.load(f)

    def test_sides_take_turns_and_the_first_round_is_not_counted(self):
        ran, found = self.bench("--peer", self.folder.name, "--tables", "speed")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        prefill, decode = found["tables"]["speed"]["rows"]
        self.assertEqual(prefill["ours"], [30.0] * 3)
        self.assertEqual(prefill["peer"], [10.0] * 3)
        self.assertEqual(decode["ratio"], {"median": 2.0, "min": 2.0, "max": 2.0})
        self.assertEqual(found["machine"]["isa"], "avx2")
        self.assertIn("| 3.00 | 3.00–3.00 |", ran.stdout)
        with open(self.log) as f:
            self.assertTrue(f.read().endswith("op" + "po" + "op" + "po"))

    def test_a_peer_that_crashes_costs_a_line_and_leaves_what_it_gave(self):
        ran, found = self.bench("--peer", self.peer, "--tables", "speed,memory", CRASH="4")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("peer: llama-bench: signal SIGABRT", ran.stderr)
        row = found["tables"]["speed"]["rows"][0]
        self.assertEqual((len(row["ours"]), len(row["peer"])), (3, 2))
        self.assertEqual(len(found["tables"]["memory"]["rows"]), 2)

    def test_a_missing_tool_is_named_and_its_table_skipped(self):
        ran, found = self.bench("--peer", self.folder.name, "--tables", "batch,speed")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("no llama-batched-bench", found["tables"]["batch"]["notes"][0])
        self.assertEqual(len(found["tables"]["speed"]["rows"]), 2)

    def test_a_figure_above_the_roof_ends_in_failure_after_the_other_tables(self):
        ran, found = self.bench("--tables", "speed,load", ABOVE_ROOF="1")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("above the 100", found["tables"]["speed"]["notes"][0])
        self.assertIn("load", found["tables"])

    def test_depths_beyond_the_trained_context_are_skipped_with_a_word(self):
        _, found = self.bench("--tables", "depth", "--long-prompt", "50", "--depths", "0,100,101")
        self.assertEqual(len(found["tables"]["depth"]["notes"]), 1)
        self.assertIn("@d101", found["tables"]["depth"]["notes"][0])


unittest.main()
