// Initialization of the fake HSA runtime, and its agents: one for each device.
#include <mutex>

#include "fake/hsa/runtime.h"

using namespace fake::hsa;

extern "C" {

hsa_status_t hsa_init() {
    static std::once_flag once;
    std::call_once(once, hand_out_table);
    return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_shut_down() { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data), void* data) {
    for (uint64_t i = 1; i <= kAgents; ++i)
        if (const hsa_status_t status = callback({i}, data); status != HSA_STATUS_SUCCESS) return status;
    return HSA_STATUS_SUCCESS;
}
// Facts about an agent: each one is a GPU with the PCI address of the HIP stand-in's device.
hsa_status_t hsa_agent_get_info(hsa_agent_t agent, int attribute, void* value) {
    uint32_t answer = 0;
    switch (attribute) {
        case HSA_AGENT_INFO_DEVICE: answer = HSA_DEVICE_TYPE_GPU; break;
        case HSA_AMD_AGENT_INFO_BDFID: answer = static_cast<uint32_t>(0x40 + agent.handle - 1) << 8; break;
        case HSA_AMD_AGENT_INFO_DOMAIN: break;
        default: return 0x1001;
    }
    *static_cast<uint32_t*>(value) = answer;
    return HSA_STATUS_SUCCESS;
}
}
