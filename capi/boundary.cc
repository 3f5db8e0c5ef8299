// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/boundary.h"

#include <charconv>

#include "absl/strings/cord.h"
#include "lib/base/strings.h"

namespace muster::capi {
namespace {

constexpr char kUserPayload[] = "muster/user_code";
constexpr size_t kMessageAt = offsetof(muster_error, message);

// Returns the size of the longest prefix of at most `room` bytes that ends between characters.
size_t CutAt(std::string_view text, size_t room) {
  if (text.size() <= room) return text.size();
  while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xC0) == 0x80) --room;
  return room;
}

}  // namespace

muster_status Fail(muster_status code, int32_t user_code, std::string_view message,
                   muster_error* error) noexcept {
  if (error == nullptr || error->struct_size <= kMessageAt) return code;
  error->code = code;
  error->user_code = user_code;
  error->reserved = 0;
  const size_t room = std::min<size_t>(error->struct_size, sizeof(muster_error)) - kMessageAt - 1;
  const size_t size = CutAt(message, room);
  std::memcpy(error->message, message.data(), size);
  error->message[size] = '\0';
  return code;
}

muster_status Report(const absl::Status& status, muster_error* error) noexcept {
  if (status.ok()) return MUSTER_OK;
  const std::string_view message(status.message().data(), status.message().size());
  if (const auto payload = status.GetPayload(kUserPayload)) {
    const std::string digits(*payload);
    int32_t code = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), code);
    return Fail(MUSTER_E_USER, code, message, error);
  }
  return Fail(-static_cast<int32_t>(status.code()), 0, message, error);
}

absl::Status UserFailure(std::string_view what, int32_t code) {
  absl::Status status = absl::UnknownError(absl::StrCat(ToAbsl(what), ": returned ", code));
  status.SetPayload(kUserPayload, absl::Cord(absl::StrCat(code)));
  return status;
}

absl::StatusOr<std::string_view> TextIn(const char* what, const char* text, int64_t size) {
  if (text == nullptr) return NullArgument(what);
  if (size == MUSTER_TO_NUL) return std::string_view(text);
  if (size < 0) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": size is ", size));
  }
  return std::string_view(text, static_cast<size_t>(size));
}

absl::Status CheckStruct(const char* name, const void* given, uint32_t least, uint32_t known) {
  uint32_t size;
  std::memcpy(&size, given, sizeof(size));
  if (size < least || size > kMostStructBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": struct_size is ", size));
  }
  const char* bytes = static_cast<const char*>(given);
  for (uint32_t i = known; i < size; ++i) {
    if (bytes[i] != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ": byte ", i, " is set, beyond the fields of this version; must be 0"));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadLimits(const muster_limits* given, Limits* out) {
  muster_limits read = MUSTER_LIMITS_INIT;
  if (absl::Status s = ReadStruct("muster_limits", given, &read); !s.ok()) return s;
  for (const auto& [name, value] :
       {std::pair("depth", int64_t{read.depth}), {"rows", read.rows}, {"bytes", read.bytes}}) {
    if (value > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("muster_limits: ", name, " is ", value, "; must be above 0"));
  }
  *out = {.rows = read.rows, .bytes = read.bytes, .depth = read.depth};
  return absl::OkStatus();
}

absl::Status GiveText(const std::shared_ptr<Memory>& memory, std::string_view text,
                      muster_text** out) {
  auto given = std::make_unique<muster_text>(memory);
  given->bytes.assign(text.data(), text.size());
  *out = given.release();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Memory>> MakeMemory(const muster_allocator* allocator) {
  muster_allocator read = MUSTER_ALLOCATOR_INIT;
  if (absl::Status s = ReadStruct("muster_allocator", allocator, &read); !s.ok()) return s;
  if ((read.allocate == nullptr) != (read.release == nullptr)) {
    return absl::InvalidArgumentError(
        "muster_allocator: has one of allocate and release; must have both or none");
  }
  if (read.budget < 0) {
    return absl::InvalidArgumentError("muster_allocator: budget is negative; must be 0 or more");
  }
  return std::make_shared<Memory>(read);
}

}  // namespace muster::capi

const char* muster_text_data(const muster_text* text) {
  return text == nullptr ? "" : text->bytes.c_str();
}
int64_t muster_text_size(const muster_text* text) {
  return text == nullptr ? 0 : static_cast<int64_t>(text->bytes.size());
}
void muster_text_free(muster_text* text) { delete text; }
