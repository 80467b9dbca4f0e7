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
sed -i -e '/^part kernels/d' -e 's/-p 512 -n 64 -b 1,16 -r 3/-p 20 -n 2 -b 1,2 -r 1/' "$OUT/pack/run"
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
trace = json.load(open(sys.argv[2]))
timing = trace["otherData"]["deviceTiming"]
assert bool(timing["source"]) != bool(timing["unavailable"]), timing
assert result["run"]["status"] == "finished", result["run"]
PY
test -s "$OUT/pack/trace.json"
