// The last accesses of a buffer and how each was tied to the one before, kept to explain wrong content. Any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/no_copies.h"
#include "order/cuda/driver.h"

namespace order::cuda {

inline constexpr size_t kWords = 32;
inline constexpr size_t kBytes = kWords * sizeof(uint32_t);
using Words = std::array<uint32_t, kWords>;

class History;

// One change of a buffer's content.
struct Step {
    enum class Kind : uint8_t { kAppend, kFill, kFirst, kReplace, kMix, kTwoDimensional };
    Kind kind = Kind::kAppend;
    uint32_t value = 0;
    Words words{};  // kReplace and kMix: what comes from elsewhere

    void apply(Words& content) const;
    // Returns whether the access replaces all of the buffer's earlier content.
    bool overwrites() const { return kind == Kind::kFill || kind == Kind::kReplace; }
};
Step append_step(uint32_t value);
Step fill_step(uint32_t word);
Step first_step(uint32_t word);  // the first word alone
Step words_step(const Words& words);
Step mix_step(const Words& from, uint32_t value);
Step two_dimensional_step();  // the middle of the buffer, from one place of it to another

// How an access was submitted.
struct Submission {
    const char* what = "";        // literals
    const char* sort = "no";      // of the stream
    CUstream stream = nullptr;    // of streams that the program created
    int priority = 0;             // so far as it is known
    bool second_context = false;  // the stream's
    int64_t stream_created = 0;   // after so many operations
    int worker = -1;
    bool synchronous = false;
    const char* memory = nullptr;  // the host's: pinned or pageable
    bool capturing = false;        // this thread
    bool others_capture = false;
    uint64_t number = 0;      // of all submissions
    int64_t operation = 0;    // after so many operations
    CUdeviceptr address = 0;  // the buffer's
    std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};
uint64_t next_submission();

// The means by which an access was ordered behind the one before it (an event or a stream, say).
struct Tie {
    const char* how = "nothing";
    int64_t recorded = -1;  // after so many operations; by an event
};

struct Access {
    static constexpr size_t kMostSteps = 3;
    Submission it;
    Tie tie;
    const History* source = nullptr;  // whose content came in
    std::array<Step, kMostSteps> steps;
    size_t step_count = 0;
    Words after{};

    void apply(Words& content) const;
};
using Accesses = std::vector<Access>;  // oldest first; the first one only says what was there

class History : xsched::base::NoCopies {
public:
    History();
    ~History();

    void set_name(std::string name) { name_ = std::move(name); }
    const std::string& name() const { return name_; }

    // Notes an access to the buffer, with the buffer's mutex held: tie() and step() describe it, then add() stores
    // it.
    void tie(const char* how, int64_t recorded = -1) { next_.tie = {how, recorded}; }
    void step(const Step& step, const History* source);
    void add(const Submission& submission, const Words& after);
    uint64_t last() const { return next_.it.number; }  // submission

    Accesses all() const;
    // Prints `accesses`, and which fault would have left `found`, to standard error: only for the first few wrong
    // contents of a run, and once for each.
    void explain(const Accesses& accesses, const Words& found, const Words& expected, size_t words = kWords);
    static void set_most_explained(int most);

private:
    static constexpr size_t kMost = 24;
    std::string name_ = "a buffer";
    Access next_;
    mutable std::mutex mutex_;
    std::array<Access, kMost> ring_;  // under mutex_
    uint64_t count_ = 0;              // under mutex_
    uint64_t explained_ = 0;          // under mutex_: up to this submission
};

}  // namespace order::cuda
