// Asynchronous copies. Poisoned when issued, so that a read before the wait shows; done when waited
// for, so that a write to either side in between shows too.

#include <algorithm>
#include <cstring>

#include "kernels/simt/block.h"

namespace lanescope::kernels::simt {
namespace {

constexpr unsigned char kPoison = 0xFF;

// Loops, not memcpy: ThreadSanitizer would see the call besides laneReads and laneWrites.
void complete(Block& block, const AsyncCopy& copy, const Site& site) {
    bool disturbed = false;
    for (int i = 0; i < copy.sourceBytes; ++i)
        disturbed |= copy.from[i] != copy.seen[static_cast<std::size_t>(i)];
    for (int i = 0; i < copy.bytes; ++i) disturbed |= copy.to[i] != kPoison;
    if (disturbed)
        block.fail(ErrorKind::AsyncDisturbed, site, [&] {
            return "the source or destination of the copy issued at " + toString(copy.site) +
                   " was written while it was in flight (destination: " +
                   block.shared().describe(copy.to) + ')';
        });
    laneReads(copy.from, static_cast<std::size_t>(copy.sourceBytes));
    laneWrites(copy.to, static_cast<std::size_t>(copy.bytes));
    for (int i = 0; i < copy.bytes; ++i)
        copy.to[i] = i < copy.sourceBytes ? copy.seen[static_cast<std::size_t>(i)] : 0;
}

}  // namespace

void asyncCopy(void* shared, const void* global, int bytes, int sourceBytes, const Site& site) {
    Block& block = Block::current();
    checkAligned(shared, static_cast<std::size_t>(bytes), site);
    if (sourceBytes > 0) checkAligned(global, static_cast<std::size_t>(bytes), site);
    if (block.shared().holding(shared, static_cast<std::size_t>(bytes)) == nullptr)
        block.fail(ErrorKind::SharedOutOfBounds, site, [&] {
            return "copyAsync of " + std::to_string(bytes) + " bytes to " +
                   block.shared().describe(shared);
        });
    AsyncCopy copy{static_cast<unsigned char*>(shared),
                   static_cast<const unsigned char*>(global),
                   bytes,
                   sourceBytes,
                   -1,
                   {},
                   site};
    laneReads(copy.from, static_cast<std::size_t>(sourceBytes));
    for (int i = 0; i < sourceBytes; ++i) copy.seen[static_cast<std::size_t>(i)] = copy.from[i];
    laneWrites(shared, static_cast<std::size_t>(bytes));
    for (int i = 0; i < bytes; ++i) copy.to[i] = kPoison;
    ++block.counts().asyncCopies;
    const AsScheduler asScheduler(block.identity());
    Block::lane().copies.push_back(copy);
}

void asyncCommit() {
    Lane& self = Block::lane();
    for (AsyncCopy& copy : self.copies)
        if (copy.group < 0) copy.group = self.groups;
    ++self.groups;
}

void asyncWait(int pending, const Site& site) {
    Block& block = Block::current();
    Lane& self = Block::lane();
    const std::int64_t doneBefore = self.groups - pending;
    const auto done = [&](const AsyncCopy& copy) {
        return copy.group >= 0 && copy.group < doneBefore;
    };
    for (const AsyncCopy& copy : self.copies)
        if (done(copy)) complete(block, copy, site);
    const AsScheduler asScheduler(block.identity());
    std::erase_if(self.copies, done);
}

}  // namespace lanescope::kernels::simt
