// A policy's finding about a unit, for people: a sentence of note.def with two numbers in it. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xsched::policy {

enum class NoteCode : uint32_t {
    kNone = 0,
#define XSCHED_NOTE(name, number, warns, first, second, sentence) name = number,
#include "policy/note.def"
#undef XSCHED_NOTE
};

struct Note {
    NoteCode code = NoteCode::kNone;
    int64_t first = 0;
    int64_t second = 0;

    bool operator==(const Note&) const = default;
    // Returns whether it says the same as another note, apart from the numbers: then it is not worth telling again.
    bool is_about(const Note& other) const {
        const auto about = [](int64_t a, int64_t b) { return (a > b ? a - b : b - a) <= (a > b ? a : b) / 8; };
        return code == other.code && about(first, other.first) && about(second, other.second);
    }
};

// Returns whether the note is worth a line in the log when it appears.
bool note_warns(NoteCode code);
// Writes the note's sentence to `text`, ended by a zero; an empty one for kNone and for codes of another version.
// Returns `text`.
const char* write_note(const Note& note, char* text, size_t size);

}  // namespace xsched::policy
