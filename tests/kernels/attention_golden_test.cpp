// Attention against float64 goldens: every case of the index whose features the contract has.

#include <algorithm>
#include <set>

#include "tests/kernels/support/golden.h"
#include "tests/kernels/support/isa_test.h"
#include "tests/kernels/support/paged.h"

namespace lanescope::kernels::test {
namespace {

class AttentionGolden : public IsaTest {};
LANESCOPE_FOR_EACH_ISA(AttentionGolden);

/// Causal masks, windows, masks of blocks, soft caps and empty rows are in the contract; the rest
/// is not.
bool inContract(const nlohmann::json& c) {
    return c.at("causal").get<bool>() && !c.at("alibi").get<bool>() && !c.at("sink").get<bool>() &&
           c.at("pad").is_null() && c.at("D") == c.at("Dv");
}

/// [nHeads, nTokens, headDim] to [nTokens, nHeads, headDim].
std::vector<float> tokenMajor(const std::vector<float>& x, std::int64_t nHeads,
                              std::int64_t nTokens, std::int64_t headDim) {
    std::vector<float> out(x.size());
    for (std::int64_t h = 0; h < nHeads; ++h)
        for (std::int64_t t = 0; t < nTokens; ++t)
            std::copy_n(x.data() + (h * nTokens + t) * headDim, headDim,
                        out.data() + (t * nHeads + h) * headDim);
    return out;
}

struct Case {
    std::string name;
    std::int64_t nHeads, nKvHeads, nTokens, context, headDim, window;
    float scale, softcap;
    std::vector<float> q, k, v;
    std::vector<std::uint8_t> mask;
    std::vector<double> expected;
    std::vector<std::int32_t> positions;
    std::int64_t block = 0;           ///< of a mask of blocks; 0: none
    std::vector<std::uint64_t> bits;  ///< [nTokens, words]
    std::int64_t words = 0;
};

Case loadCase(const nlohmann::json& c) {
    Case r;
    r.name = c.at("name");
    r.nHeads = c.at("Hq");
    r.nKvHeads = c.at("Hk");
    r.nTokens = c.at("Tq");
    r.context = c.at("Tk");
    r.headDim = c.at("D");
    r.window = c.at("window").is_null() ? 0 : c.at("window").get<std::int64_t>();
    r.scale = c.at("scale");
    r.softcap = c.at("softcap").is_null() ? 0.0F : c.at("softcap").get<float>();
    const GoldenFile f(goldenDir() / "attention" / (r.name + ".safetensors"));
    r.q = tokenMajor(f.values<float>("q"), r.nHeads, r.nTokens, r.headDim);
    r.k = tokenMajor(f.values<float>("k"), r.nKvHeads, r.context, r.headDim);
    r.v = tokenMajor(f.values<float>("v"), r.nKvHeads, r.context, r.headDim);
    r.mask = f.values<std::uint8_t>("mask");
    r.expected = f.values<double>("out_f64");
    for (std::int64_t t = 0; t < r.nTokens; ++t) {
        const auto* seen = r.mask.data() + t * r.context;
        const bool any = std::any_of(seen, seen + r.context, [](auto m) { return m != 0; });
        r.positions.push_back(any ? static_cast<std::int32_t>(r.context - r.nTokens + t) : -1);
    }
    if (c.at("block").is_null()) return r;
    r.block = c.at("block");
    r.words = (r.context / r.block + 64) / 64;
    r.bits.resize(static_cast<std::size_t>(r.nTokens * r.words));
    for (std::int64_t t = 0; t < r.nTokens; ++t)
        for (std::int64_t p = 0; p < r.context; ++p)
            if (r.mask[static_cast<std::size_t>(t * r.context + p)] != 0)
                r.bits[static_cast<std::size_t>(t * r.words + p / r.block / 64)] |=
                    std::uint64_t{1} << (p / r.block % 64);
    return r;
}

/// Whether some row's two best scores lie closer than float32 can tell (see the golden README).
bool ambiguous(const Case& c, std::int64_t t, std::int64_t head) {
    std::vector<double> scores;
    const float* q = c.q.data() + (t * c.nHeads + head) * c.headDim;
    for (std::int64_t p = 0; p < c.context; ++p) {
        if (c.mask[static_cast<std::size_t>(t * c.context + p)] == 0) continue;
        const float* k = c.k.data() + (p * c.nKvHeads + head / (c.nHeads / c.nKvHeads)) * c.headDim;
        double s = 0;
        for (std::int64_t i = 0; i < c.headDim; ++i) s += static_cast<double>(q[i]) * k[i];
        scores.push_back(s * c.scale);
    }
    std::sort(scores.rbegin(), scores.rend());
    return scores.size() > 1 && scores[0] > 1e3 && scores[0] - scores[1] < 0.05;
}

void compare(const Case& c, const std::vector<float>& actual, double tolerance,
             const std::string& what) {
    double worst = 0;
    for (std::int64_t t = 0; t < c.nTokens; ++t) {
        for (std::int64_t h = 0; h < c.nHeads; ++h) {
            if (c.name != "large_offset" && ambiguous(c, t, h)) continue;
            for (std::int64_t i = 0; i < c.headDim; ++i) {
                const double expected =
                    c.expected[static_cast<std::size_t>((h * c.nTokens + t) * c.headDim + i)];
                const double got =
                    actual[static_cast<std::size_t>((t * c.nHeads + h) * c.headDim + i)];
                ASSERT_TRUE(std::isfinite(got)) << c.name << " token " << t << " head " << h;
                worst = std::max(worst, std::fabs(got - expected));
            }
        }
    }
    EXPECT_LE(worst, tolerance) << c.name << ", " << what;
}

TEST_P(AttentionGolden, AgreesWithFloat64OnEveryCase) {
    int tested = 0;
    for (const auto& entry : readJson(goldenDir() / "attention" / "index.json")) {
        if (!inContract(entry)) continue;
        if (!std::filesystem::exists(goldenDir() / "attention" /
                                     (entry.at("name").get<std::string>() + ".safetensors")))
            continue;  // the tree keeps a selection of the full set
        const Case c = loadCase(entry);
        for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash}) {
            for (const KvFormat format : {KvFormat::F32, KvFormat::F16, KvFormat::BF16}) {
                // Rounded keys move huge scores by more than the softmax can bear.
                if (format != KvFormat::F32 && entry.at("max_abs_score").get<double>() > 100)
                    continue;
                Paged paged(format, c.nKvHeads, c.headDim, c.context, 16);
                paged.write(reference(), c.k, c.v, 0, c.context);
                std::vector<float> out(c.expected.size(), 1e30F);
                AttentionArgs args;
                args.kind = kind;
                args.q = c.q.data();
                args.qStride = c.nHeads * c.headDim;
                args.out = out.data();
                args.positions = c.positions.data();
                args.nTokens = c.nTokens;
                args.nHeads = c.nHeads;
                args.scale = c.scale;
                args.window = c.window;
                args.softcap = c.softcap;
                args.kv = paged.view();
                if (c.block > 0) args.mask = {c.bits.data(), c.block, c.words, 0};
                attend(ops(), args, c.context);
                // Rounding a key or a score moves the score in proportion.
                const double growth = std::max(1.0, entry.at("max_abs_score").get<double>() / 5);
                const double tolerance =
                    c.name == "large_offset"  ? 5e-3
                    : format == KvFormat::F32 ? kAttentionF32.absolute * std::min(growth, 10.0)
                    : format == KvFormat::F16 ? kAttentionF16.absolute * growth
                                              : kAttentionBf16.absolute * growth;
                compare(c, out, tolerance,
                        std::string(kvFormatName(format)) +
                            (kind == AttentionKind::Flash ? " flash" : " naive"));
            }
        }
        ++tested;
    }
    EXPECT_GE(tested, 12) << "too few cases under " << goldenDir();
}

}  // namespace
}  // namespace lanescope::kernels::test
