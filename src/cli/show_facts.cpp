// The lists of xcli options and xcli json.
#include "base/did_you_mean.h"
#include "base/options.h"
#include "cli/fields.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "console/table.h"

namespace xsched::cli {

int show_options(bool debug, bool json) {
    console::Table table({debug ? "XSCHED_DEBUG=" : "VARIABLE", "DEFAULT", "MEANING"});
    Json list = Json::array();
    const base::OptionInfo* info = debug ? base::debug_infos() : base::option_infos();
    for (; info->variable != nullptr; ++info) {
        table.add({info->variable, *info->fallback != '\0' ? info->fallback : "-", info->help});
        list.push_back({{"variable", info->variable}, {"default", info->fallback}, {"help", info->help}});
    }
    json ? print(Json{{"ok", true}, {"options", list}}.dump(2) + "\n") : print_text(table.text());
    return 0;
}

int show_fields(const std::string& key, bool json) {
    console::Table table({"KEY", "UNIT", "MEANING"});
    Json list = Json::array();
    std::vector<std::string> keys;
    for (const Field* field = fields(); field->key != nullptr; ++field) {
        keys.emplace_back(field->key);
        if (!key.empty() && key != field->key) continue;
        table.add({field->key, *field->unit != '\0' ? field->unit : "-",
                   std::string(field->help) + " (" + places_of(*field) + ")"});
        list.push_back({{"key", field->key}, {"unit", field->unit}, {"in", places_of(*field)}, {"help", field->help}});
    }
    if (list.empty())
        throw Failure("no key of --json is \"" + key + "\"" + base::meant(keys, key) + ": 'xcli json' lists them all");
    json ? print(Json{{"ok", true}, {"fields", list}}.dump(2) + "\n") : print_text(table.text());
    return 0;
}

}  // namespace xsched::cli
