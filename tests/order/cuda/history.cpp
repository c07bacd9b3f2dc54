#include "order/cuda/history.h"

#include <algorithm>
#include <atomic>

#include "order/core/report.h"
#include "order/cuda/explain.h"

namespace order::cuda {
namespace {

std::atomic<uint64_t> g_submissions{0};
std::atomic<int> g_explained{0};
int g_most_explained = 3;

}  // namespace

void Step::apply(Words& content) const {
    switch (kind) {
        case Kind::kAppend:
            for (uint32_t& it : content) it = it * 31 + value;
            break;
        case Kind::kFill: content.fill(value); break;
        case Kind::kFirst: content[0] = value; break;
        case Kind::kReplace: content = words; break;
        case Kind::kMix:
            for (size_t i = 0; i < kWords; ++i) content[i] = content[i] * 31 + words[i] + value;
            break;
        case Kind::kTwoDimensional: {
            constexpr size_t kRow = kWords / 4, kHalf = kRow / 2;
            for (size_t row = 0; row < 2; ++row)
                for (size_t i = 0; i < kHalf; ++i) content[(row + 2) * kRow + kHalf + i] = content[row * kRow + i];
            break;
        }
    }
}

Step append_step(uint32_t value) { return {Step::Kind::kAppend, value, {}}; }
Step fill_step(uint32_t word) { return {Step::Kind::kFill, word, {}}; }
Step first_step(uint32_t word) { return {Step::Kind::kFirst, word, {}}; }
Step words_step(const Words& words) { return {Step::Kind::kReplace, 0, words}; }
Step mix_step(const Words& from, uint32_t value) { return {Step::Kind::kMix, value, from}; }
Step two_dimensional_step() { return {Step::Kind::kTwoDimensional, 0, {}}; }

uint64_t next_submission() { return g_submissions.fetch_add(1, std::memory_order_relaxed) + 1; }

void Access::apply(Words& content) const {
    for (size_t i = 0; i < step_count; ++i) steps[i].apply(content);
}

History::History() {
    ring_[0].it.what = "new";
    count_ = 1;
    Histories::add(*this);
}
History::~History() { Histories::remove(*this); }

void History::step(const Step& step, const History* source) {
    if (next_.step_count < Access::kMostSteps) next_.steps[next_.step_count++] = step;
    if (source != nullptr) next_.source = source;
}

void History::add(const Submission& submission, const Words& after) {
    next_.it = submission;
    next_.after = after;
    {
        const std::lock_guard lock(mutex_);
        ring_[count_++ % kMost] = next_;
    }
    next_.tie = {};
    next_.source = nullptr;
    next_.step_count = 0;
}

Accesses History::all() const {
    Accesses accesses;
    accesses.reserve(kMost);
    const std::lock_guard lock(mutex_);
    for (uint64_t i = count_ > kMost ? count_ - kMost : 0; i < count_; ++i) accesses.push_back(ring_[i % kMost]);
    return accesses;
}

void History::set_most_explained(int most) { g_most_explained = most; }

void History::explain(const Accesses& accesses, const Words& found, const Words& expected, size_t words) {
    {
        const std::lock_guard lock(mutex_);
        const auto overwritten = [](const Access& it) { return it.step_count > 0 && it.steps[0].overwrites(); };
        const bool known = explained_ != 0 && std::none_of(accesses.begin(), accesses.end(), [&](const Access& it) {
                               return it.it.number > explained_ && overwritten(it);
                           });
        if (known) return;
        explained_ = accesses.back().it.number;
    }
    if (g_explained.fetch_add(1) < g_most_explained) print_explanation(*this, accesses, found, expected, words);
}

}  // namespace order::cuda
