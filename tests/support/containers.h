// Starts processes as container engines start them (namespaces, dropped capabilities), without an engine.
#pragma once

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "support/child.h"

namespace xsched::test {

// The rights that podman and docker leave to root in a container unless they are asked for more.
constexpr uint64_t bits_of(std::initializer_list<int> capabilities) {
    uint64_t bits = 0;
    for (const int one : capabilities) bits |= uint64_t{1} << one;
    return bits;
}
inline constexpr uint64_t kUsualCapabilities =
    bits_of({CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP,
             CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_SETFCAP});

// In a child: keeps root's user id with only these capabilities, also after an exec.
inline bool keep_capabilities(uint64_t kept = kUsualCapabilities) {
    for (int one = 0; prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
        if ((kept >> one & 1) == 0 && prctl(PR_CAPBSET_DROP, one, 0, 0, 0) != 0) return false;
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i)
        sets[i].permitted = sets[i].effective = static_cast<uint32_t>(kept >> (32 * i));
    return syscall(SYS_capset, &head, sets) == 0;
}

// In a child: enters a user namespace of its own, in which `inside` is the user that it was. Ends with all capabilities
// there.
inline bool enter_user_namespace(uid_t inside = 0) {
    const uid_t outside = geteuid();
    prctl(PR_SET_DUMPABLE, 1);  // a process that changed its user does not own its /proc/self
    if (unshare(CLONE_NEWUSER) != 0) return false;
    const int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    const std::string line = std::to_string(inside) + " " + std::to_string(outside) + " 1\n";
    const bool written = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    close(fd);
    return written;
}

// Runs `body` as the first process of a pid namespace, with the rights of a container's root.
template <typename Body>
int in_container(Body body) {
    return in_child([&] {
        if (unshare(CLONE_NEWPID) != 0) return 98;
        const pid_t first = fork();
        if (first == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            _exit(keep_capabilities() ? body() : 97);
        }
        int status = 0;
        return waitpid(first, &status, 0) == first ? exit_status(status) : 96;
    });
}

// A container whose first process runs `body` and then stays until the test ends it.
class Container : public Sitter {
public:
    explicit Container(const std::function<bool()>& body)
        : Sitter([&] {
              if (unshare(CLONE_NEWPID) != 0) return false;
              static std::optional<Sitter> inner;
              inner.emplace([&] { return keep_capabilities() && body(); });
              return inner->ready();
          }) {}
};

}  // namespace xsched::test
