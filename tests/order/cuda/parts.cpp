#include "order/cuda/parts.h"

#include <cstdio>
#include <sstream>

namespace order::cuda {
namespace {

constexpr const char* kNames[] = {
    "append",   "mix",          "set",    "copy",        "peer",     "write",       "read",    "2d",
    "host",     "signal",       "pool",   "poll",        "elapsed",  "synchronize", "streams", "memory",
    "capture",  "graphs",       "update", "synchronous", "pinned",   "pageable",    "legacy",  "per-thread",
    "blocking", "non-blocking", "own",    "second",      "implicit", "young",       "values",  "host-waits"};
static_assert(sizeof kNames / sizeof kNames[0] == static_cast<size_t>(Part::kEnd));

uint64_t g_without = 0;
uint64_t g_favoured = 0;

uint64_t bit(Part part) { return uint64_t{1} << static_cast<unsigned>(part); }

bool parse(const std::string& list, uint64_t& parts) {
    std::istringstream names(list);
    for (std::string name; std::getline(names, name, ',');) {
        size_t at = 0;
        while (at < static_cast<size_t>(Part::kEnd) && name != kNames[at]) ++at;
        if (at < static_cast<size_t>(Part::kEnd)) {
            parts |= uint64_t{1} << at;
            continue;
        }
        std::fprintf(stderr, "order_check: there is no '%s' to leave out or favour; there are:", name.c_str());
        for (const char* it : kNames) std::fprintf(stderr, " %s", it);
        std::fprintf(stderr, "\n");
        return false;
    }
    return true;
}

}  // namespace

bool choose_parts(const std::string& without, const std::string& favour) {
    if (!parse(without, g_without) || !parse(favour, g_favoured)) return false;
    const auto all_out = [](uint64_t parts) { return (g_without & parts) == parts; };
    if (!all_out(bit(Part::kPinned) | bit(Part::kPageable)) &&
        !all_out(bit(Part::kLegacy) | bit(Part::kPerThread) | bit(Part::kBlocking) | bit(Part::kNonBlocking)))
        return true;
    std::fprintf(stderr, "order_check: --without leaves no memory of the host, or no stream\n");
    return false;
}

bool left_out(Part part) { return (g_without & bit(part)) != 0; }
bool favoured(Part part) { return (g_favoured & bit(part)) != 0; }

}  // namespace order::cuda
