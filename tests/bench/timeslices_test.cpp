// The peer static_timeslices sets the timeslice of compute channel groups, and of nothing else, whatever the driver
// sets later. Run with libtimeslices.so preloaded and BENCH_TIMESLICE_US=1; fake_ioctl.cpp stands for the driver.
#include <sys/ioctl.h>

#include <cstdint>
#include <cstdio>

extern "C" uint64_t fake_timeslice(uint32_t client, uint32_t object);

namespace {

constexpr unsigned long kAlloc = 0xc030462b, kTransfer = 0xc01046d3, kControl = 0xc020462a;
constexpr uint32_t kClient = 7, kGroup = 0xa06c, kChannel = 0xc86f, kTimeslice = 0xa06c0103;

struct Alloc {
    uint32_t client, parent, object, object_class;
    uint64_t parameters, rights;
    uint32_t parameters_size, flags, status, pad;
};
struct Transfer {
    uint32_t number, size;
    uint64_t parameters;
};
struct Control {
    uint32_t client, object, command, flags;
    uint64_t parameters;
    uint32_t parameters_size, status;
};

int failed = 0;

void expect(const char* what, uint64_t found, uint64_t wanted) {
    if (found == wanted) return;
    fprintf(stderr, "%s: the timeslice is %lu, expected %lu\n", what, static_cast<unsigned long>(found),
            static_cast<unsigned long>(wanted));
    ++failed;
}

void allocate(uint32_t parent, uint32_t object, uint32_t object_class, uint32_t engine, bool transfer) {
    uint32_t words[8] = {0, 0, 0, engine};
    Alloc alloc{kClient, parent, object, object_class, reinterpret_cast<uint64_t>(words), 0, sizeof(words), 0, 0, 0};
    Transfer wrapped{0x2b, sizeof(alloc), reinterpret_cast<uint64_t>(&alloc)};
    if (transfer)
        ioctl(3, kTransfer, &wrapped);
    else
        ioctl(3, kAlloc, &alloc);
}

void set_by_driver(uint32_t object, uint64_t us) {
    Control control{kClient, object, kTimeslice, 0, reinterpret_cast<uint64_t>(&us), sizeof(us), 0};
    ioctl(3, kControl, &control);
}

}  // namespace

int main() {
    allocate(1, 10, kGroup, 1, false);
    expect("a compute group", fake_timeslice(kClient, 10), 1);
    allocate(1, 11, kGroup, 1, true);
    expect("a compute group, through a transfer", fake_timeslice(kClient, 11), 1);
    allocate(1, 12, kGroup, 0xb, false);
    expect("a copy engine's group", fake_timeslice(kClient, 12), 0);
    set_by_driver(10, 2048);
    expect("a compute group that the driver has set", fake_timeslice(kClient, 10), 1);
    set_by_driver(12, 2048);
    expect("another group that the driver has set", fake_timeslice(kClient, 12), 2048);
    allocate(11, 20, kChannel, 1, false);
    expect("a compute group with a channel", fake_timeslice(kClient, 11), 1);
    return failed == 0 ? 0 : 1;
}
