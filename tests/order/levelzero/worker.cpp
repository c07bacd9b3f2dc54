#include "order/levelzero/worker.h"

#include <algorithm>

namespace order::levelzero {

Worker::Worker(World& world, Signaller& signaller, const Options& options, int index)
    : SequentialWorker(world, signaller, options, index) {
    ze_kernel_desc_t desc{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "affine"};
    expect_success(zeKernelCreate(world.module, &desc, &kernel_), "zeKernelCreate");
    ze_event_pool_desc_t pool{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, kEvents};
    expect_success(zeEventPoolCreate(world.context, &pool, 1, &world.device, &pool_), "zeEventPoolCreate");
    for (uint32_t i = 0; i < kEvents; ++i) {
        ze_event_desc_t event{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, i, 0, 0};
        expect_success(zeEventCreate(pool_, &event, &events_.emplace_back()), "zeEventCreate");
    }
    ze_device_mem_alloc_desc_t on_device{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    for (uint32_t** memory : {&numbers_, &copy_}) {
        void* made = nullptr;
        expect_success(
            zeMemAllocShared(world.context, &on_device, &on_host, kNumbers * sizeof(uint32_t), 64, world.device, &made),
            "zeMemAllocShared");
        *memory = static_cast<uint32_t*>(made);
    }
    std::fill_n(numbers_, kNumbers, expected_);
    renew_lists();
}

Worker::~Worker() {
    for (const ze_command_list_handle_t list : immediate_) world_.destroy_immediate(list);
    for (const ze_command_list_handle_t list : lists_)
        expect_success(zeCommandListDestroy(list), "zeCommandListDestroy");
    for (const ze_event_handle_t event : events_) expect_success(zeEventDestroy(event), "zeEventDestroy");
    expect_success(zeEventPoolDestroy(pool_), "zeEventPoolDestroy");
    expect_success(zeKernelDestroy(kernel_), "zeKernelDestroy");
    zeMemFree(world_.context, numbers_);
    zeMemFree(world_.context, copy_);
}

void Worker::renew_lists() {
    for (ze_command_list_handle_t& list : immediate_) {
        if (list != nullptr) world_.destroy_immediate(list);
        list = world_.make_immediate(&list == immediate_ ? kFakeZeInOrder : 0);
    }
}

ze_event_handle_t Worker::next_event() { return events_[used_events_++]; }

void Worker::give() {
    const Place place = random_.once_in(2) ? last_place_ : static_cast<Place>(random_.below(kPlaces));
    Activity::set("giving a command");
    place < kFirstQueue ? append(place) : execute(place);
    last_place_ = place;
}

// Returns what the next command waits for: the last one, unless it is before it in a list that keeps order, and perhaps
// an event that the host signals.
std::vector<ze_event_handle_t> Worker::waits_for(Place place) {
    std::vector<ze_event_handle_t> waits;
    if (place != kOrdered || last_place_ != kOrdered) {
        if (last_ == nullptr && has_given()) {
            last_ = next_event();
            expect_success(zeCommandListAppendSignalEvent(immediate_[kOrdered], last_),
                           "zeCommandListAppendSignalEvent");
        }
        if (last_ != nullptr) waits.push_back(last_);
    }
    if (random_.once_in(15)) {
        waits.push_back(next_event());
        signaller_.add({waits.back()});
    }
    return waits;
}

void Worker::give_kernel(ze_command_list_handle_t list, ze_event_handle_t signal,
                         std::vector<ze_event_handle_t>& waits) {
    const uint64_t multiply = random_.next() | 1;
    const uint64_t add = random_.next();
    const uint64_t count = kNumbers;
    zeKernelSetArgumentValue(kernel_, 0, sizeof numbers_, &numbers_);
    zeKernelSetArgumentValue(kernel_, 1, sizeof count, &count);
    zeKernelSetArgumentValue(kernel_, 2, sizeof multiply, &multiply);
    zeKernelSetArgumentValue(kernel_, 3, sizeof add, &add);
    const ze_group_count_t groups{1, 1, 1};
    expect_success(zeCommandListAppendLaunchKernel(list, kernel_, &groups, signal, static_cast<uint32_t>(waits.size()),
                                                   waits.data()),
                   "zeCommandListAppendLaunchKernel");
    expected_ = expected_ * static_cast<uint32_t>(multiply) + static_cast<uint32_t>(add);
}

void Worker::give_copy(ze_command_list_handle_t list, ze_event_handle_t signal, std::vector<ze_event_handle_t>& waits) {
    expect_success(zeCommandListAppendMemoryCopy(list, copy_, numbers_, kNumbers * sizeof(uint32_t), signal,
                                                 static_cast<uint32_t>(waits.size()), waits.data()),
                   "zeCommandListAppendMemoryCopy");
    expected_copy_ = expected_;
}

// In the list without order, a barrier before the command sometimes stands for the wait. The command before must then
// be in the same list.
void Worker::append(Place place) {
    const ze_command_list_handle_t list = immediate_[place];
    std::vector<ze_event_handle_t> waits;
    if (place == kUnordered && last_place_ == kUnordered && random_.once_in(3))
        expect_success(zeCommandListAppendBarrier(list, nullptr, 0, nullptr), "zeCommandListAppendBarrier");
    else
        waits = waits_for(place);
    const ze_event_handle_t signal = place == kOrdered && random_.once_in(3) ? nullptr : next_event();
    random_.once_in(6) ? give_copy(list, signal, waits) : give_kernel(list, signal, waits);
    last_ = signal;
}

ze_command_list_handle_t Worker::closed_list(ze_event_handle_t signal, std::vector<ze_event_handle_t>& waits) {
    if (used_lists_ == lists_.size()) lists_.push_back(world_.list());
    const ze_command_list_handle_t list = lists_[used_lists_++];
    std::vector<ze_event_handle_t> none;
    give_kernel(list, nullptr, waits);
    for (uint32_t i = random_.below(3); i > 0; --i) {
        expect_success(zeCommandListAppendBarrier(list, nullptr, 0, nullptr), "zeCommandListAppendBarrier");
        give_kernel(list, nullptr, none);
    }
    expect_success(zeCommandListAppendBarrier(list, signal, 0, nullptr), "zeCommandListAppendBarrier");
    expect_success(zeCommandListClose(list), "zeCommandListClose");
    return list;
}

void Worker::execute(Place place) {
    std::vector<ze_event_handle_t> waits = waits_for(place);
    std::vector<ze_event_handle_t> none;
    const ze_event_handle_t signal = next_event();
    ze_command_list_handle_t lists[2];
    const uint32_t count = 1 + random_.below(2);
    lists[0] = closed_list(count == 1 ? signal : nullptr, waits);
    if (count == 2) lists[1] = closed_list(signal, none);
    const ze_command_queue_handle_t queue = world_.queues[place - kFirstQueue];
    ze_fence_handle_t fence = nullptr;
    const bool fenced = random_.once_in(8);
    ze_fence_desc_t desc{ZE_STRUCTURE_TYPE_FENCE_DESC};
    if (fenced) expect_success(zeFenceCreate(queue, &desc, &fence), "zeFenceCreate");
    expect_success(zeCommandQueueExecuteCommandLists(queue, count, lists, fence), "zeCommandQueueExecuteCommandLists");
    last_ = signal;
    if (!fenced) return;
    Activity::set("zeFenceHostSynchronize");
    expect_success(zeFenceHostSynchronize(fence, UINT64_MAX), "zeFenceHostSynchronize");
    expect_success(zeFenceDestroy(fence), "zeFenceDestroy");
}

void Worker::wait_for_end() {
    if (last_ != nullptr && random_.once_in(2)) {
        Activity::set("zeEventHostSynchronize");
        return expect_success(zeEventHostSynchronize(last_, UINT64_MAX), "zeEventHostSynchronize");
    }
    if (last_place_ < kFirstQueue) {
        Activity::set("zeCommandListHostSynchronize");
        return expect_success(zeCommandListHostSynchronize(immediate_[last_place_], UINT64_MAX),
                              "zeCommandListHostSynchronize");
    }
    Activity::set("zeCommandQueueSynchronize");
    expect_success(zeCommandQueueSynchronize(world_.queues[last_place_ - kFirstQueue], UINT64_MAX),
                   "zeCommandQueueSynchronize");
}

void Worker::settle() {
    if (has_given()) wait_for_end();
    for (uint32_t i = 0; i < kNumbers; ++i) {
        if (numbers_[i] != expected_) violation("number %u is %u instead of %u", i, numbers_[i], expected_);
        if (expected_copy_ != 0 && copy_[i] != expected_copy_)
            violation("copied number %u is %u instead of %u", i, copy_[i], expected_copy_);
    }
    std::fill_n(numbers_, kNumbers, expected_);
    // The last command is complete, but its queue may still be busy with the event behind it, so all lists and queues
    // are synchronized before they are reset.
    for (const ze_command_list_handle_t list : immediate_)
        expect_success(zeCommandListHostSynchronize(list, UINT64_MAX), "zeCommandListHostSynchronize");
    for (const ze_command_queue_handle_t queue : world_.queues)
        if (used_lists_ > 0) expect_success(zeCommandQueueSynchronize(queue, UINT64_MAX), "zeCommandQueueSynchronize");
    for (uint32_t i = 0; i < used_events_; ++i) expect_success(zeEventHostReset(events_[i]), "zeEventHostReset");
    for (uint32_t i = 0; i < used_lists_; ++i) expect_success(zeCommandListReset(lists_[i]), "zeCommandListReset");
    if (random_.once_in(30)) renew_lists();
    used_events_ = used_lists_ = 0;
    last_ = nullptr;
    last_place_ = kOrdered;
}

}  // namespace order::levelzero
