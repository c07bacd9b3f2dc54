// An ordinary Level Zero program for stand_in_programs_test.py, on the stand-in. It prints one line of JSON.
//
//   levelzero_program exact COMMANDS        kernels one after the other, on two lists and a queue; counts wrong numbers
//   levelzero_program busy SECONDS US       kernels of US microseconds, 16 in flight
//   levelzero_program leave SECONDS US      a kernel each US microseconds; the program ends without waiting for any
//   levelzero_program urgent BURSTS US GAP  bursts of four kernels of US microseconds, GAP milliseconds apart
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fake/levelzero/fake_ze.h"

namespace {

using Clock = std::chrono::steady_clock;

void check(ze_result_t result, const char* call) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::fprintf(stderr, "%s: %x\n", call, static_cast<unsigned>(result));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

class Program {
public:
    Program() {
        CHECK(zeInit(0));
        ze_driver_handle_t driver = nullptr;
        uint32_t count = 1;
        CHECK(zeDriverGet(&count, &driver));
        count = 1;
        CHECK(zeDeviceGet(driver, &count, &device_));
        ze_context_desc_t desc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        CHECK(zeContextCreate(driver, &desc, &context_));
        ze_module_desc_t code{ZE_STRUCTURE_TYPE_MODULE_DESC};
        CHECK(zeModuleCreate(context_, device_, &code, &module_, nullptr));
    }

    ze_kernel_handle_t kernel(const char* name) const {
        ze_kernel_desc_t desc{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
        ze_kernel_handle_t made = nullptr;
        CHECK(zeKernelCreate(module_, &desc, &made));
        return made;
    }
    ze_command_list_handle_t immediate() const {
        ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        desc.flags = kFakeZeInOrder;
        ze_command_list_handle_t made = nullptr;
        CHECK(zeCommandListCreateImmediate(context_, device_, &desc, &made));
        return made;
    }
    ze_command_queue_handle_t queue() const {
        ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        ze_command_queue_handle_t made = nullptr;
        CHECK(zeCommandQueueCreate(context_, device_, &desc, &made));
        return made;
    }
    ze_command_list_handle_t list() const {
        ze_command_list_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
        ze_command_list_handle_t made = nullptr;
        CHECK(zeCommandListCreate(context_, device_, &desc, &made));
        return made;
    }

private:
    ze_device_handle_t device_ = nullptr;
    ze_context_handle_t context_ = nullptr;
    ze_module_handle_t module_ = nullptr;
};

void launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
    const ze_group_count_t groups{1, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
}

int exact(long commands) {
    const Program program;
    const ze_kernel_handle_t kernel = program.kernel("affine");
    const ze_command_list_handle_t immediate = program.immediate();
    const ze_command_queue_handle_t queue = program.queue();
    ze_command_list_handle_t closed = program.list();
    std::vector<uint32_t> numbers(64, 1);
    uint32_t expected = 1;
    long wrong = 0;
    const auto set = [&](uint64_t add) {
        const uint64_t arguments[] = {reinterpret_cast<uint64_t>(numbers.data()), numbers.size(), 3, add};
        for (uint32_t i = 0; i < 4; ++i) zeKernelSetArgumentValue(kernel, i, sizeof arguments[i], &arguments[i]);
        expected = expected * 3 + static_cast<uint32_t>(add);
    };
    for (long i = 0; i < commands; ++i) {
        set(static_cast<uint64_t>(i));
        launch(immediate, kernel);
        if (i % 16 != 0) continue;
        CHECK(zeCommandListHostSynchronize(immediate, UINT64_MAX));
        CHECK(zeCommandListReset(closed));
        set(static_cast<uint64_t>(i));
        launch(closed, kernel);
        CHECK(zeCommandListClose(closed));
        CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &closed, nullptr));
        CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        for (const uint32_t number : numbers) wrong += number != expected;
    }
    CHECK(zeCommandListHostSynchronize(immediate, UINT64_MAX));
    for (const uint32_t number : numbers) wrong += number != expected;
    std::printf("{\"commands\": %ld, \"wrong\": %ld}\n", commands, wrong);
    return 0;
}

void set_length(ze_kernel_handle_t kernel, uint64_t us) { zeKernelSetArgumentValue(kernel, 0, sizeof us, &us); }

int busy(double seconds, uint64_t us) {
    const Program program;
    const ze_kernel_handle_t kernel = program.kernel("busy");
    set_length(kernel, us);
    const ze_command_list_handle_t list = program.immediate();
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    long commands = 0;
    while (Clock::now() < end) {
        for (int i = 0; i < 16; ++i, ++commands) launch(list, kernel);
        CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    }
    std::printf("{\"commands\": %ld, \"wrong\": %ld}\n", commands, long{fake_ze_misuses()});
    return 0;
}

int leave(double seconds, uint64_t us) {
    const Program program;
    const ze_kernel_handle_t kernel = program.kernel("busy");
    set_length(kernel, us);
    const ze_command_list_handle_t list = program.immediate();
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    long commands = 0;
    for (; Clock::now() < end; ++commands) {
        launch(list, kernel);
        std::this_thread::sleep_for(std::chrono::microseconds(us));
    }
    std::printf("{\"commands\": %ld, \"wrong\": %ld}\n", commands, long{fake_ze_misuses()});
    return 0;
}

int urgent(long bursts, uint64_t us, long gap_ms) {
    const Program program;
    const ze_kernel_handle_t kernel = program.kernel("busy");
    set_length(kernel, us);
    const ze_command_list_handle_t list = program.immediate();
    std::vector<double> times_ms;
    for (long i = 0; i < bursts; ++i) {
        const auto begin = Clock::now();
        for (int j = 0; j < 4; ++j) launch(list, kernel);
        CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
        times_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
        std::this_thread::sleep_for(std::chrono::milliseconds(gap_ms));
    }
    std::sort(times_ms.begin(), times_ms.end());
    std::printf("{\"commands\": %ld, \"wrong\": %ld, \"p50_ms\": %.3f}\n", bursts * 4, long{fake_ze_misuses()},
                times_ms[times_ms.size() / 2]);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto number = [&](int at) { return argc > at ? std::atof(argv[at]) : 0.0; };
    if (what == "exact") return exact(static_cast<long>(number(2)));
    if (what == "busy") return busy(number(2), static_cast<uint64_t>(number(3)));
    if (what == "leave") return leave(number(2), static_cast<uint64_t>(number(3)));
    if (what == "urgent")
        return urgent(static_cast<long>(number(2)), static_cast<uint64_t>(number(3)), static_cast<long>(number(4)));
    std::fprintf(stderr, "levelzero_program exact|busy|leave|urgent ...\n");
    return 2;
}
