#include "recorded.h"

#include <dlfcn.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <mutex>

#include "host/rm_api.h"
#include "victim.h"

namespace foreign {
namespace {

using namespace xsched::cuda::rm;
using level3::now_ns;

std::mutex g_mutex;
std::map<uint32_t, Recorded> g_clients;

using Ioctl = int (*)(int, unsigned long, ...);
Ioctl next() {
    static const auto found = reinterpret_cast<Ioctl>(dlsym(RTLD_NEXT, "ioctl"));
    return found;
}

uint32_t engine_of(const NVOS21_PARAMETERS& made) {
    NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS group{};
    if (made.pAllocParms == 0) return 0;
    memcpy(&group, reinterpret_cast<const void*>(static_cast<uintptr_t>(made.pAllocParms)), sizeof group);
    return group.engineType;
}

void note(int file, const NVOS21_PARAMETERS& made) {
    const std::lock_guard lock(g_mutex);
    if (is_root_class(made.hClass)) {
        Recorded& fresh = g_clients[made.hObjectNew] = Recorded{};
        fresh.file = file;
        fresh.client = made.hObjectNew;
        fresh.client_ns = now_ns();
        return;
    }
    const auto found = g_clients.find(made.hRoot);
    if (found == g_clients.end()) return;
    Recorded& client = found->second;
    if (made.hClass == NV20_SUBDEVICE_0 && client.subdevice == 0) client.subdevice = made.hObjectNew;
    if (made.hClass == KEPLER_CHANNEL_GROUP_A && client.group == 0 && is_compute_engine(engine_of(made)))
        client.group = made.hObjectNew;
    if (!is_channel_class(made.hClass)) return;
    if (client.first_channel_ns == 0) client.first_channel_ns = now_ns();
    if (made.hObjectParent == client.group) client.channels.push_back(made.hObjectNew);
}

void look_at(int file, unsigned number, size_t bytes, const void* parameters) {
    if (number == NV_ESC_IOCTL_XFER_CMD && bytes == sizeof(nv_ioctl_xfer_t)) {
        nv_ioctl_xfer_t wrapped{};
        memcpy(&wrapped, parameters, sizeof wrapped);
        return look_at(file, wrapped.cmd, wrapped.size,
                       reinterpret_cast<const void*>(static_cast<uintptr_t>(wrapped.ptr)));
    }
    if (number != NV_ESC_RM_ALLOC || parameters == nullptr) return;
    NVOS21_PARAMETERS head{};
    uint32_t status = 1;
    if (bytes == sizeof(NVOS21_PARAMETERS)) {
        memcpy(&head, parameters, sizeof head);
        status = head.status;
    } else if (bytes == sizeof(NVOS64_PARAMETERS)) {
        NVOS64_PARAMETERS full{};
        memcpy(&full, parameters, sizeof full);
        memcpy(&head, &full, offsetof(NVOS21_PARAMETERS, paramsSize));
        status = full.status;
    }
    if (status == NV_OK) note(file, head);
}

template <typename Parameters>
Result call(int file, unsigned number, Parameters& parameters) {
    Result answer;
    const int64_t began = now_ns();
    int result = -1;
    for (int tries = 0; result != 0 && tries < 16; ++tries) {
        result = next()(file, _IOC(_IOC_READ | _IOC_WRITE, NV_IOCTL_MAGIC, number, sizeof parameters), &parameters);
        if (result != 0 && errno != EINTR && errno != EAGAIN) break;
    }
    answer.error = result != 0 ? errno : 0;
    answer.ns = now_ns() - began;
    answer.status = result == 0 ? parameters.status : 0;
    return answer;
}

}  // namespace

Recorded recorded() {
    const std::lock_guard lock(g_mutex);
    for (const auto& [number, client] : g_clients)
        if (!client.channels.empty()) return client;
    return {};
}

Result control(int file, uint32_t client, uint32_t object, uint32_t command, void* parameters, size_t bytes) {
    NVOS54_PARAMETERS request{
        client, object, command, 0, reinterpret_cast<uintptr_t>(parameters), static_cast<uint32_t>(bytes), 0};
    return call(file, NV_ESC_RM_CONTROL, request);
}

Result allocate_client(int file, uint32_t wanted, uint32_t* number) {
    NVOS64_PARAMETERS request{wanted, wanted, wanted, NV01_ROOT_CLIENT, 0, 0, 0, 0, 0};
    const Result answer = call(file, NV_ESC_RM_ALLOC, request);
    *number = request.hObjectNew;
    return answer;
}

Result free_client(int file, uint32_t number) {
    NVOS00_PARAMETERS request{number, 0, number, 0};
    return call(file, NV_ESC_RM_FREE, request);
}

}  // namespace foreign

extern "C" __attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) noexcept {
    va_list list;
    va_start(list, request);
    void* argument = va_arg(list, void*);
    va_end(list);
    const int result = foreign::next()(file, request, argument);
    const int saved = errno;
    if (result == 0 && _IOC_TYPE(request) == xsched::cuda::rm::NV_IOCTL_MAGIC)
        foreign::look_at(file, _IOC_NR(request), _IOC_SIZE(request), argument);
    errno = saved;
    return result;
}
