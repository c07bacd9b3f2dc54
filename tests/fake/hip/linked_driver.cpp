// The CUDA driver's functions where the fake driver is a part of the library: no search, its own symbols.
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
