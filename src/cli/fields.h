// The facts that tools tell of queues and programs: names, headings, units, meanings (fields.def). Any thread.
#pragma once

#include <string>

namespace xsched::cli {

struct Field {
    const char* key;
    const char* heading;
    const char* unit;
    const char* where;
    const char* help;
};

// In the order of the table, ended by a null key.
const Field* fields();
// For console::Table: ">PRIO". The key is one of the table.
std::string heading_of(const char* key);
// "list, programs"
std::string places_of(const Field& field);

}  // namespace xsched::cli
