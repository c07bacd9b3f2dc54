// The files of the page, compiled in from web/ (cmake/web.cmake). Pure; any thread.
#pragma once

#include <cstddef>

namespace xsched::cli {

struct WebFile {
    const char* path;  // "/page.js"
    const char* type;
    const unsigned char* bytes;
    size_t size;
};
extern const WebFile kWebFiles[];
extern const size_t kWebFileCount;

}  // namespace xsched::cli
