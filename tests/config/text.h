// A configuration of one file, as a text. For tests.
#pragma once

#include <string>

#include "config/configuration.h"

namespace xsched::config {

inline Configuration of_text(const std::string& text, bool is_users = false) {
    Configuration configuration;
    add_file(configuration, {"x.toml", text, is_users});
    return configuration;
}

}  // namespace xsched::config
