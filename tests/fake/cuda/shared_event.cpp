#include "fake/cuda/shared_event.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>

namespace fake {
namespace {

SharedEvent* map(int file) {
    void* memory = mmap(nullptr, sizeof(SharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<SharedEvent*>(memory);
}

}  // namespace

// Makes an event in a file. The event's name is the path by which other processes of the user find the file.
SharedEvent* make_shared_event(CUipcEventHandle* name) {
    const int file = memfd_create("fake-cuda-event", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof(SharedEvent)) != 0) return nullptr;
    std::memset(name, 0, sizeof *name);
    std::snprintf(name->reserved, sizeof name->reserved, "/proc/%d/fd/%d", getpid(), file);
    return map(file);
}

SharedEvent* open_shared_event(const CUipcEventHandle& name) {
    const int file = open(name.reserved, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    SharedEvent* event = map(file);
    close(file);
    return event;
}

void complete_shared_event(SharedEvent& event, uint64_t number) {
    uint64_t seen = event.completed.load();
    while (seen < number && !event.completed.compare_exchange_weak(seen, number)) {
    }
}

void wait_for_shared_event(const SharedEvent& event, uint64_t number) {
    const timespec pause{0, 20'000};
    while (!event.complete(number)) nanosleep(&pause, nullptr);
}

}  // namespace fake
