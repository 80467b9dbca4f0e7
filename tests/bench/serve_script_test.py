"""scripts/serve_bench.py with a made-up command line and server: turns, figures, and what is said when a side fails."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

OURS = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
assert words[0] == "serve-sim"
if "--save-arrivals" in words:
    with open(words[words.index("--save-arrivals") + 1], "w") as f:
        for i in range(4): f.write(json.dumps({"t": 0.01 * i, "tokens": [1, 2, 3], "maxTokens": 5}) + "\\n")
else:
    open(os.environ["LOG"], "a").write("o")
    print(json.dumps({"tps": 50.0, "ttft": {"p50": 3.0, "p95": 4.0}, "itl": {"p50": 1.0, "p95": 2.0}}))
"""

PACKAGE = """
import http.server, json, os, threading, time
class Thing: pass
class CommonParams(Thing):
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch, self.hostnames = Thing(), Thing(), Thing(), []
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["prompt"] == [1, 2, 3] and asked["ignore_eos"]
        if os.environ.get("REFUSE"): return self.send_error(503, "busy")
        open(os.environ["LOG"], "a").write("p")
        self.send_response(200)
        self.end_headers()
        for i in range(asked["n_predict"]):
            time.sleep(0.01)
            self.wfile.write(b"data: " + json.dumps({"tokens": [i], "stop": False}).encode() + b"\\n\\n")
        self.wfile.write(b'data: {"stop": true}\\n\\ndata: [DONE]\\n\\n')
class Server:
    def __init__(self, p):
        if os.environ.get("BROKEN"): raise RuntimeError("no such model")
        assert p.hostnames == ["127.0.0.1"] and p.n_parallel == 2 and p.n_ctx == 2 * 16
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", p.port), Handler)
        self.listening_address = f"127.0.0.1:{p.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class ServeScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cli, self.log, self.out = self.path("cli"), self.path("log"), self.path("out.json")
        with open(self.cli, "w") as f:
            f.write(OURS)
        os.chmod(self.cli, 0o755)
        with open(self.path("xllamacpp.py"), "w") as f:
            f.write(PACKAGE)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def bench(self, **environment):
        command = [sys.executable, "scripts/serve_bench.py", "model.gguf", "--package", self.folder.name, "--cli", self.cli, "--rounds",
                   "3", "--requests", "4", "--sequences", "2", "--port", str(free_port()), "--out", self.out]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120,
                              env=os.environ | {"LOG": self.log} | environment)

    def test_sides_take_turns_and_figures_are_those_of_streamed_tokens(self):
        ran = self.bench()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(self.out) as f:
            found = json.load(f)
        figures = found["figures"]
        self.assertEqual(figures["tps"]["ours"], [50.0] * 3)
        self.assertEqual(len(figures["tps"]["peer"]), 3)
        for gap in figures["itl p50"]["peer"]:  # 10 ms a token, as the server sleeps
            self.assertGreater(gap, 9.0)
        for first in figures["ttft p95"]["peer"]:
            self.assertGreater(first, 9.0)
        for tps in figures["tps"]["peer"]:  # 20 tokens in 50 ms or more
            self.assertLess(tps, 20 / 0.05)
            self.assertGreater(tps, 1.0)
        with open(self.log) as f:
            self.assertEqual(f.read(), "opppp" + "ppppo" + "opppp" + "ppppo")
        self.assertIn("| ttft p95 |", ran.stdout)
        self.assertEqual((found["schema"], found["model"], found["requests"]), (1, "model.gguf", 4))

    def test_a_server_that_does_not_start_is_named_with_its_last_words(self):
        ran = self.bench(BROKEN="1")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("the server did not start: RuntimeError: no such model", ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)

    def test_a_request_that_is_refused_is_named(self):
        ran = self.bench(REFUSE="1")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("HTTP 503", ran.stderr)
        self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    unittest.main()
