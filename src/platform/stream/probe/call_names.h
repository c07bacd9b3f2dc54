// The names of the platform's functions that vendor_calls.h needs, beside what benchmark programs know of it
// (vendor.h).
#pragma once

#include "vendor.h"

namespace xsched::probe::vendor {

using namespace busy::vendor;

struct CallNames {
    const char* library;  // as its file's name begins
    const char* launch;
    const char* query;
    const char* write_value;
    const char* copy_out;
    const char* register_memory;
    const char* device_pointer;
    const char* proc_address;
    int proc_version;  // that programs name to it
};

}  // namespace xsched::probe::vendor
