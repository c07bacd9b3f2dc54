#include "policy/note.h"

#include <cstdio>

namespace xsched::policy {

namespace {

struct NoteInfo {
    NoteCode code;
    bool warns;
};
constexpr NoteInfo kNotes[] = {
#define XSCHED_NOTE(name, number, warns, sentence) {NoteCode::name, warns},
#include "policy/note.def"
#undef XSCHED_NOTE
};

}  // namespace

bool note_warns(NoteCode code) {
    for (const NoteInfo& note : kNotes)
        if (note.code == code) return note.warns;
    return false;
}

const char* write_note(const Note& note, char* text, size_t size) {
    if (size == 0) return "";
    text[0] = '\0';
    const auto first = static_cast<long long>(note.first);
    const auto second = static_cast<long long>(note.second);
    switch (note.code) {
#define XSCHED_NOTE(name, number, warns, sentence) \
    case NoteCode::name: snprintf(text, size, sentence, first, second); break;
#include "policy/note.def"
#undef XSCHED_NOTE
        default: break;
    }
    return text;
}

}  // namespace xsched::policy
