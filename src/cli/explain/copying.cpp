#include "cli/explain/copying.h"

#include <cstdio>

#include "cli/explain/held_causes.h"
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
        if (other->value("priority", int64_t{0}) > program.value("priority", int64_t{0})) continue;
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

void say_waits(const Json& program, const Copying& own, const Json& other, const Copying& its,
               const std::string& policy, Explained& result) {
    result.finding = WhySlow::kCopies;
    result.not_us = false;
    result.headline = "not held, but its copies (" + percent_text(own) +
                      " of its commands) wait for the copy engine: those of " + whom(other) + " have " +
                      bytes_text(its.each) + " each, and one that runs ends first";
    result.advice = "start the other program with XSCHED_COPY_PIECE=0: its copies then go in pieces (docs/levels.md)";
    const int64_t its_priority = other.value("priority", int64_t{0});
    if (its_priority != program.value("priority", int64_t{0})) return;
    const std::string remedy = remedy_by_policy(policy, program);
    const std::string urgent = "be more urgent than it: xcli hint " + std::to_string(program.value("pid", int64_t{0})) +
                               " -p " + std::to_string(its_priority + 1);
    result.advice += ", and " + (remedy.empty() ? urgent : remedy);
}

}  // namespace

bool find_copies(const Json& program, const std::vector<const Json*>& others, const std::string& policy,
                 Explained& result) {
    for (const Json& device : program["devices"]) {
        const Copying own = copying(device);
        if (own.percent <= 0) continue;
        Copying its;
        const Json* other = large_copies(others, program, device, its);
        if (other != nullptr && own.each < its.each) {
            say_waits(program, own, *other, its, policy, result);
            return true;
        }
        if (!mostly_copies(own)) continue;
        result.finding = WhySlow::kCopies;
        result.headline = "not us: XSched did not hold it in the last 60 s; " + percent_text(own) +
                          " of its commands are copies of " + bytes_text(own.each) + " each, " + bytes_text(own.per_s) +
                          " a second";
        result.advice = "the copy engine and the bus set this pace: copy less, from pinned memory, or beside kernels";
        return true;
    }
    return false;
}

}  // namespace xsched::cli
