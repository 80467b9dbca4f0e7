// Which instruction sets were tested here and which were not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels {
namespace {

constexpr Isa kAll[] = {Isa::Reference, Isa::Avx2, Isa::Avx512Vnni, Isa::Avx512Amx};

TEST(Isas, WhatThisProcessorLacksIsSaid) {
    const auto available = availableIsas();
    ASSERT_FALSE(available.empty());
    EXPECT_EQ(available.front(), Isa::Reference);
    for (const Isa isa : kAll) {
        const bool here = std::find(available.begin(), available.end(), isa) != available.end();
        if (here)
            EXPECT_EQ(opTable(isa).isa, isa) << isaName(isa);
        else
            std::printf("[ NOT RUN  ] %s: compiled, but this processor lacks it\n",
                        std::string(isaName(isa)).c_str());
    }
}

TEST(Isas, TheEnvironmentAsksForALesserOne) {
    const char* before = std::getenv("LANESCOPE_ISA");
    const std::string kept = before != nullptr ? before : "";
    for (const Isa isa : availableIsas()) {
        setenv("LANESCOPE_ISA", std::string(isaName(isa)).c_str(), 1);
        EXPECT_EQ(preferredIsa(), isa);
    }
    setenv("LANESCOPE_ISA", "no such thing", 1);
    EXPECT_EQ(preferredIsa(), availableIsas().back());
    if (before != nullptr)
        setenv("LANESCOPE_ISA", kept.c_str(), 1);
    else
        unsetenv("LANESCOPE_ISA");
}

}  // namespace
}  // namespace lanescope::kernels
