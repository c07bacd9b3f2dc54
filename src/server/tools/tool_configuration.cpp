// Commands about the configuration.
#include "server/tools/tool_commands.h"

namespace xsched::server {

// Returns the server's own settings with their sources; a source is left out for a default. Limits are shown by
// show_limits, to those whom they concern.
Json show_configuration(const Request& request) {
    Json settings = Json::object();
    for (const config::Setting& setting : config::settings()) {
        if (setting.table != "server") continue;
        const config::Value value = request.host.options.configuration.value(setting);
        settings[setting.name()] = {{"value", value.text}};
        if (!value.source.empty()) settings[setting.name()]["source"] = value.source;
    }
    return {{"settings", std::move(settings)}};
}

}  // namespace xsched::server
