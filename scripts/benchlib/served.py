"""The same arrivals served by our command line and by llama.cpp's server (the xllamacpp package), requests streamed over HTTP."""
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from . import child

SERVER = """
import sys, time
import xllamacpp as x
p = x.CommonParams()
p.model.path = sys.argv[1]
p.n_ctx = int(sys.argv[2])
p.n_parallel = int(sys.argv[3])
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = int(sys.argv[4])
if hasattr(p, "hostnames"):
    p.hostnames = ["127.0.0.1"]
else:
    p.hostname = "127.0.0.1"
p.port = int(sys.argv[5])
p.warmup = True
server = x.Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def percentile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def figures(requests, seconds):
    """requests: [(ttft ms, [gap ms], tokens)]."""
    gaps = [g for _, all_gaps, _ in requests for g in all_gaps]
    ttft = [t for t, _, _ in requests]
    return {"tps": sum(n for _, _, n in requests) / seconds, "ttft p50": percentile(ttft, 0.5), "ttft p95": percentile(ttft, 0.95),
            "itl p50": percentile(gaps, 0.5), "itl p95": percentile(gaps, 0.95)}


class PeerServer:
    def __init__(self, package, model, context, sequences, threads, port):
        environment = os.environ | {"PYTHONPATH": package}
        words = [sys.executable, "-c", SERVER, model, context * sequences, sequences, threads, port]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([str(w) for w in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, env=environment)
        address = self.process.stdout.readline().strip()
        if not address:
            self.process.wait()
            self.errors.seek(0)
            last = (self.errors.read().strip().splitlines() or ["no word"])[-1]
            raise child.Failed(f"xllamacpp: the server did not start: {last}")
        self.host, self.port = "127.0.0.1", port

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def stream(self, tokens, n):
        """Times of the tokens as they arrive."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=1800)
        connection.request("POST", "/completion", json.dumps({"prompt": tokens, "n_predict": n, "stream": True, "ignore_eos": True,
                                                              "temperature": 0, "return_tokens": True}),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise child.Failed(f"xllamacpp: HTTP {response.status}: {response.read(300)!r}")
        times = []
        for line in response:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            if not event.get("stop"):
                times += [time.monotonic()] * max(len(event.get("tokens", [0])), 1)
        connection.close()
        return times


def peer(server, arrivals):
    found, failures = [None] * len(arrivals), []
    start = time.monotonic() + 0.2

    def one(i):
        a = arrivals[i]
        time.sleep(max(start + a["t"] - time.monotonic(), 0))
        try:
            times = server.stream(a["tokens"], a["maxTokens"])
            begin = start + a["t"]
            found[i] = ((times[0] - begin) * 1e3, [(b - a) * 1e3 for a, b in zip(times, times[1:])], len(times), times[-1])
        except (OSError, IndexError, ValueError, child.Failed) as e:
            failures.append(f"request {i}: {e}")

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(arrivals))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise child.Failed(failures[0])
    return figures([f[:3] for f in found], max(f[3] for f in found) - start - min(a["t"] for a in arrivals))


def ours(cli, model, file, sequences, threads, budget):
    out = child.run([cli, "serve-sim", model, "--arrivals", file, "--max-running", str(sequences), "--threads", str(threads),
                     "--budget", str(budget), "--json"], 1800).out
    j = json.loads(out)
    return {"tps": j["tps"], "ttft p50": j["ttft"]["p50"], "ttft p95": j["ttft"]["p95"], "itl p50": j["itl"]["p50"],
            "itl p95": j["itl"]["p95"]}


def table(rows):
    """rows: {figure: {"ours": [a round], "peer": [a round]}} as Markdown."""
    out = ["| figure | ours | peer | ratio | spread |", "|---|---:|---:|---:|---:|"]
    for name, sides in rows.items():
        ratios = [a / b for a, b in zip(sides["ours"], sides["peer"])]
        cells = [name, *(f"{statistics.median(sides[s]):.4g}" for s in ("ours", "peer")), f"{statistics.median(ratios):.2f}",
                 f"{min(ratios):.2f}–{max(ratios):.2f}"]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)
