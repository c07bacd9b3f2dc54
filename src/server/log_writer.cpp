#include "server/log_writer.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/clock.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/thread.h"

namespace xsched::server {
namespace {

constexpr uint32_t kMostLines = 512;  // lines in the ring; a power of two
constexpr size_t kLineBytes = 1024;   // of base/log
constexpr int64_t kEndPatienceNs = 200 * base::kMillisecond;

// An entry of a bounded ring with many writers and one reader. `turn` says who may use it: the writer of line n needs
// turn == n, otherwise the line is lost, and leaves n + 1. The reader needs n + 1 and leaves n + kMostLines.
struct Line {
    std::atomic<uint32_t> turn;
    uint32_t bytes;
    char text[kLineBytes];
};

Line g_lines[kMostLines];
std::atomic<uint32_t> g_next{0};
std::atomic<uint32_t> g_lost{0};
base::FutexWord g_written{0};  // number of lines that are complete
std::atomic<uint32_t> g_read{0};
std::atomic<uint32_t> g_reader_asleep{0};
base::Thread g_thread;

void put_line(const char* text, size_t bytes) {
    uint32_t number = g_next.load(std::memory_order_relaxed);
    for (;;) {
        Line& line = g_lines[number % kMostLines];
        const auto ahead = static_cast<int32_t>(line.turn.load(std::memory_order_acquire) - number);
        if (ahead < 0) {
            g_lost.fetch_add(1);
            return;
        }
        if (ahead > 0) {
            number = g_next.load(std::memory_order_relaxed);
            continue;
        }
        if (!g_next.compare_exchange_weak(number, number + 1)) continue;
        line.bytes = static_cast<uint32_t>(bytes < kLineBytes ? bytes : kLineBytes);
        memcpy(line.text, text, line.bytes);
        line.turn.store(number + 1, std::memory_order_release);
        break;
    }
    g_written.fetch_add(1);
    if (g_reader_asleep.load() != 0) base::futex_wake_all(g_written);
}

void tell_lost() {
    const uint32_t lost = g_lost.exchange(0);
    if (lost == 0) return;
    char text[96];
    const int bytes =
        snprintf(text, sizeof(text), "[WARN] %u log lines are lost: the log was not read fast enough\n", lost);
    if (bytes > 0) base::write_log_line(text, static_cast<size_t>(bytes));
}

// Writes line `number`. Returns false if it is not there yet.
bool write_next(uint32_t number) {
    Line& line = g_lines[number % kMostLines];
    if (line.turn.load(std::memory_order_acquire) != number + 1) return false;
    base::write_log_line(line.text, line.bytes);
    line.turn.store(number + kMostLines, std::memory_order_release);
    g_read.store(number + 1);
    tell_lost();
    return true;
}

void* write_lines(void*) {
    for (uint32_t number = 0;;) {
        const uint32_t written = g_written.load();
        if (write_next(number)) {
            ++number;
            continue;
        }
        g_reader_asleep.store(1);
        base::futex_wait(g_written, written);
        g_reader_asleep.store(0);
    }
    return nullptr;
}

}  // namespace

void begin_log_writer() {
    for (uint32_t i = 0; i < kMostLines; ++i) g_lines[i].turn.store(i);
    if (!g_thread.start("xserver-log", write_lines, nullptr)) return;
    g_thread.detach();
    base::set_log_sink(put_line);
}

void end_log_writer() {
    const int64_t give_up = base::now_ns() + kEndPatienceNs;
    while (g_read.load() != g_next.load() && base::now_ns() < give_up) usleep(1000);
}

}  // namespace xsched::server
