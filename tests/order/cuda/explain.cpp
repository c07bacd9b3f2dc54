#include "order/cuda/explain.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <functional>

#include "order/core/report.h"

namespace order::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostFaults = 5;

struct Registry {
    std::mutex mutex;
    std::vector<const History*> all;
};
Registry& registry() {
    static Registry& it = *new Registry;
    return it;
}

[[gnu::format(printf, 2, 3)]] void line(std::string& text, const char* format, ...) {
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    text += buffer;
}

// A hypothesis about a wrong result: one thing that the driver may have done wrong. The indices count the accesses to
// the buffer.
struct Fault {
    enum class Kind { kLost, kLostStep, kMoved, kConstant, kOtherGraph, kOtherBuffer, kSource, kSourceFault };
    Kind kind = Kind::kLost;
    size_t first = 0, last = 0;  // kLost: these; kMoved: from and to; else `first` is the access
    uint32_t word = 0;
    const History* other = nullptr;
    Access other_access{};
};
// Gets the content that a fault would leave. Returns false if enough faults were found.
using Visit = std::function<bool(const Words&, const Fault&)>;

void apply_from(const Accesses& accesses, size_t begin, Words& content) {
    for (size_t i = begin; i < accesses.size(); ++i) accesses[i].apply(content);
}

// Accesses that did not happen, at all or not before the content was read.
bool lost(const Accesses& accesses, const Visit& visit) {
    for (size_t length = 1; length < accesses.size(); ++length)
        for (size_t first = accesses.size() - length; first >= 1; --first) {
            if (accesses[first].step_count == 0 || accesses[first + length - 1].step_count == 0) continue;
            Words content = accesses[first - 1].after;
            apply_from(accesses, first + length, content);
            if (!visit(content, {Fault::Kind::kLost, first, first + length - 1})) return false;
        }
    return true;
}

bool overwrites(const Access& it) { return it.step_count > 0 && it.steps[0].overwrites(); }

// Tries accesses that ran earlier or later than they should. An access that ran before an access which overwrites
// everything counts as lost instead.
bool moved(const Accesses& accesses, const Visit& visit) {
    for (size_t distance = 1; distance + 1 < accesses.size(); ++distance)
        for (size_t first = accesses.size() - 1 - distance; first >= 1; --first) {
            const size_t last = first + distance;
            for (const bool early : {true, false}) {
                if (accesses[early ? last : first].step_count == 0 || (distance == 1 && !early)) continue;
                const auto begin = accesses.begin() + static_cast<std::ptrdiff_t>(first);
                if (early && std::any_of(begin, begin + static_cast<std::ptrdiff_t>(distance), overwrites)) continue;
                Words content = accesses[first - 1].after;
                if (early) accesses[last].apply(content);
                for (size_t i = first + (early ? 0 : 1); i < last + (early ? 0 : 1); ++i) accesses[i].apply(content);
                if (!early) accesses[first].apply(content);
                apply_from(accesses, last + 1, content);
                if (!visit(content, {Fault::Kind::kMoved, early ? last : first, early ? first : last})) return false;
            }
        }
    return true;
}

bool lost_steps(const Accesses& accesses, const Visit& visit) {
    for (size_t at = accesses.size() - 1; at >= 1; --at)
        for (size_t left_out = 0; accesses[at].step_count > 1 && left_out < accesses[at].step_count; ++left_out) {
            Words content = accesses[at - 1].after;
            for (size_t i = 0; i < accesses[at].step_count; ++i)
                if (i != left_out) accesses[at].steps[i].apply(content);
            apply_from(accesses, at + 1, content);
            if (!visit(content, {Fault::Kind::kLostStep, at, left_out})) return false;
        }
    return true;
}

bool single_faults(const Accesses& accesses, const Visit& visit) {
    return lost(accesses, visit) && moved(accesses, visit) && lost_steps(accesses, visit);
}

// Tries contents that no access has written: host memory before or after its use, and device memory that was never
// written.
bool constants(const Accesses& accesses, const Visit& visit) {
    for (size_t begin = accesses.size(); begin >= 1; --begin)
        for (const uint32_t word : {0xABABABABU, 0xDEADBEEFU, 0U}) {
            const bool from_host = begin == accesses.size() || accesses[begin - 1].it.memory != nullptr;
            if (word != 0 && !from_host) continue;
            Words content;
            content.fill(word);
            apply_from(accesses, begin, content);
            if (!visit(content, {Fault::Kind::kConstant, begin - 1, 0, word})) return false;
        }
    return true;
}

bool other_buffers(const History& own, const Accesses& accesses, const Visit& visit) {
    for (const History* other : Histories::all()) {
        if (other == &own) continue;
        for (const Access& its : other->all())
            for (size_t begin = accesses.size(); begin >= 1; --begin) {
                Words content = its.after;
                apply_from(accesses, begin, content);
                if (!visit(content, {Fault::Kind::kOtherBuffer, begin - 1, 0, 0, other, its})) return false;
            }
    }
    return true;
}

// Undoes an append, x * 31 + value, in all words.
void take_back(Words& content, uint32_t value) {
    constexpr uint32_t kInverse = 0xBDEF7BDF;
    static_assert(31 * kInverse == 1);
    for (uint32_t& it : content) it = (it - value) * kInverse;
}

bool is_graph_of_first(const Access& it) { return it.step_count == 3 && it.steps[2].kind == Step::Kind::kMix; }
bool is_graph_of_second(const Access& it) { return it.step_count == 2; }

// Tries other values for the launch of a graph: those from before or after an update of the graph.
bool other_graphs(const Accesses& accesses, const Visit& visit) {
    for (size_t at = accesses.size() - 1; at >= 1; --at)
        for (const Access& other : accesses) {
            const Access& own = accesses[at];
            Access changed = own;
            if (is_graph_of_first(own) && is_graph_of_first(other)) {
                const uint32_t before = own.steps[0].value, after = other.steps[0].value;
                changed.steps = {append_step(after), first_step(after), own.steps[2]};
                Step& mix = changed.steps[2];
                mix.value = after + 3;
                take_back(mix.words, before + 2);
                take_back(mix.words, before + 1);
                append_step(after + 1).apply(mix.words);
                append_step(after + 2).apply(mix.words);
            } else if (is_graph_of_second(own) && is_graph_of_second(other)) {
                changed.steps = other.steps;
            } else {
                continue;
            }
            Words content = accesses[at - 1].after;
            changed.apply(content);
            apply_from(accesses, at + 1, content);
            if (!visit(content, {Fault::Kind::kOtherGraph, at, 0, 0, nullptr, other})) return false;
        }
    return true;
}

// Tries faults of copies: a copy read its source too early or too late, or read what another fault had left there.
bool sources(const Accesses& accesses, const Visit& visit) {
    for (size_t at = accesses.size() - 1; at >= 1; --at) {
        const Access& own = accesses[at];
        if (own.source == nullptr || own.step_count == 0) continue;
        const auto attempt = [&](const Words& taken, Fault::Kind kind, const Access& its) {
            Access changed = own;
            changed.steps[own.step_count - 1].words = taken;
            Words content = accesses[at - 1].after;
            changed.apply(content);
            apply_from(accesses, at + 1, content);
            return visit(content, {kind, at, 0, 0, own.source, its});
        };
        Accesses its = own.source->all();
        for (const Access& it : its)
            if (!attempt(it.after, Fault::Kind::kSource, it)) return false;
        its.erase(
            std::remove_if(its.begin(), its.end(), [&](const Access& it) { return it.it.number > own.it.number; }),
            its.end());
        if (its.empty()) continue;
        const Visit through = [&](const Words& taken, const Fault& fault) {
            return attempt(taken, Fault::Kind::kSourceFault, its[fault.first]);
        };
        if (!single_faults(its, through)) return false;
    }
    return true;
}

// "access -3": the last one has 0.
int place(const Accesses& accesses, size_t at) { return static_cast<int>(at) - static_cast<int>(accesses.size()) + 1; }

std::string access_name(const Accesses& accesses, size_t at) {
    std::string text;
    line(text, "access %d (%s)", place(accesses, at), accesses[at].it.what);
    return text;
}

std::string describe(const Accesses& accesses, const Fault& fault) {
    std::string text;
    const std::string first = access_name(accesses, fault.first);
    const char* other = fault.other != nullptr ? fault.other->name().c_str() : "";
    const auto others_access = static_cast<unsigned long long>(fault.other_access.it.number);
    switch (fault.kind) {
        case Fault::Kind::kLost: {
            size_t last_change = accesses.size() - 1;
            while (last_change > fault.last && accesses[last_change].step_count == 0) --last_change;
            const char* how = last_change == fault.last ? "had not happened yet, or was lost" : "was lost";
            if (fault.first == fault.last)
                line(text, "%s %s", first.c_str(), how);
            else
                line(text, "%s to %s %s, or the next took the content from before them", first.c_str(),
                     access_name(accesses, fault.last).c_str(), how);
            break;
        }
        case Fault::Kind::kLostStep: line(text, "step %zu of %s was lost", fault.last + 1, first.c_str()); break;
        case Fault::Kind::kMoved:
            line(text, "%s ran %s %s", first.c_str(), fault.last < fault.first ? "before" : "after",
                 access_name(accesses, fault.last).c_str());
            break;
        case Fault::Kind::kConstant:
            line(text, "%s left %#x in the place of its content%s", first.c_str(), fault.word,
                 fault.word == 0 ? "" : ", which the host's memory has before a read or after its use");
            break;
        case Fault::Kind::kOtherGraph:
            line(text, "%s had the values of submission %llu", first.c_str(), others_access);
            break;
        case Fault::Kind::kOtherBuffer:
            line(text, "%s left what submission %llu (%s) left in %s", first.c_str(), others_access,
                 fault.other_access.it.what, other);
            break;
        case Fault::Kind::kSource:
            line(text, "%s took what submission %llu (%s) left in %s", first.c_str(), others_access,
                 fault.other_access.it.what, other);
            break;
        case Fault::Kind::kSourceFault:
            line(text, "%s took wrong content from %s, where submission %llu (%s) was lost or out of order",
                 first.c_str(), other, others_access, fault.other_access.it.what);
            break;
    }
    return text;
}

void print_access(std::string& text, const Accesses& accesses, size_t at, int64_t now) {
    const Access& it = accesses[at];
    const Submission& by = it.it;
    const bool only_read = at > 0 && it.step_count == 0 && by.memory == nullptr;
    line(text, "order_check:   %3d: submission %llu, %lld operations and %lld us ago: %s%s%s", place(accesses, at),
         static_cast<unsigned long long>(by.number), static_cast<long long>(now - by.operation),
         static_cast<long long>(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - by.time).count()),
         only_read ? "source of a " : "", by.synchronous ? "synchronous " : "", by.what);
    if (by.memory != nullptr) line(text, " (%s)", by.memory);
    if (it.source != nullptr) line(text, " with %s", it.source->name().c_str());
    line(text, "; worker %d, %s stream", by.worker, by.sort);
    if (by.stream != nullptr)
        line(text, " %p (priority %d, made %lld operations before)", static_cast<void*>(by.stream), by.priority,
             static_cast<long long>(by.operation - by.stream_created));
    line(text, "%s%s%s", by.second_context ? " of the second context" : "", by.capturing ? ", while it captures" : "",
         by.others_capture ? ", while others capture" : "");
    line(text, "; tied by %s", it.tie.how);
    if (it.tie.recorded >= 0)
        line(text, " (recorded %lld operations before)", static_cast<long long>(by.operation - it.tie.recorded));
    line(text, "; leaves %08x %08x\n", it.after[0], it.after[1]);
}

void print_content(std::string& text, const char* what, const Words& words, size_t count) {
    line(text, "order_check:   %s", what);
    for (size_t i = 0; i < std::min<size_t>(count, 4); ++i) line(text, " %08x", words[i]);
    text += "\n";
}

void print_deviation(std::string& text, const Words& found, const Words& expected, const std::vector<size_t>& wrong,
                     size_t words) {
    const auto difference = [&](size_t i) { return found[i] - expected[i]; };
    const bool same =
        std::all_of(wrong.begin(), wrong.end(), [&](size_t i) { return difference(i) == difference(wrong.front()); });
    line(text, "order_check:   %zu of %zu words are wrong, %s:", wrong.size(), words,
         same ? "by the same difference" : "by different ones");
    for (size_t i = 0; i < wrong.size(); ++i) {
        const size_t begin = i;
        while (i + 1 < wrong.size() && wrong[i + 1] == wrong[i] + 1) ++i;
        line(text, " %zu-%zu", wrong[begin], wrong[i]);
    }
    text += "\n";
    if (wrong.size() < words) print_content(text, "the first wrong one's is", {found[wrong.front()]}, 1);
}

}  // namespace

void Histories::add(History& history) {
    const std::lock_guard lock(registry().mutex);
    registry().all.push_back(&history);
}

void Histories::remove(History& history) {
    const std::lock_guard lock(registry().mutex);
    auto& all = registry().all;
    all.erase(std::remove(all.begin(), all.end(), &history), all.end());
}

std::vector<const History*> Histories::all() {
    const std::lock_guard lock(registry().mutex);
    return registry().all;
}

void print_explanation(const History& history, const Accesses& accesses, const Words& found, const Words& expected,
                       size_t words) {
    std::vector<size_t> wrong;
    for (size_t i = 0; i < words; ++i)
        if (found[i] != expected[i]) wrong.push_back(i);
    if (wrong.empty() || accesses.empty()) return;
    std::string text;
    const int64_t now = g_operations.load();
    line(text, "order_check: %s, at %#llx, after submission %llu:\n", history.name().c_str(),
         static_cast<unsigned long long>(accesses.back().it.address),
         static_cast<unsigned long long>(accesses.back().it.number));
    print_content(text, "expected", expected, words);
    print_content(text, "found   ", found, words);
    print_deviation(text, found, expected, wrong, words);
    for (size_t i = 0; i < accesses.size(); ++i) print_access(text, accesses, i, now);
    size_t count = 0;
    const Visit visit = [&](const Words& content, const Fault& fault) {
        if (!std::all_of(wrong.begin(), wrong.end(), [&](size_t i) { return content[i] == found[i]; })) return true;
        line(text, "order_check:   explained: %s\n", describe(accesses, fault).c_str());
        return ++count < kMostFaults;
    };
    (void)(single_faults(accesses, visit) && constants(accesses, visit) && other_graphs(accesses, visit) &&
           sources(accesses, visit) && other_buffers(history, accesses, visit));
    if (count == 0) text += "order_check:   not explained\n";
    std::fputs(text.c_str(), stderr);
}

}  // namespace order::cuda
