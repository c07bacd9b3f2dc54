#include "cli/explain/copying.h"

#include <cstdio>

#include "cli/explain/held_sentence.h"
#include "cli/explain/urgency.h"
#include "cli/installation.h"
#include "cli/size_text.h"

namespace xsched::cli {
namespace {

constexpr double kMostlyPercent = 50;
constexpr double kSomeBytes = 64 * 1024;         // bytes: such a copy takes longer than its launch
constexpr double kLargeBytes = 8 * 1024 * 1024;  // bytes: such a copy keeps an engine for a good part of a millisecond

// A program's recent copies on a device.
struct Copying {
    double percent = 0;  // of its commands
    double each = 0;  // bytes
    double per_s = 0;  // bytes
};
Copying copying(const Json& device) {
    const auto number = [&](const char* key) {
        const auto found = device.find(key);
        return found != device.end() && found->is_number() ? found->get<double>() : 0;
    };
    return {number("copies_percent"), number("copy_bytes"), number("copied_bytes_per_s")};
}

// Returns whether most of the program's commands are copies, and large enough to determine its time.
bool mostly_copies(const Copying& copies) { return copies.percent >= kMostlyPercent && copies.each >= kSomeBytes; }

// Returns another program with copies so large that this program's copies wait noticeably; null: there is none on the
// device.
const Json* large_copies(const std::vector<const Json*>& others, const Json& program, const Json& device,
                         Copying& found) {
    for (const Json* other : others) {
        if (counted_priority(*other) > counted_priority(program)) continue;
        for (const Json& its : (*other)["devices"]) {
            found = copying(its);
            if (its["device"] == device["device"] && found.percent > 0 && found.each >= kLargeBytes) return other;
        }
    }
    return nullptr;
}

std::string bytes_text(double bytes) { return size_text(static_cast<uint64_t>(bytes)); }

std::string percent_text(const Copying& copies) {
    char text[24];
    snprintf(text, sizeof(text), "%.0f percent", copies.percent);
    return text;
}

void say_waits(const Json& answer, const Json& program, const Copying& own, const Json& other, const Copying& its,
               Explained& result) {
    result.finding = WhySlow::kCopies;
    result.not_us = false;
    result.headline = "not held, but its copies (" + percent_text(own) +
                      " of its commands) wait for the copy engine: those of " + whom(other) + " have " +
                      bytes_text(its.each) + " each, and one that runs ends first";
    result.advice =
        "start the other program with XSCHED_COPY_PIECE=0: its copies then go in pieces (" + page("levels.md") + ")";
    if (counted_priority(other) != counted_priority(program)) return;
    if (const std::string urgent = be_more_urgent(answer, program, other); !urgent.empty())
        result.advice += ", and " + urgent;
}

}  // namespace

bool find_copies(const Json& answer, const Json& program, const std::vector<const Json*>& others, Explained& result) {
    for (const Json& device : program["devices"]) {
        const Copying own = copying(device);
        if (own.percent <= 0) continue;
        Copying its;
        const Json* other = large_copies(others, program, device, its);
        if (other != nullptr && own.each < its.each) {
            say_waits(answer, program, own, *other, its, result);
            return true;
        }
        if (!mostly_copies(own)) continue;
        result.finding = WhySlow::kCopies;
        result.headline = not_us(program, "; " + percent_text(own) + " of its commands are copies of " +
                                              bytes_text(own.each) + " each, " + bytes_text(own.per_s) + " a second");
        result.advice = "the copy engine and the bus set this pace: copy less, from pinned memory, or beside kernels";
        return true;
    }
    return false;
}

}  // namespace xsched::cli
