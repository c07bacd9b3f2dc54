// Commands: into an immediate list's stream, or recorded in a list.
#include <chrono>
#include <cstring>
#include <thread>

#include "fake/levelzero/engine.h"
#include "fake/levelzero/words.h"

namespace {

// Checks while it exists that no two threads use the same list at once, which Level Zero forbids.
class InCall {
public:
    InCall(_ze_command_list_handle_t& list, const char* function) : list_(list) {
        if (list.in_call.exchange(true)) fake::misuse("%s while another thread appends to the list", function);
    }
    ~InCall() { list_.in_call.store(false); }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;

private:
    _ze_command_list_handle_t& list_;
};

ze_result_t append(const char* function, ze_command_list_handle_t list, fake::Command command, uint32_t waits,
                   ze_event_handle_t* wait_list) {
    if (!fake::good(list, fake::Kind::kList, function)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (waits > 0 && wait_list == nullptr) return ZE_RESULT_ERROR_INVALID_SIZE;
    const InCall call(*list, function);
    if (list->closed) fake::misuse("%s to a closed list", function);
    for (uint32_t i = 0; i < waits; ++i) {
        if (!fake::good(wait_list[i], fake::Kind::kEvent, function)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        command.waits.push_back(wait_list[i]);
    }
    if (command.signal != nullptr && !fake::good(command.signal, fake::Kind::kEvent, function))
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->records || !list->stream) {
        list->commands.push_back(std::move(command));
        return ZE_RESULT_SUCCESS;
    }
    list->stream->submit({std::move(command)});
    if (list->synchronous) list->stream->wait_idle(UINT64_MAX);
    return ZE_RESULT_SUCCESS;
}

void affine(uint64_t at, uint64_t count, uint64_t multiply, uint64_t add) {
    auto* numbers = reinterpret_cast<uint32_t*>(at);
    for (uint64_t i = 0; i < count; ++i)
        numbers[i] = numbers[i] * static_cast<uint32_t>(multiply) + static_cast<uint32_t>(add);
}

std::function<void()> body_of(const _ze_kernel_handle_t& kernel) {
    const auto [a, b, c, d] = kernel.arguments;
    if (kernel.busy) return [a = a] { std::this_thread::sleep_for(std::chrono::microseconds(a)); };
    return [a = a, b = b, c = c, d = d] { affine(a, b, c, d); };
}

}  // namespace

ze_result_t fake::append_wait(ze_command_list_handle_t list, const uint32_t* word, uint32_t least,
                              ze_event_handle_t signal) {
    return append(__func__, list, {.word = word, .least = least, .signal = signal}, 0, nullptr);
}

extern "C" {

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                            const ze_group_count_t*, ze_event_handle_t signal, uint32_t waits,
                                            ze_event_handle_t* wait_list) {
    if (!FAKE_GOOD(kernel, kKernel)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return append(__func__, list, {.action = body_of(*kernel), .signal = signal}, waits, wait_list);
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void* to, const void* from, size_t size,
                                          ze_event_handle_t signal, uint32_t waits, ze_event_handle_t* wait_list) {
    return append(__func__, list, {.action = [=] { std::memcpy(to, from, size); }, .signal = signal}, waits, wait_list);
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void* at, const void* pattern, size_t bytes,
                                          size_t size, ze_event_handle_t signal, uint32_t waits,
                                          ze_event_handle_t* wait_list) {
    std::vector<char> what(static_cast<const char*>(pattern), static_cast<const char*>(pattern) + bytes);
    const auto fill = [=] {
        for (size_t i = 0; i < size; ++i) static_cast<char*>(at)[i] = what[i % bytes];
    };
    return append(__func__, list, {.action = fill, .signal = signal}, waits, wait_list);
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t waits,
                                       ze_event_handle_t* wait_list) {
    return append(__func__, list, {.barrier = true, .signal = signal}, waits, wait_list);
}

ze_result_t zeCommandListAppendSignalEvent(ze_command_list_handle_t list, ze_event_handle_t event) {
    return append(__func__, list, {.signal = event}, 0, nullptr);
}

ze_result_t zeCommandListAppendWaitOnEvents(ze_command_list_handle_t list, uint32_t count, ze_event_handle_t* events) {
    return append(__func__, list, {}, count, events);
}

ze_result_t zeCommandListAppendEventReset(ze_command_list_handle_t list, ze_event_handle_t event) {
    return append(__func__, list, {.barrier = true, .reset = event}, 0, nullptr);
}

ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t count,
                                                        ze_command_list_handle_t* lists, ze_event_handle_t signal,
                                                        uint32_t waits, ze_event_handle_t* wait_list) {
    ze_result_t result = append(__func__, list, {.barrier = true}, waits, wait_list);
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; ++i) {
        list->stream->submit(lists[i]->commands);
        result = append(__func__, list, {.barrier = true}, 0, nullptr);
    }
    return result == ZE_RESULT_SUCCESS ? append(__func__, list, {.barrier = true, .signal = signal}, 0, nullptr)
                                       : result;
}
}
