#!/usr/bin/env bash
# The packed folder for GPU machines, tried with the emulated device: every part gives a result, tokens are the processor's.
set -euo pipefail
BUILD=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
scripts/gpu/pack "$BUILD" "$OUT/pack"
export LANESCOPE_CUDA_PLUGIN=$BUILD/tests/plugins/lanescope-cuda-emulated.so
# Shapes an emulator can do; its kernel benchmark is a test of its own.
sed -i -e '/^part kernels/d' -e 's/-p 512 -n 64 -b 1,16 -r 3/-p 20 -n 2 -b 1,2 -r 1/' -e 's/-p 0 -n 128 -r 7/-p 0 -n 2 -r 1/' "$OUT/pack/run"
SHAPES=tiny "$OUT/pack/run" 600 || { cat "$OUT/pack/result.json"; exit 1; }
python3 - "$OUT/pack/result.json" "$OUT/pack/trace.json" <<'PY'
import json, sys
result = json.load(open(sys.argv[1]))
assert result["device"]["selfTest"] == "passed", result["device"]
assert len(result["tokens"]) == 14, len(result["tokens"])
exact = [t for t in result["tokens"] if t["words"] == "--exact"]
assert all(t["equal"] for t in exact), [t for t in exact if not t["equal"]]
for name in ("bench-tiny-bf16", "bench-tiny-q4_0", "bench-tiny-q4_K"):
    assert all(row["tps"]["mean"] > 0 for row in result[name]), result[name]
ops = result["ops"]["ops"]
assert ops["passed"] and result["ops"]["selfTest"] == "passed", ops
assert len(ops["rows"]) > 50, len(ops["rows"])
for row in ops["rows"]:
    assert row["passed"] and row["cases"] > 0 and row["worst"] <= row["tolerance"] <= 5e-3, row
(decode,) = result["trace-cost"]
cost = decode["traceCost"]
assert decode["test"] == "tg2" and cost["n"] == 5 and cost["tracedMs"] > 0 and cost["untracedMs"] > 0, cost
assert isinstance(cost["percent"], float), cost
device = cost["deviceTiming"]
assert device["source"] if device["on"] else device["unavailable"], device
assert "mbu" not in decode, "the processor's roof says nothing of a GPU"
trace = json.load(open(sys.argv[2]))
timing = trace["otherData"]["deviceTiming"]
assert bool(timing["source"]) != bool(timing["unavailable"]), timing
assert result["run"]["status"] == "finished", result["run"]
PY
test -s "$OUT/pack/trace.json"
# A device that stops: the table is there all the same, and the exit status says that something is wrong.
status=0
LANESCOPE_EMULATED_FAIL_AFTER=400 "$BUILD/app/cli/lanescope-cli" gpu --ops --json > "$OUT/ops.json" 2> "$OUT/error" || status=$?
test "$status" = 1
grep -q '^error: .* rows are wrong; the first: .*unspecified launch failure (719)' "$OUT/error"
python3 - "$OUT/ops.json" <<'PY'
import json, sys
result = json.load(open(sys.argv[1]))
assert result["selfTest"] == "passed" and not result["ops"]["passed"], result
rows = result["ops"]["rows"]
assert rows[0]["passed"] and "not run: the device has stopped" in rows[-1]["failure"], rows
PY
