#include "loops.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <deque>
#include <random>

namespace busy {
namespace {

constexpr int kWarmUpBursts = 5;

void sleep_until(int64_t time_ns) {
    const timespec ts{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr) == EINTR) {
    }
}

// Spins for a time, for work of the host: a sleep would last tens of microseconds longer than asked.
void work(double us) {
    const int64_t end = now_ns() + static_cast<int64_t>(us * 1e3);
    while (now_ns() < end) {
    }
}

// Returns the row for a complete kernel: the time at which it was seen complete and, with --stream timed, how long it
// ran on the device.
std::vector<int64_t> row_of(const BusyDevice& device, const Arguments& arguments, BusyDevice::Event event) {
    const int64_t now = now_ns();
    if (arguments.stream == "timed") return {now, device.device_ns(event)};
    return {now};
}

bool input_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) <= 0) return false;
    char byte = 0;
    return read(STDIN_FILENO, &byte, 1) <= 0;
}

}  // namespace

std::vector<int64_t> run_burst(BusyDevice& device, const Arguments& arguments) {
    const int64_t begin = now_ns();
    for (long i = 1; i <= arguments.burst_kernels; ++i) {
        device.enqueue(arguments.steps);
        if (arguments.gap_us > 0) work(arguments.gap_us);
        if (arguments.sync_every > 0 && i % arguments.sync_every == 0) device.finish();
    }
    device.finish();
    return {begin, now_ns() - begin};
}

Rows run_bursts(BusyDevice& device, const Arguments& arguments, const std::function<void()>& ready,
                const std::function<void(int64_t)>& announce) {
    std::mt19937 random(arguments.seed);
    std::uniform_real_distribution<double> pause_ms(arguments.pause_ms,
                                                    std::max(arguments.pause_ms, arguments.pause_max_ms));
    const auto pause = [&](int64_t began_ns) {
        const int64_t begin = arguments.period_ms > 0 ? began_ns + static_cast<int64_t>(arguments.period_ms * 1e6)
                                                      : now_ns() + static_cast<int64_t>(pause_ms(random) * 1e6);
        if (announce) {
            sleep_until(begin - static_cast<int64_t>(arguments.announce_ms * 1e6));
            announce((begin - now_ns()) / 1000);
        }
        sleep_until(begin);
    };
    for (int i = 0; i < kWarmUpBursts; ++i) {
        pause(run_burst(device, arguments).front());
    }
    ready();
    Rows rows;
    const std::function<bool()> in_time = until_end(arguments);
    while ((arguments.bursts == 0 || static_cast<long>(rows.size()) < arguments.bursts) && in_time()) {
        rows.push_back(run_burst(device, arguments));
        pause(rows.back().front());
    }
    return rows;
}

Rows keep_full(BusyDevice& device, const Arguments& arguments, const std::function<bool()>& go_on,
               const std::function<void()>& ready) {
    std::deque<BusyDevice::Event> enqueued;
    Rows rows;
    bool said = false;
    while (go_on()) {
        while (static_cast<long>(enqueued.size()) < arguments.depth) {
            enqueued.emplace_back();
            device.enqueue(arguments.steps, &enqueued.back());
        }
        if (!said) ready();
        said = true;
        device.wait_only(enqueued.front());
        rows.push_back(row_of(device, arguments, enqueued.front()));
        device.recycle(enqueued.front());
        enqueued.pop_front();
    }
    for (BusyDevice::Event event : enqueued) device.wait(event);
    return rows;
}

std::function<bool()> until_end(const Arguments& arguments) {
    const int64_t end = now_ns() + static_cast<int64_t>(arguments.seconds * 1e9);
    return [end, until_eof = arguments.until_eof] { return now_ns() < end && !(until_eof && input_ended()); };
}

void say_ready() {
    printf("ready\n");
    fflush(stdout);
}

void wait_for_turn() {
    say_ready();
    char byte = 0;
    while (byte != '\n' && read(STDIN_FILENO, &byte, 1) == 1) {
    }
}

int report(const char* program, BusyDevice& device, const Arguments& arguments, const Rows& rows) {
    write_rows(arguments.out, rows);
    if (device.state_is_right()) return 0;
    fprintf(stderr, "%s: the device's result is wrong: a kernel was lost, repeated or run out of order\n", program);
    return 1;
}

}  // namespace busy
