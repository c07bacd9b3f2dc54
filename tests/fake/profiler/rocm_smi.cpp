// A stand-in of rocm-smi's library: asks the kernel driver for its version by ioctl and lists a process's queues in
// sysfs (a folder here), as rsmi_compute_process_info_get does. It calls no runtime.
#include <sys/ioctl.h>

#include <cerrno>
#include <filesystem>

#include "fake/kfd/fake_kfd.h"

extern "C" {
// 0, or the errno of the refusal.
int fake_smi_driver_version(int driver, unsigned* major, unsigned* minor) {
    FakeKfdVersion version{};
    if (ioctl(driver, kFakeKfdGetVersion, &version) != 0) return errno;
    *major = version.major;
    *minor = version.minor;
    return 0;
}
unsigned fake_smi_queues(const char* folder) {
    unsigned count = 0;
    for (const auto& queue : std::filesystem::directory_iterator(folder)) count += queue.is_directory() ? 1 : 0;
    return count;
}
}
