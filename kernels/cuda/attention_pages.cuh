#pragma once
// How a tile of keys or values comes into shared memory. Rows of the type that is computed in are
// copied by cp.async while the block computes. Others are converted on their way: threads read
// words of codes, 8 columns each, and store numbers, which the block's own work does not hide (the
// multiprocessor's other blocks have to) but which reads a half or a quarter of the bytes; kept in
// codes in shared memory, they would cost a second barrier a tile and the room of both forms.

#include "kernels/cuda/attention_tile.cuh"

namespace lanescope::kernels::cuda {

/// Starts the copies of keys or values [base, base + kKeys) of a KV head, as they are stored, into
/// rows of kStride bytes. What is not there, and rows' ends up to kRowBytes, becomes zero.
/// Threads that follow each other take 16 bytes each that follow each other; rowBytes is a multiple
/// of 16.
template <int kKeys, int kRowBytes, int kStride>
SIMT_DEVICE void copyPages(const PagedAttentionArgs& args, const AttentionWork& w,
                           const void* storage, int base, int rowBytes, void* shared) {
    constexpr int kBytes = 16;
    constexpr int kPerRow = kRowBytes / kBytes;
    const auto blockTokens = static_cast<int>(args.kv.blockTokens);
    const auto* from = static_cast<const unsigned char*>(storage);
    auto* to = static_cast<unsigned char*>(shared);
#pragma unroll 2  // more would cost registers
    for (int i = threadX(); i < kKeys * kPerRow; i += kAttentionThreads) {
        const int key = i / kPerRow;
        const int at = i % kPerRow * kBytes;
        const int position = base + key;
        const bool there = isThere(w, position) && at < rowBytes;
        std::int64_t source = 0;
        if (there) {
            const std::int64_t page = w.pages[position / blockTokens];
            source = ((page * args.kv.nKvHeads + w.kvHead) * blockTokens + position % blockTokens) *
                         rowBytes +
                     at;
        }
        copyAsync<kBytes>(to + key * kStride + at, from + source, there ? kBytes : 0);
    }
    commitAsync();
}

SIMT_DEVICE void putEight(float* at, const float (&x)[8]) {
    store(at, Float4{x[0], x[1], x[2], x[3]});
    store(at + 4, Float4{x[4], x[5], x[6], x[7]});
}
template <class T>
SIMT_DEVICE void putEight(T* at, const float (&x)[8]) {
    store(at, Uint4{packPair<T>(x[0], x[1]), packPair<T>(x[2], x[3]), packPair<T>(x[4], x[5]),
                    packPair<T>(x[6], x[7])});
}

/// The same for rows of any format, as T: no copy is in flight afterwards. kStride: elements.
template <class T, int kKeys, int kDim, int kStride>
SIMT_DEVICE void convertPages(const PagedAttentionArgs& args, const AttentionWork& w, KvPart part,
                              const KvSlice& layout, int base, T* shared) {
    constexpr int kPerRow = kDim / 8;
    const PagedKv& kv = args.kv;
    const auto blockTokens = static_cast<int>(kv.blockTokens);
    const bool keys = part == KvPart::Keys;
#pragma unroll 1  // all formats are in it
    for (int i = threadX(); i < kKeys * kPerRow; i += kAttentionThreads) {
        const int key = i / kPerRow;
        const int column = i % kPerRow * 8;
        const int position = base + key;
        float x[8] = {};
        if (isThere(w, position) && column < kv.headDim) {
            const int slot = position % blockTokens;
            const bool asTheyAre = keys && position >= w.tailBegin;
            const unsigned char* slice =
                asTheyAre ? w.tail
                          : sliceAt(kv, part, layout, w.pages[position / blockTokens], w.kvHead);
            loadEight(asTheyAre ? KvFormat::F16
                      : keys    ? kv.kFormat
                                : kv.vFormat,
                      part, asTheyAre ? tailSlice(kv) : layout, slice, slot, column, x);
        }
        putEight(shared + key * kStride + column, x);
    }
}

/// A tile of keys or values on its way: there after waitAsync<0>() and a barrier.
template <class T, int kKeys, int kDim, int kStride>
SIMT_DEVICE void fetchPages(const PagedAttentionArgs& args, const KvSlices& layout,
                            const AttentionWork& w, KvPart part, int base, T* shared) {
    const bool keys = part == KvPart::Keys;
    if (keys ? layout.copiesKeys : layout.copiesValues)
        copyPages<kKeys, kDim* static_cast<int>(sizeof(T)), kStride* static_cast<int>(sizeof(T))>(
            args, w, keys ? args.kv.k : args.kv.v, base,
            static_cast<int>(args.kv.headDim * static_cast<int>(sizeof(T))), shared);
    else
        convertPages<T, kKeys, kDim, kStride>(args, w, part, keys ? layout.keys : layout.values,
                                              base, shared);
}

}  // namespace lanescope::kernels::cuda
