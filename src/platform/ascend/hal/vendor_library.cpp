#include "platform/stream/hal/vendor_library.h"

#include "base/log.h"
#include "base/options.h"
#include "host/library_search.h"

namespace xsched::stream {
namespace {

constexpr const char* kName = "libascendcl.so";
constexpr const char* kFolders[] = {"/usr/local/Ascend/ascend-toolkit/latest/lib64", "/usr/local/Ascend/cann/lib64",
                                    nullptr};

}  // namespace

constinit const VendorLibrary kVendorLibrary{"CANN runtime", "XSCHED_ASCEND_LIB",
                                             "libascendcl.so that the process has or the dynamic linker finds",
                                             "those with aclrtCreateEventWithFlag and aclrtSynchronizeEvent"};

// The dynamic linker gives the library that the process has loaded already, if it has one.
void* find_library() {
    void* library = nullptr;
    if (!try_file(kName, &library)) for_each_library_file(kName, kFolders, try_file, &library);
    return library;
}

const char* chosen_library() { return base::options().ascend_lib; }

void say_no_library() {
    XLOG_INFO("CANN is not installed (%s): programs see no Ascend NPU; if there is one, name the library with %s",
              kName, kVendorLibrary.variable);
}

}  // namespace xsched::stream
