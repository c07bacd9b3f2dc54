// The templates that precompiled/json.h declares.
#include <nlohmann/json.hpp>

template class nlohmann::basic_json<>;
template class nlohmann::detail::serializer<nlohmann::json>;
