#include "platform/levelzero/shim/capture.h"

namespace xsched::levelzero {

constinit std::atomic<bool> g_recorded{false};

bool asks_whether_it_records(ze_command_list_handle_t list) {
    const auto ask = below<kEntry_zeCommandListIsGraphCaptureEnabledExt>();
    return ask != nullptr && ask(list) == ZE_RESULT_QUERY_TRUE;
}

}  // namespace xsched::levelzero
