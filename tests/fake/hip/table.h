// The table of functions through which exported symbols lead, and which is handed to rocprofiler_set_api_table.
#pragma once

#include <cstdint>

namespace hip_layer {

// The entry of one function in the runtime's table, created when the library is loaded.
class TableEntry {
public:
    TableEntry(const char* name, void* implementation);
    // Returns the function to call: with FAKE_HIP_TABLE=1 the table's entry, which a tool may have changed.
    void* function() const;

private:
    void* const implementation_;
    int place_ = -1;
};

}  // namespace hip_layer
