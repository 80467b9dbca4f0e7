// cuBLASLt is opened at run time: what is said where it is absent or cannot start.

#include "kernels/cuda/cublas_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanescope::kernels::cuda::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CublasLibrary, SaysInOneLineThatItIsAbsent) {
    std::string why;
    EXPECT_EQ(CublasLibrary::open(nullptr, 0, &why, "libcublasLt.so.0"), nullptr);
    EXPECT_THAT(why, HasSubstr("libcublasLt.so.0"));
    EXPECT_THAT(why, Not(HasSubstr("\n")));
}

TEST(CublasLibrary, SaysWhatAnotherLibraryLacks) {
    std::string why;
    EXPECT_EQ(CublasLibrary::open(nullptr, 0, &why, "libm.so.6"), nullptr);
    EXPECT_EQ(why, "libm.so.6 has no function cublasLtCreate");
}

TEST(CublasLibrary, LoadsOrSaysWhyNot) {
    std::string why;
    const auto library = CublasLibrary::open(nullptr, 0, &why);
    if (library != nullptr) {
        EXPECT_GE(library->version(), 130000U);
        std::string refusal;
        CublasProduct product;
        product.type = DType::Q4_0;
        product.nRows = product.nTokens = product.nCols = 32;
        EXPECT_FALSE(library->multiply(product, nullptr, &refusal));
        EXPECT_THAT(refusal, HasSubstr("32 x 32 by 32 rows"));
    } else {
        EXPECT_THAT(why, HasSubstr(CublasLibrary::kName));
        EXPECT_THAT(why, Not(HasSubstr("\n")));
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
