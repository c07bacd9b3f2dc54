// The rights that NVIDIA's kernel driver leaves one user's process over another's channels. An ordinary CUDA program
// that makes calls of its own to the kernel driver, one order per line of its input (bench/cuda/foreign_channels.py
// gives them):
//
//   foreign_channels --board FILE [--busy 1] [--seconds S]
//
// It prints its own numbers, then one line of JSON for each order:
//   prove CLIENT SUBDEVICE GROUP CHANNEL   queries that change nothing, 200 times each: status and microseconds
//   switch N CLIENT CHANNEL...             names these in a list of its own control, N times; enables them at once
//   slice CLIENT GROUP US                  sets a group's timeslice, and reads it back
//   slices                                 its own group's, from 0 to the longest that 64 bits hold; then as it was
//   read                                   its own group's
//   borrow PID FILE                        makes later calls on that process's descriptor; borrow 0 0: on its own,
//                                          borrow 0 1: on one that it has just opened
//   clients NUMBER                         whether a client may choose its number, also that one; all are freed at once
//   board                                  kernels completed on the board
//   end                                    whether its results are exact
//
// --busy 1: keeps kernels on the device, whose clock is on the board. It enables again within 10 ms the channels that
// it disables, and again at its end, also at SIGTERM or after S seconds.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "host/rm_api.h"
#include "recorded.h"
#include "victim.h"

namespace {

using namespace foreign;
using namespace xsched::cuda::rm;
using level3::now_ns;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kQuietNs = kMs / 2;  // the kernel's clock comes every few microseconds
constexpr int64_t kStandsWithinNs = 10 * kMs;  // "safety": how long a foreign program may be off
constexpr int64_t kMovesWithinNs = 500 * kMs;
constexpr int kQueries = 200;
constexpr int kDepth = 4;

// NVIDIA's open kernel modules, src/common/sdk/nvidia/inc/ctrl/ctrl0000/ctrl0000client.h
constexpr uint32_t kGetHandleInfo = 0xd02;
struct HandleInfo {
    uint32_t object;
    uint32_t index;  // 2: its class
    uint64_t result;
};

std::string text_of(const Result& answer) {
    char text[96];
    snprintf(text, sizeof text, "{\"errno\": %d, \"status\": \"0x%x\", \"us\": %.1f}", answer.error, answer.status,
             static_cast<double>(answer.ns) / 1e3);
    return text;
}

// Makes the same query many times. Returns as JSON the last answer, whether all answers were equal, and the times.
template <typename Query>
std::string many(Query query) {
    std::vector<int64_t> times;
    Result first, last;
    bool equal = true;
    for (int i = 0; i < kQueries; ++i) {
        last = query();
        if (i == 0) first = last;
        equal = equal && last.error == first.error && last.status == first.status;
        times.push_back(last.ns);
    }
    std::sort(times.begin(), times.end());
    char text[160];
    snprintf(text, sizeof text,
             "{\"errno\": %d, \"status\": \"0x%x\", \"always\": %s, \"p50_us\": %.2f, \"p99_us\": %.2f, \"n\": %d}",
             last.error, last.status, equal ? "true" : "false", static_cast<double>(times[kQueries / 2]) / 1e3,
             static_cast<double>(times[kQueries * 99 / 100]) / 1e3, kQueries);
    return text;
}

// The channels that this process has disabled under another client's number. A handler at the process's end enables
// them again.
NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS g_list{};
volatile sig_atomic_t g_listed = 0;
int g_file = -1;
Recorded g_own;

Result switch_list(bool disable) {
    NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS list = g_list;
    list.bDisable = disable ? 1 : 0;
    return control(g_file, g_own.client, g_own.subdevice, NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS, &list, sizeof list);
}

void put_back() {
    if (g_listed != 0) switch_list(false);
    g_listed = 0;
}

void end_by_signal(int) {
    put_back();
    _exit(4);
}

Result read_slice(uint32_t client, uint32_t group, uint64_t* us) {
    NVA06C_CTRL_TIMESLICE_PARAMS parameters{};
    const Result answer = control(g_file, client, group, NVA06C_CTRL_CMD_GET_TIMESLICE, &parameters, sizeof parameters);
    *us = parameters.timesliceUs;
    return answer;
}

Result set_slice(uint32_t client, uint32_t group, uint64_t us) {
    NVA06C_CTRL_TIMESLICE_PARAMS parameters{us};
    return control(g_file, client, group, NVA06C_CTRL_CMD_SET_TIMESLICE, &parameters, sizeof parameters);
}

std::string prove(std::istream& words) {
    uint32_t client = 0, subdevice = 0, group = 0, channel = 0;
    words >> client >> subdevice >> group >> channel;
    const auto id = [&] {
        NV2080_CTRL_GPU_GET_ID_PARAMS parameters{};
        return control(g_file, client, subdevice, NV2080_CTRL_CMD_GPU_GET_ID, &parameters, sizeof parameters);
    };
    const auto slice = [&] {
        uint64_t us = 0;
        return read_slice(client, group, &us);
    };
    const auto handle = [&] {
        HandleInfo parameters{channel, 2, 0};
        return control(g_file, client, client, kGetHandleInfo, &parameters, sizeof parameters);
    };
    const std::string of_id = many(id), of_slice = many(slice), of_handle = many(handle);
    return "{\"gpu_get_id\": " + of_id + ", \"get_timeslice\": " + of_slice + ", \"get_handle_info\": " + of_handle +
           "}";
}

// Each round: disable, wait until the victim's clock stands, enable, wait until it moves.
std::string switch_foreign(std::istream& words, const level3::Board& board) {
    int rounds = 0;
    uint32_t client = 0, channel = 0;
    words >> rounds >> client;
    g_list = {};
    while (g_list.numChannels < NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES && words >> channel) {
        g_list.hClientList[g_list.numChannels] = client;
        g_list.hChannelList[g_list.numChannels++] = channel;
    }
    std::string text = "{\"channels\": " + std::to_string(g_list.numChannels) + ", \"rounds\": [";
    for (int i = 0; i < rounds; ++i) {
        const bool moved = level3::wait_moving(board, kMovesWithinNs) != 0;
        g_listed = 1;
        const int64_t began = now_ns();
        const Result disabled = switch_list(true);
        const int64_t stood = disabled.good() ? level3::wait_quiet(board, kQuietNs, kStandsWithinNs) : 0;
        Result enabled;
        if (disabled.good()) enabled = switch_list(false);
        g_listed = 0;
        const int64_t off_ns = now_ns() - began;
        const bool goes_on = level3::wait_moving(board, kMovesWithinNs) != 0;
        text += std::string(i != 0 ? ", " : "") + "{\"moved_before\": " + (moved ? "true" : "false") +
                ", \"disable\": " + text_of(disabled) + ", \"stood\": " + (stood != 0 ? "true" : "false") +
                ", \"enable\": " + (disabled.good() ? text_of(enabled) : "null") +
                ", \"off_us\": " + std::to_string(disabled.good() ? off_ns / 1000 : 0) +
                ", \"goes_on\": " + (goes_on ? "true" : "false") + "}";
    }
    return text + "]}";
}

std::string slice(std::istream& words) {
    uint32_t client = 0, group = 0;
    uint64_t us = 0, seen = 0;
    words >> client >> group >> us;
    const Result set = set_slice(client, group, us);
    const Result read = read_slice(client, group, &seen);
    return "{\"set\": " + text_of(set) + ", \"read\": " + text_of(read) + ", \"us\": " + std::to_string(seen) + "}";
}

std::string read_own() {
    uint64_t us = 0;
    const Result read = read_slice(g_own.client, g_own.group, &us);
    return "{\"read\": " + text_of(read) + ", \"us\": " + std::to_string(us) + "}";
}

std::string own_slices() {
    uint64_t before = 0;
    if (!read_slice(g_own.client, g_own.group, &before).good()) return "null";
    std::string text = "{\"drivers_own_us\": " + std::to_string(before) + ", \"set\": {";
    const uint64_t values[] = {0, 1, 2048, 8192, 16384, 1000000, 100000000, 4294967295, 4294967296, UINT64_MAX};
    for (const uint64_t us : values) {
        uint64_t seen = 0;
        const Result set = set_slice(g_own.client, g_own.group, us);
        read_slice(g_own.client, g_own.group, &seen);
        text += std::string(us != values[0] ? ", " : "") + "\"" + std::to_string(us) + "\": {\"set\": " + text_of(set) +
                ", \"read_us\": " + std::to_string(seen) + "}";
    }
    const Result restored = set_slice(g_own.client, g_own.group, before);
    return text + "}, \"restored\": " + text_of(restored) + "}";
}

std::string borrow(std::istream& words) {
    long pid = 0, file = 0;
    words >> pid >> file;
    const auto process = pid != 0 ? static_cast<int>(syscall(SYS_pidfd_open, pid, 0)) : -1;
    int taken = g_own.file;
    if (pid == 0 && file != 0) taken = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
    if (pid != 0) taken = process >= 0 ? static_cast<int>(syscall(SYS_pidfd_getfd, process, file, 0)) : -1;
    if (taken >= 0) g_file = taken;
    if (process >= 0) close(process);
    return std::string("{\"taken\": ") + (taken >= 0 ? "true" : "false") + "}";
}

// The call uses a descriptor of its own, so that it touches no other client.
std::string try_number(int file, uint32_t wanted) {
    uint32_t got = 0;
    const Result made = allocate_client(file, wanted, &got);
    std::string text = "{\"asked\": " + std::to_string(wanted) + ", \"answer\": " + text_of(made) +
                       ", \"got\": " + std::to_string(got);
    if (made.good()) text += ", \"free\": " + text_of(free_client(file, got));
    return text + "}";
}

std::string clients(std::istream& words) {
    uint32_t taken = 0;
    words >> taken;
    const int file = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
    if (file < 0) return "null";
    constexpr uint32_t kAhead = 40;  // of the driver's own counter: free, most likely
    uint32_t first = 0;
    const Result made = allocate_client(file, 0, &first);
    if (made.good()) free_client(file, first);
    std::string text = "{\"in_order\": [" + std::to_string(first);
    for (int i = 0; i < 3 && made.good(); ++i) {
        uint32_t more = 0;
        if (allocate_client(file, 0, &more).good()) free_client(file, more);
        text += ", " + std::to_string(more);
    }
    text += "], \"chosen\": " + try_number(file, first + kAhead);
    text += ", \"chosen_again\": " + try_number(file, first + kAhead);
    text += ", \"of_another_process\": " + try_number(file, taken) + "}";
    close(file);
    return text;
}

// Keeps kernels on the device on a thread of its own.
class Feeder {
public:
    Feeder(level3::Victim& victim, level3::Board& board, bool busy) {
        if (!busy) return;
        thread_ = std::thread([this, &victim, &board] {
            victim.attach_thread();
            const uint32_t rounds = victim.rounds_for(5);
            while (!stop_.load()) {
                for (int i = 0; i < kDepth; ++i) victim.launch(rounds);
                victim.synchronize();
                board.kernels.fetch_add(kDepth);
            }
        });
    }
    ~Feeder() { end(); }
    void end() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

void print_own() {
    printf(
        "{\"pid\": %d, \"uid\": %d, \"file\": %d, \"client\": %u, \"subdevice\": %u, \"group\": %u, "
        "\"client_to_first_channel_us\": %lld, \"channels\": [",
        getpid(), static_cast<int>(getuid()), g_own.file, g_own.client, g_own.subdevice, g_own.group,
        static_cast<long long>((g_own.first_channel_ns - g_own.client_ns) / 1000));
    for (size_t i = 0; i < g_own.channels.size(); ++i) printf("%s%u", i != 0 ? ", " : "", g_own.channels[i]);
    printf("]}\n");
}

std::string obey(const std::string& order, std::istream& words, const level3::Board& board) {
    if (order == "prove") return prove(words);
    if (order == "switch") return switch_foreign(words, board);
    if (order == "slice") return slice(words);
    if (order == "slices") return own_slices();
    if (order == "read") return read_own();
    if (order == "borrow") return borrow(words);
    if (order == "clients") return clients(words);
    if (order == "board") return "{\"kernels\": " + std::to_string(board.kernels.load()) + "}";
    return "null";
}

}  // namespace

int main(int argc, char** argv) {
    std::string path;
    bool busy = false;
    unsigned seconds = 120;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--board") == 0) path = argv[i + 1];
        if (strcmp(argv[i], "--busy") == 0) busy = atoi(argv[i + 1]) != 0;
        if (strcmp(argv[i], "--seconds") == 0) seconds = static_cast<unsigned>(atoi(argv[i + 1]));
    }
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const int number : {SIGTERM, SIGINT, SIGALRM}) signal(number, end_by_signal);
    alarm(seconds);
    level3::Board& board = *level3::open_board(path);
    // A process that keeps no kernels on the device has the clock of its own kernels in another file: the board shows
    // the victim's.
    level3::Board& own_board = busy ? board : *level3::open_board(path + ".idle");
    level3::Victim victim(own_board);
    g_own = recorded();
    g_file = g_own.file;
    Feeder feeder(victim, own_board, busy);
    if (busy) level3::wait_moving(board, 5000 * kMs);
    print_own();
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string order;
        words >> order;
        if (order == "end") break;
        printf("%s\n", obey(order, words, board).c_str());
    }
    put_back();
    feeder.end();
    printf("{\"exact\": %s}\n", victim.state_is_right() ? "true" : "false");
    return 0;
}
