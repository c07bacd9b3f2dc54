// The table of the CUDA driver's functions for the fake HIP runtime, into which the fake driver is linked: it has the
// linked symbols, and no library is searched.
#include "order/cuda/driver.h"

namespace cuda {

const Api& api() {
    static const Api it = [] {
        Api table;
#define FAKE_CUDA_DECLARE(name, ...) table.name = &name;
#include "fake/cuda/cuda_functions.def"
#undef FAKE_CUDA_DECLARE
        return table;
    }();
    return it;
}

}  // namespace cuda
