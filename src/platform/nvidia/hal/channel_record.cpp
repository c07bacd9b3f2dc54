#include "platform/nvidia/hal/channel_record.h"

#include <atomic>
#include <cstdio>
#include <new>

#include "base/fork.h"
#include "base/mutex.h"
#include "host/rm_api.h"
#include "platform/nvidia/hal/library_call.h"

namespace xsched::nvidia {
namespace {

using namespace rm;

enum class Kind : uint32_t { kClient, kDevice, kSubdevice, kGroup, kChannel, kDuplicate };

struct Object {
    Kind kind;
    uint32_t client;
    uint32_t handle;
    uint32_t parent;
    uint32_t engine = 0;  // a group's
    uint32_t noted = 0;   // a device's PCI address, a group's timeslice
    bool noted_known = false;
    bool shared = false;  // a group that another process has allocated
    int fd = -1;        // a client's
    bool gone = false;  // while it is forgotten
    Object* next = nullptr;
};

constinit base::Mutex g_mutex;
constinit Object* g_objects = nullptr;  // newest first
constinit bool g_incomplete = false;
constinit bool g_partition = false;
constinit int g_swapchains = 0;
constinit uint32_t g_generation = 0;  // the process of a line of forks that it belongs to
constinit std::atomic<uint32_t> g_serial{0};
constinit std::atomic<uint32_t> g_kernel_groups{0};  // objects of that kind
constinit std::atomic<uint32_t> g_channels{0};
constinit std::atomic<bool> g_copies{false};  // channels of copy engines are taken off as well

// Adds `change`, 1 or -1, to the number of recorded channels or kernels' channel groups, when such an object is
// allocated or freed. g_mutex held.
void count(const Object& object, int32_t change) {
    const auto more = static_cast<uint32_t>(change);
    if (object.kind == Kind::kChannel) g_channels.fetch_add(more, std::memory_order_relaxed);
    if (object.kind == Kind::kGroup && is_compute_engine(object.engine))
        g_kernel_groups.fetch_add(more, std::memory_order_relaxed);
}

// Locks the record. In fork's child it first forgets the parent's objects.
class Record {
public:
    Record() : lock_(g_mutex) {
        if (g_generation != base::fork_generation()) clear();
    }
    void clear() {
        g_generation = base::fork_generation();
        while (g_objects != nullptr) {
            Object* object = g_objects;
            g_objects = object->next;
            count(*object, -1);
            delete object;
        }
        g_incomplete = g_partition = false;
        g_swapchains = 0;
        g_serial.fetch_add(1, std::memory_order_acq_rel);
    }

private:
    base::Lock lock_;
};

// g_mutex held.
Object* find(uint32_t client, uint32_t handle) {
    for (Object* object = g_objects; object != nullptr; object = object->next)
        if (object->client == client && object->handle == handle) return object;
    return nullptr;
}

// Forgets the object and all objects below it. g_mutex held.
void forget(uint32_t client, uint32_t handle) {
    const auto goes = [&](const Object& object) {
        if (object.client != client || object.gone) return false;
        if (object.handle == handle || handle == client) return true;
        const Object* parent = find(client, object.parent);
        return parent != nullptr && parent->gone;
    };
    for (bool more = true; more;) {
        more = false;
        for (Object* object = g_objects; object != nullptr; object = object->next)
            if (goes(*object)) object->gone = more = true;
    }
    for (Object** at = &g_objects; *at != nullptr;) {
        Object* object = *at;
        if (!object->gone) {
            at = &object->next;
            continue;
        }
        *at = object->next;
        count(*object, -1);
        delete object;
        g_serial.fetch_add(1, std::memory_order_acq_rel);
    }
}

// g_mutex held.
void remember(const Object& fresh) {
    forget(fresh.client, fresh.handle);  // the handle is in use again, so the old object was freed unseen
    auto* object = new (std::nothrow) Object(fresh);
    if (object == nullptr) {
        g_incomplete = true;
        return;
    }
    object->next = g_objects;
    g_objects = object;
    count(*object, 1);
    g_serial.fetch_add(1, std::memory_order_acq_rel);
}

// Returns the client's device if it has a single one. g_mutex held.
const Object* only_device(uint32_t client) {
    const Object* only = nullptr;
    for (const Object* object = g_objects; object != nullptr; object = object->next) {
        if (object->kind != Kind::kDevice || object->client != client) continue;
        if (only != nullptr) return nullptr;
        only = object;
    }
    return only;
}

// Remembers the group of a channel that stands below none of this process's: under MPS the server allocates the group
// of kernels, and its clients duplicate it (seen with driver 580, decision 031). The duplicate stands below its device,
// as the open kernel modules demand of a group. Without a duplicate it is known with one GPU alone. g_mutex held.
void remember_shared_group(const Object& channel) {
    const Object* known = find(channel.client, channel.parent);
    if (known != nullptr && known->kind != Kind::kDuplicate) return;
    const Object* device = known != nullptr ? find(channel.client, known->parent) : only_device(channel.client);
    if (device == nullptr || device->kind != Kind::kDevice) return;
    remember({Kind::kGroup, channel.client, channel.parent, device->handle, NV2080_ENGINE_TYPE_GR0, 0, false, true});
}

void record_allocation(int fd, const Allocation& allocation) {
    const NVOS21_PARAMETERS& head = allocation.head;
    Object object{Kind::kClient, head.hRoot, head.hObjectNew, head.hObjectParent};
    if (is_root_class(head.hClass)) {
        object.client = head.hObjectNew;
        object.parent = 0;
        object.fd = fd;
    } else if (head.hClass == NV01_DEVICE_0) {
        object.kind = Kind::kDevice;
    } else if (head.hClass == NV20_SUBDEVICE_0) {
        object.kind = Kind::kSubdevice;
    } else if (head.hClass == KEPLER_CHANNEL_GROUP_A) {
        object.kind = Kind::kGroup;
        object.engine = engine_of(allocation);
    } else if (is_channel_class(head.hClass)) {
        object.kind = Kind::kChannel;
    } else if (head.hClass != AMPERE_SMC_PARTITION_REF) {
        return;
    }
    const Record record;
    if (head.hClass == AMPERE_SMC_PARTITION_REF) {
        g_partition = true;
        return;
    }
    if (object.kind == Kind::kChannel) remember_shared_group(object);
    remember(object);
}

// Remembers a duplicate below a device. Its kind shows only when a channel is allocated below it.
void record_duplicate(const NVOS55_PARAMETERS& duplicated) {
    const Record record;
    const Object* device = find(duplicated.hClient, duplicated.hParent);
    if (duplicated.status != NV_OK || device == nullptr || device->kind != Kind::kDevice) return;
    remember({Kind::kDuplicate, duplicated.hClient, duplicated.hObject, duplicated.hParent});
}

// Collects the channels of one group. Returns false if they are too many for one set. g_mutex held.
bool collect_channels(const Object& group, ChannelSet& set) {
    for (const Object* channel = g_objects; channel != nullptr; channel = channel->next) {
        if (channel->client != group.client || channel->parent != group.handle || channel->kind != Kind::kChannel)
            continue;
        if (set.channel_count == ChannelSet::kMostChannels) return false;
        set.channels[set.channel_count++] = channel->handle;
    }
    return true;
}

// Collects the channel groups of one device whose engine `is_wanted`. Also collects their timeslices if
// `with_timeslices`, which is so for groups of compute kernels. Returns false if the set is full. g_mutex held.
bool collect_groups(const Object& device, bool (*is_wanted)(uint32_t engine), bool with_timeslices,
                    RecordedSet& recorded) {
    ChannelSet& set = recorded.set;
    for (const Object* group = g_objects; group != nullptr; group = group->next) {
        if (group->client != device.client || group->parent != device.handle || group->kind != Kind::kGroup ||
            !is_wanted(group->engine))
            continue;
        recorded.shared = recorded.shared || group->shared;
        if (with_timeslices) {
            if (set.group_count == ChannelSet::kMostGroups) return false;
            set.timeslices_us[set.group_count] = group->noted;
            set.groups[set.group_count++] = group->handle;
        }
        if (!collect_channels(*group, set)) return false;
    }
    return true;
}

// Collects the sets of a device. The kernel driver takes channels off in the order of the list: kernels' channels come
// first, since more urgent programs wait for them; copy engines' channels come last. g_mutex held.
void collect(const Object& client, const Object& device, RecordedSet& recorded) {
    recorded = RecordedSet{};
    recorded.fd = client.fd;
    recorded.device = device.handle;
    recorded.address = device.noted;
    recorded.address_known = device.noted_known;
    ChannelSet& set = recorded.set;
    set.client = client.handle;
    for (const Object* object = g_objects; object != nullptr; object = object->next)
        if (object->client == client.handle && object->parent == device.handle && object->kind == Kind::kSubdevice)
            set.subdevice = object->handle;
    const bool copies = g_copies.load(std::memory_order_relaxed);
    recorded.incomplete = !collect_groups(device, is_compute_engine, true, recorded) ||
                          (copies && !collect_groups(device, is_copy_engine, false, recorded)) || g_swapchains > 0;
}

void note(uint32_t client, uint32_t handle, uint32_t value) {
    const Record record;
    Object* object = find(client, handle);
    if (object == nullptr) return;
    object->noted = value;
    object->noted_known = true;
}

}  // namespace

void record_call(int fd, unsigned long request, const void* argument, int result) {
    Call call;
    if (result != 0 || !unwrap(request, argument, call)) return;
    Allocation allocation;
    if (read_allocation(call, allocation)) {
        if (allocation.status == NV_OK) record_allocation(fd, allocation);
        return;
    }
    if (NVOS55_PARAMETERS duplicated{}; read_duplicate(call, duplicated)) return record_duplicate(duplicated);
    NVOS00_PARAMETERS freed{};
    if (!read_free(call, freed)) return;
    const Record record;
    if (freed.status == NV_OK && find(freed.hRoot, freed.hObjectOld) != nullptr) forget(freed.hRoot, freed.hObjectOld);
}

bool frees_recorded(unsigned long request, const void* argument) {
    Call call;
    NVOS00_PARAMETERS freed{};
    if (!unwrap(request, argument, call) || !read_free(call, freed)) return false;
    const Record record;
    const Object* object = find(freed.hRoot, freed.hObjectOld);
    return object != nullptr && object->kind != Kind::kDuplicate;
}

void for_each_recorded(bool (*visit)(const RecordedSet& recorded, void* data), void* data) {
    RecordedSet recorded;
    for (unsigned at = 0;; ++at) {  // the at-th device with compute channels, as of now
        bool found = false;
        {
            const Record record;
            unsigned index = 0;
            for (const Object* device = g_objects; device != nullptr && !found; device = device->next) {
                if (device->kind != Kind::kDevice) continue;
                const Object* client = find(device->client, device->client);
                if (client == nullptr) continue;
                collect(*client, *device, recorded);
                found = recorded.set.channel_count != 0 && recorded.set.group_count != 0 && index++ == at;
            }
        }
        if (!found || !visit(recorded, data)) return;
    }
}

void note_address(uint32_t client, uint32_t device, uint32_t address) { note(client, device, address); }
void note_timeslice(uint32_t client, uint32_t group, uint32_t us) { note(client, group, us); }

void note_copies() {
    if (g_copies.load(std::memory_order_relaxed)) return;
    const Record record;
    g_copies.store(true, std::memory_order_relaxed);
    g_serial.fetch_add(1, std::memory_order_acq_rel);
}

void note_swapchains(int change) {
    const Record record;
    g_swapchains += change;
    g_serial.fetch_add(1, std::memory_order_acq_rel);
}

bool has_swapchains() {
    const Record record;
    return g_swapchains > 0;
}

bool copies_noted() { return g_copies.load(std::memory_order_relaxed); }

bool record_is_large() {
    return g_kernel_groups.load(std::memory_order_relaxed) > ChannelSet::kMostGroups ||
           g_channels.load(std::memory_order_relaxed) > ChannelSet::kMostChannels;
}

uint32_t record_serial() { return g_serial.load(std::memory_order_acquire); }

void describe_record(char* text, unsigned bytes) {
    unsigned counts[6] = {};
    unsigned compute = 0;
    char engines[160] = "";
    size_t used = 0;
    const Record record;
    for (const Object* object = g_objects; object != nullptr; object = object->next) {
        ++counts[static_cast<unsigned>(object->kind)];
        if (object->kind == Kind::kGroup && used + 12 < sizeof engines)
            used += static_cast<size_t>(std::snprintf(engines + used, sizeof engines - used, " %u", object->engine));
        if (object->kind != Kind::kChannel) continue;
        const Object* group = find(object->client, object->parent);
        if (group != nullptr && group->kind == Kind::kGroup && is_compute_engine(group->engine)) ++compute;
    }
    std::snprintf(text, bytes,
                  "%u clients, %u devices, %u channel groups (engines%s) with %u channels, %u of them for kernels",
                  counts[0], counts[1], counts[3], used != 0 ? engines : " none", counts[4], compute);
}

bool record_incomplete() {
    const Record record;
    return g_incomplete;
}

bool record_has_partition() {
    const Record record;
    return g_partition;
}

void forget_record() {
    Record record;
    g_copies.store(false, std::memory_order_relaxed);
    record.clear();
}

}  // namespace xsched::nvidia
