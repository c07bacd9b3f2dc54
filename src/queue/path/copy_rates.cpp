#include "queue/path/copy_rates.h"

#include <algorithm>
#include <iterator>

namespace xsched::queue {
namespace {

constexpr uint64_t kRounding = uint64_t{64} << 10;

struct Size {
    XqCopyKind kind;
    int64_t ns;
    uint64_t first, least, most;
};
constexpr Size kSizes[] = {
#define XSCHED_COPY_KIND(kind, ns, evidence, first, least, most) \
    {kind, ns, uint64_t{first} << 20, uint64_t{least} << 20, uint64_t{most} << 20},
#include "queue/path/copy_kinds.def"
#undef XSCHED_COPY_KIND
};

constexpr bool in_order() {
    for (unsigned i = 0; i < std::size(kSizes); ++i)
        if (kSizes[i].kind != static_cast<XqCopyKind>(i)) return false;
    return std::size(kSizes) == kXqCopyKinds;
}
static_assert(in_order());

}  // namespace

void CopyRates::begin(int64_t piece_bytes) {
    *this = CopyRates{};
    wanted_ = piece_bytes;
    for (unsigned kind = 0; kind < kXqCopyKinds; ++kind) bytes_[kind] = kSizes[kind].first;
}

uint64_t CopyRates::piece(XqCopyKind kind, uint64_t bytes) const {
    if (wanted_ == kWhole || kind >= kXqCopyKinds) return 0;
    if (wanted_ > 0) return bytes > static_cast<uint64_t>(wanted_) ? static_cast<uint64_t>(wanted_) : 0;
    const uint64_t usual = std::max(bytes_[kind], bytes / most_pieces());
    if (bytes <= usual + usual / 2) return 0;
    const uint64_t pieces = (bytes + usual - 1) / usual;  // of one size
    return (bytes / pieces + kRounding) / kRounding * kRounding;
}

void CopyRates::launched(uint64_t number, const XqPiece& piece) {
    Run& last = runs_[last_];
    if (last.count != 0 && last.first + last.count == number && last.each.kind == piece.kind &&
        last.each.bytes == piece.bytes) {
        ++last.count;
        return;
    }
    last_ = (last_ + 1) % kRuns;
    runs_[last_] = {number, 1, piece};
}

void CopyRates::completed(uint64_t from, uint64_t to, int64_t ns) {
    if (ns <= 0) return;
    uint64_t pieces = 0;
    uint64_t bytes = 0;
    XqCopyKind kind = kXqCopyKinds;
    for (const Run& run : runs_) {
        const uint64_t first = std::max(run.first, from + 1);
        const uint64_t end = std::min(run.first + run.count, to + 1);
        if (run.count == 0 || first >= end) continue;
        if (kind != kXqCopyKinds && kind != run.each.kind) return;
        kind = run.each.kind;
        pieces += end - first;
        bytes += (end - first) * run.each.bytes;
    }
    if (pieces != to - from) return;  // other work ran between the pieces
    sample_bytes_[kind] += bytes;
    sample_ns_[kind] += ns;
    if (sample_ns_[kind] < kReportEveryNs) return;  // completions are seen with varying delay
    const auto measured =
        static_cast<uint64_t>(static_cast<double>(sample_bytes_[kind]) * static_cast<double>(kSizes[kind].ns) /
                              static_cast<double>(sample_ns_[kind]));
    const uint64_t next = (3 * bytes_[kind] + measured) / 4;
    bytes_[kind] = std::clamp(next, kSizes[kind].least, kSizes[kind].most);
    sample_bytes_[kind] = 0;
    sample_ns_[kind] = 0;
}

}  // namespace xsched::queue
