// The facts about queues and programs in tools' output: names, headings, units, meanings (fields.def). Any thread.
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

// Returns all fields in the order of fields.def; a null key ends them.
const Field* fields();
// Returns the field of that key; null: none.
const Field* field_of(const std::string& key);
// Returns the heading for console::Table, such as ">PRIO". The key must be in the table.
std::string heading_of(const char* key);
// "list, programs"
std::string places_of(const Field& field);

}  // namespace xsched::cli
