// The vendor's functions that XSched hooks or calls (api/<p>.json; generated at build time). The platform's api.h
// includes this after the vendor's types, which are in namespace xsched::vendor. Any thread.
#pragma once

#define XSCHED_TEXT(text) #text
#define XSCHED_NAME(function) XSCHED_TEXT(function)

namespace xsched::stream {

// declared::cuStreamQuery is the type of that function.
namespace declared {
using namespace vendor;
#define FUNCTION(result, name, ...) using name = result (*)(__VA_ARGS__);
#include "functions.inc"
}  // namespace declared

// The functions that XSched itself calls. A function that the vendor's library lacks is null.
struct Api {
#define NEEDED(name) declared::name name = nullptr;
#define OPTIONAL(name) declared::name name = nullptr;
#include "functions.inc"
};

// Fills `api` with the results of find(name). Returns nullptr if it is complete, otherwise the missing function,
// without which nothing can be scheduled.
template <typename Find>
const char* look_up(Api& api, Find find) {
#define NEEDED(name) api.name = reinterpret_cast<declared::name>(find(#name));
#define OPTIONAL(name) api.name = reinterpret_cast<declared::name>(find(#name));
#include "functions.inc"
#define NEEDED(name) \
    if (api.name == nullptr) return #name;
#include "functions.inc"
    return nullptr;
}

// A result code of the vendor's functions (vendor.h has those that matter).
using Result = int;
inline constexpr Result kSuccess = 0;  // of every vendor's
inline constexpr int kNotCapturing = 0;
inline constexpr int kCaptureModeRelaxed = 2;

}  // namespace xsched::stream
