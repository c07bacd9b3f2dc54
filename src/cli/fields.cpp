#include "cli/fields.h"

#include <cstring>

namespace xsched::cli {
namespace {

// The states and their meanings, for the help of the field that has them.
constexpr const char* kStatesHelp =
#define XSCHED_STATE(name, word, tone, help) word ": " help "; "
#include "base/states.def"
#undef XSCHED_STATE
    "of a program: of all its queues together";

constexpr Field kFields[] = {
#define XSCHED_FIELD(key, heading, unit, where, help) {#key, heading, unit, where, help},
#include "cli/fields.def"
#undef XSCHED_FIELD
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

struct Place {
    char letter;
    const char* name;
};
constexpr Place kPlaces[] = {{'l', "list"},       {'p', "programs"},    {'s', "status"},   {'t', "top"},
                             {'h', "held, cost"}, {'b', "by, victims"}, {'d', "devices"},  {'u', "devices of top"},
                             {'n', "lengths"},    {'e', "explain"},     {'m', "promises"}, {'k', "known"},
                             {'w', "work"}};

}  // namespace

std::string places_of(const Field& field) {
    std::string text;
    for (const Place& place : kPlaces)
        if (strchr(field.where, place.letter) != nullptr) text += (text.empty() ? "" : ", ") + std::string(place.name);
    return text;
}

const Field* fields() { return kFields; }

const Field* field_of(const std::string& key) {
    for (const Field* field = kFields; field->key != nullptr; ++field)
        if (key == field->key) return field;
    return nullptr;
}

std::string heading_of(const char* key) {
    const Field* field = field_of(key);
    return field != nullptr ? field->heading : key;
}

}  // namespace xsched::cli
