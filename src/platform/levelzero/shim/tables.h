// Level Zero's tables of functions, which the static loader asks libze_loader.so.1 for. Each of the loader's functions
// that fills a table in gets a twin here, whose tables have our hooks in them. Any thread.
#pragma once

#include <string_view>

namespace xsched::levelzero {

// Returns our twin of the loader's function of that name; nullptr: the table has nothing that we hook or call.
const void* table_function_named(std::string_view name);

}  // namespace xsched::levelzero
