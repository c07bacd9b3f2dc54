// Parts of the checker's repertoire that a run leaves out or favours (--without, --favour): a fault's cause is found by
// leaving things out. Chosen before the threads start, only read afterwards.
#pragma once

#include <cstdint>
#include <string>

namespace order::cuda {

enum class Part : uint8_t {
    // Operations.
    kAppend,
    kMix,
    kSet,
    kCopy,
    kPeer,
    kWrite,
    kRead,
    kTwoDimensional,
    kHost,
    kSignal,
    kPool,
    kPoll,
    kElapsed,
    kSynchronize,
    kStreams,
    kMemory,
    kCapture,
    kGraphs,
    // Variants in which operations are made. They can be left out by an option, but not favoured.
    kUpdate,  // of graphs
    kSynchronous,  // calls that name no stream
    kPinned,
    kPageable,
    kLegacy,
    kPerThread,
    kBlocking,
    kNonBlocking,
    kOwn,  // streams; own: those that a worker also captures
    kSecond,  // context
    // Ways in which one access to a buffer is ordered behind the one before.
    kImplicit,
    kYoung /* the former, where the stream is younger than the legacy stream's work */,
    kValues,
    kHostWaits,
    kEnd
};

// Reads the names of operations to leave out and to favour, separated by commas. Returns false after an error
// message.
bool choose_parts(const std::string& without, const std::string& favour);
bool left_out(Part part);
bool favoured(Part part);

}  // namespace order::cuda
