// JSON for tools and tests, included before everything else. Its templates are compiled once (json.cpp), not by every
// file that uses them.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
