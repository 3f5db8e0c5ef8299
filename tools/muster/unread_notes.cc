// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/unread_notes.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/profile/profile.h"
#include "tools/muster/command.h"
#include "tools/muster/unread_fields.h"

namespace muster {
namespace {

struct Note {
  UnreadField field;
  std::vector<std::string> profiles;
};

}  // namespace

void NoteUnreadFields(const Tables& tables, const std::vector<std::string>& profiles,
                      const Extensions* extensions) {
  if (extensions != nullptr) return;
  std::vector<Note> notes;
  for (const std::string& profile : profiles) {
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile);
    if (!config.ok()) continue;  // the caller refuses it
    for (const UnreadField& field : UnreadFields(tables, *config)) {
      const auto of_field = [&](const Note& note) { return note.field.words == field.words; };
      auto note = std::find_if(notes.begin(), notes.end(), of_field);
      if (note == notes.end()) note = notes.insert(note, {field, {}});
      note->profiles.push_back(profile);
    }
  }
  for (const Note& note : notes) {
    Complain(absl::StrCat(ToAbsl(note.field.words), " (", note.field.rows,
                          note.field.rows == 1 ? " row" : " rows", "): not read by ",
                          absl::StrJoin(note.profiles, ", ")));
  }
}

}  // namespace muster
