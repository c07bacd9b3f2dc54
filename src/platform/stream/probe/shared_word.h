// A word that the device waits on, in memory that two processes share and that is registered with the runtime, as
// XSched's gates are.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "calls.h"

namespace xsched::probe {

class SharedWord {
public:
    static constexpr size_t kBytes = 4096;

    // Registers the word; code() is the runtime's answer.
    SharedWord() {
        const int file = memfd_create("xsched-probe", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, kBytes) != 0) throw std::runtime_error(strerror(errno));
        void* pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (pages == MAP_FAILED) throw std::runtime_error(strerror(errno));
        word_ = static_cast<std::atomic<uint32_t>*>(pages);
        code_ = vendor::register_pages(pages, kBytes, &for_device_);
    }
    int code() const { return code_; }
    vendor::Word for_device() const { return for_device_; }
    void store(uint32_t value) { word_->store(value, std::memory_order_release); }
    uint32_t load() const { return word_->load(std::memory_order_acquire); }

private:
    std::atomic<uint32_t>* word_ = nullptr;  // never unmapped: the device may wait on it
    vendor::Word for_device_{};
    int code_ = 0;
};

}  // namespace xsched::probe
