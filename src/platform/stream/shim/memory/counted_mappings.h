// Counts the mappings of physical memory that the driver has made for the program (cuMemCreate, cuMemMap): such memory
// counts until its last handle is released and its last mapping is gone (memory_account.h). Memory that moves has a
// table of its own (mapping_table.h). Any thread. No lock is held while the driver is called.
#pragma once

#include "base/no_copies.h"
#include "platform/stream/shim/memory/memory_account.h"

namespace xsched::stream::memory {

struct CountedMapping;

// A mapping that is being made. It is given up at the end, unless it is kept.
class NewMapping : base::NoCopies {
public:
    NewMapping(Address begin, size_t bytes, Handle handle);
    ~NewMapping();
    void keep();

private:
    CountedMapping* mapping_;
};

// The mappings in a range that is being unmapped. They are gone at the end, unless the call failed.
class EndingMappings : base::NoCopies {
public:
    EndingMappings(Address begin, size_t bytes);
    ~EndingMappings();
    void stay() { stay_ = true; }

private:
    CountedMapping* first_;
    bool stay_ = false;
};

}  // namespace xsched::stream::memory
