// Functions of a vendor's library that this version does not know: those of a newer driver (api/<p>.json).
#pragma once

#include <string_view>

namespace xsched::base {

// Returns whether a function seems, by its name, to put work into a stream or queue. All scheduled functions of the
// tables have such names. Pure.
constexpr bool looks_like_work(std::string_view name) {
    constexpr std::string_view kWork[] = {
        "Async",        "Launch",       "Enqueue",         "Capture",        "capture",     "Memcpy",
        "Memset",       "memcpy",       "memset",          "StreamWait",     "StreamWrite", "StreamAdd",
        "MemOp",        "RecordEvent",  "EventRecord",     "WaitEvent",      "GraphicsMap", "GraphicsUnmap",
        "GraphUpload",  "ListAppend",   "ImmediateAppend", "ExecuteCommand", "opExec",      "AndExecute",
        "mdlExecute",   "ModelExecute", "RIExecute",       "ValueWait",      "ValueWrite",  "RecordNotify",
        "NotifyRecord", "NotifyWait",   "ResetNotify"};
    constexpr std::string_view kNone[] = {"Node", "CaptureInfo", "CaptureDependencies", "CaptureMode", "Notification"};
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    for (const std::string_view part : kNone)
        if (has(part)) return false;
    for (const std::string_view part : kWork)
        if (has(part)) return true;
    return false;
}

// Notes that a program asked the driver for a function that this version does not know (and got it). A WARN line tells
// the first function whose name looks like work. Runtimes ask for all functions that they may need, so the others are
// told at DEBG. Any thread; no lock.
void tell_new_function(const char* name);

}  // namespace xsched::base
