#include "platform/nvidia/hal/gpu_channels.h"

#include <algorithm>
#include <new>

#include "base/log.h"
#include "queue/abi/queue_abi.h"

namespace xsched::nvidia {
namespace {

constexpr uint32_t kDriversOwnUs = 2048;  // driver: the timeslice that it gives a group (decision 004)

constinit std::atomic<rm::Ioctl> g_ioctl{nullptr};

// Asks the driver, once, for the address of a recorded GPU.
void learn_address(RecordedSet& recorded) {
    if (recorded.address_known) return;
    const rm::Outcome outcome = rm::read_pci_address(driver_call(), recorded.fd, recorded.set.client,
                                                     recorded.set.subdevice, &recorded.address);
    if (!outcome.good()) {
        XLOG_DEBG("the kernel driver does not say which GPU device object 0x%x is: %s (errno %d, status 0x%x)",
                  recorded.device, rm::sentence(outcome), outcome.error, outcome.status);
        return;
    }
    recorded.address_known = true;
    note_address(recorded.set.client, recorded.device, recorded.address);
}

void learn_timeslices(RecordedSet& recorded) {
    for (uint32_t i = 0; i < recorded.set.group_count; ++i) {
        if (recorded.set.timeslices_us[i] != 0) continue;
        const rm::Outcome outcome = rm::read_timeslice(driver_call(), recorded.fd, recorded.set.client,
                                                       recorded.set.groups[i], &recorded.set.timeslices_us[i]);
        // Another process may have shortened a shared group's.
        if (recorded.shared) recorded.set.timeslices_us[i] = std::max(recorded.set.timeslices_us[i], kDriversOwnUs);
        if (outcome.good()) note_timeslice(recorded.set.client, recorded.set.groups[i], recorded.set.timeslices_us[i]);
    }
}

// The recorded channels of one GPU.
struct Found {
    uint32_t count = 0;
    bool too_many = false;
    RecordedSet sets[kMostSets];
};

struct Search {
    const Gpu* gpu;
    Found* found;
    uint32_t seen = 0;     // GPUs with channels in the record
    uint32_t unnamed = 0;  // of them, those whose address is not known
    RecordedSet last_unnamed;
};

void add(Found& found, RecordedSet& recorded) {
    if (found.count == kMostSets || recorded.incomplete) {
        found.too_many = true;
        return;
    }
    learn_timeslices(recorded);
    found.sets[found.count++] = recorded;
}

bool visit_recorded(const RecordedSet& found, void* data) {
    auto& search = *static_cast<Search*>(data);
    RecordedSet recorded = found;
    learn_address(recorded);
    ++search.seen;
    if (!recorded.address_known) {
        ++search.unnamed;
        search.last_unnamed = recorded;
        return true;
    }
    if (recorded.address == static_cast<uint32_t>(search.gpu->identity)) add(*search.found, recorded);
    return true;
}

uint64_t key_of(const RecordedSet& recorded) { return uint64_t{recorded.set.client} << 32 | recorded.device; }

void offer(const Gpu& gpu, const RecordedSet& recorded, bool withdraw) {
    if (recorded.shared) return;
    XqHandover handover{};
    handover.platform = kPlatformCUDA;
    handover.device = gpu.identity;
    handover.key = key_of(recorded);
    handover.fd = withdraw ? -1 : recorded.fd;
    handover.data = &recorded.set;
    handover.bytes = withdraw ? 0 : sizeof recorded.set;
    handover.undo = gpu.undo;
    xq_hand_over(&handover);
}

// Finds the GPU's sets. Returns false if there is no memory.
bool find_sets(const Gpu& gpu, Found& found) {
    auto* search = new (std::nothrow) Search{&gpu, &found};  // some kilobytes, on any thread of the program
    if (search == nullptr) return false;
    for_each_recorded(visit_recorded, search);
    const bool nowhere_else = found.count == 0 && !found.too_many && search->seen == 1 && search->unnamed == 1;
    if (nowhere_else) add(found, search->last_unnamed);
    delete search;
    return true;
}

// Notes that level 3 pauses or acts again. While it pauses, the groups have their own timeslices, and xserver is told
// no channels. gpu.turn held.
void note_too_many(Gpu& gpu, bool too_many) {
    if (too_many == gpu.too_many) return;
    gpu.too_many = too_many;
    if (too_many && has_swapchains())
        XLOG_INFO("%s: this process has a swapchain, so a desktop may wait for its work: level 3 pauses", gpu.name);
    else if (too_many)
        XLOG_WARN(
            "%s: this process has more than %u channel groups or %u channels there. The driver cannot take more "
            "off at once: its streams use level 2 until contexts of it have ended",
            gpu.name, rm::ChannelSet::kMostGroups, rm::ChannelSet::kMostChannels);
    else
        XLOG_INFO("%s: this process uses level 3 again", gpu.name);
    for (uint32_t i = 0; too_many && i < gpu.set_count; ++i) {
        if (gpu.timeslice_us != 0) rm::set_timeslices(driver_call(), gpu.sets[i].fd, gpu.sets[i].set, 0);
        offer(gpu, gpu.sets[i], true);
    }
    xq_level_changed(gpu.identity);
}

}  // namespace

rm::Ioctl driver_call() { return g_ioctl.load(std::memory_order_acquire); }
void note_driver_call(rm::Ioctl call) { g_ioctl.store(call, std::memory_order_release); }

void refresh(Gpu& gpu) {
    const uint32_t serial = record_serial();
    if (driver_call() == nullptr || (gpu.known && gpu.serial == serial)) return;
    auto* found = new (std::nothrow) Found;
    if (found == nullptr || !find_sets(gpu, *found) || (found->too_many && gpu.stopped)) {
        delete found;
        return;
    }
    note_too_many(gpu, found->too_many);
    if (found->too_many) found->count = 0;
    for (uint32_t i = 0; i < gpu.set_count; ++i) {
        bool stays = found->too_many;  // withdrawn already
        for (uint32_t k = 0; k < found->count; ++k) stays = stays || key_of(found->sets[k]) == key_of(gpu.sets[i]);
        if (!stays) offer(gpu, gpu.sets[i], true);
    }
    gpu.set_count = found->count;
    for (uint32_t i = 0; i < found->count; ++i) gpu.sets[i] = found->sets[i];
    delete found;
    gpu.serial = serial;
    gpu.known = true;
    for (uint32_t i = 0; i < gpu.set_count; ++i) {
        if (gpu.timeslice_us != 0) rm::set_timeslices(driver_call(), gpu.sets[i].fd, gpu.sets[i].set, gpu.timeslice_us);
        offer(gpu, gpu.sets[i], false);
    }
}

}  // namespace xsched::nvidia
