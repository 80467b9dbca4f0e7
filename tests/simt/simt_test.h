#pragma once
// Helpers of the tests that run device code in the emulator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/simt.h"
#include "kernels/simt/launch.h"

namespace lanescope::kernels::cuda::test {

using simt::Error;
using simt::ErrorKind;
using simt::Index3;
using simt::launch;
using simt::Options;
using simt::Schedule;
using simt::ScopedOptions;
using simt::Shape;
using simt::Stats;
using ::testing::AllOf;
using ::testing::HasSubstr;

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kRaceTool = true;
#else
inline constexpr bool kRaceTool = false;
#endif

/// Every order in which a test should hold.
inline std::vector<Options> schedules() {
    std::vector<Options> out(4);
    out[1].schedule = Schedule::WarpSerial;
    out[2].schedule = Schedule::Random;
    out[3].schedule = Schedule::Random;
    out[3].seed = 7;
    return out;
}

/// Launches one block of `threads`; the error it ends with, if any.
template <class Kernel, class... Args>
std::optional<Error> errorOf(std::uint32_t threads, Kernel kernel, Args... args) {
    for (const Options& options : schedules()) {
        try {
            launch({{1}, {threads}}, options, kernel, args...);
        } catch (const Error& error) {
            return error;
        }
    }
    return std::nullopt;
}

inline void expectError(const std::optional<Error>& error, ErrorKind kind,
                        const ::testing::Matcher<const std::string&>& text) {
    ASSERT_TRUE(error.has_value()) << "no error";
    EXPECT_EQ(error->kind, kind) << error->what();
    EXPECT_THAT(std::string(error->what()), text);
    EXPECT_THAT(error->file, HasSubstr("_test.cpp"));
    EXPECT_GT(error->line, 0U);
}

}  // namespace lanescope::kernels::cuda::test
