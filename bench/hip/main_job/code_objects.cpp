#include "code_objects.h"

#ifdef XSCHED_AMD_CODE
extern "C" const char busy_code_gfx90a[];
extern "C" const char busy_code_gfx942[];
#endif

namespace busy {

const std::vector<CodeObject>& code_objects() {
    static const std::vector<CodeObject> all{
#ifdef XSCHED_AMD_CODE
        {"gfx90a", busy_code_gfx90a},
        {"gfx942", busy_code_gfx942},
#endif
    };
    return all;
}

}  // namespace busy
