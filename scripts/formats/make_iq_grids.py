#!/usr/bin/env python3
"""Makes kernels/types/iq_grid_data.h from the `gguf` Python package (MIT licence).

The codebooks of the IQ formats are part of the GGUF format: a decoder has to use these very
numbers. Usage: make_iq_grids.py > kernels/types/iq_grid_data.h (needs gguf 0.19 and numpy).
"""
import numpy as np
from gguf import quants

HEAD = """#pragma once
// Codebooks of the IQ formats, packed: format data, made by scripts/formats/make_iq_grids.py from the
// gguf Python package (0.19.0, MIT licence). Value j of an entry is its code j, two bits each for
// IQ1 and IQ2, four bits each for IQ3; what a code means is in iq_grids.cpp. Do not edit by hand.

#include <array>
#include <cstdint>

namespace lanescope::kernels::griddata {
"""


def entries(cls, bits):
    cls.init_grid()
    values = cls.grid.reshape(cls.grid_shape)
    codes = np.zeros(values.shape, dtype=np.uint16)
    for code, value in enumerate(cls.grid_map):
        codes[values == np.float32(value)] = code
    shifts = np.arange(values.shape[1], dtype=np.uint16) * bits
    return (codes << shifts).sum(axis=1).astype(np.uint16)


def table(name, cls, bits):
    numbers = entries(cls, bits)
    print(f"\ninline constexpr std::array<std::uint16_t, {len(numbers)}> {name}{{")
    for i in range(0, len(numbers), 14):
        print("    " + ", ".join(str(n) for n in numbers[i:i + 14]) + ",")
    print("};")


print(HEAD, end="")
table("kIq1", quants.IQ1_S, 2)
table("kIq2Xxs", quants.IQ2_XXS, 2)
table("kIq2Xs", quants.IQ2_XS, 2)
table("kIq2S", quants.IQ2_S, 2)
table("kIq3Xxs", quants.IQ3_XXS, 4)
table("kIq3S", quants.IQ3_S, 4)
print("\n}  // namespace lanescope::kernels::griddata")
