// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fuzzer's targets without the fuzzer: each file of tests/fuzz/corpus once and inputs drawn at
// random (draws.h), in the ordinary build; and that the targets reach all that the registries have.
//
//   MUSTER_DRAWS=100000 build/release/tests/muster_fuzz_test --gtest_filter='*Draws*'   for longer
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lib/import/import.h"
#include "lib/profile/profile.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/draws.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/target.h"

namespace muster::fuzz {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> Corpus(std::string_view target) {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path("tests/fuzz/corpus") / target;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

class Targets : public ::testing::TestWithParam<FuzzTarget> {};

// A promise that is broken ends the process, and the sanitizers' builds have more to say.
TEST_P(Targets, TakeTheirCorpus) {
  const std::vector<std::filesystem::path> files = Corpus(GetParam().name);
  EXPECT_GE(files.size(), 3u) << "tests/fuzz/corpus/" << GetParam().name;
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file);
    GetParam().run(Contents(file));
  }
}

std::vector<std::string> Words() {
  std::vector<std::string> words;
  std::ifstream file("tests/fuzz/words.dict");
  for (std::string line; std::getline(file, line);) {
    if (line.size() > 2 && line.front() == '"') words.push_back(line.substr(1, line.size() - 2));
  }
  return words;
}

// An input that ends the process stays in the file that the message names.
TEST_P(Targets, TakeDraws) {
  const char* asked = std::getenv("MUSTER_DRAWS");
  const int64_t count = asked == nullptr ? 400 : std::atoll(asked);
  std::vector<std::string> files;
  for (const std::filesystem::path& file : Corpus(GetParam().name)) files.push_back(Contents(file));
  const std::vector<std::string> words = Words();
  ASSERT_FALSE(files.empty()) << "tests/fuzz/corpus/" << GetParam().name;
  ASSERT_FALSE(words.empty()) << "tests/fuzz/words.dict";
  ASSERT_GT(count, 0) << "MUSTER_DRAWS";
  const std::string last = ::testing::TempDir() + "muster_draw_" + std::string(GetParam().name);
  std::cout << "the input that is taken: " << last << std::endl;
  Draws draws(GetParam().name, files, words, /*seed=*/1);
  for (int64_t i = 0; i < count; ++i) {
    const std::string drawn = draws.Next();
    std::ofstream(last, std::ios::binary) << drawn;
    GetParam().run(drawn);
  }
  std::filesystem::remove(last);
}
INSTANTIATE_TEST_SUITE_P(All, Targets, ::testing::ValuesIn(FuzzTargets()),
                         [](const auto& target) { return std::string(target.param.name); });

// The first words of the files of a target.
std::set<std::string> FirstWords(std::string_view target) {
  std::set<std::string> words;
  for (const std::filesystem::path& file : Corpus(target)) {
    const std::string text = Contents(file);
    words.insert(text.substr(0, text.find_first_of(" \n:")));
  }
  return words;
}

TEST(Registries, EveryReaderHasASeed) {
  std::set<std::string> declared, reached;
  for (const char* header : {"include/muster/trace.h", "include/muster/packing.h"}) {
    const std::string source = Contents(header);
    const std::regex declaration("MUSTER_EXPORT absl::StatusOr<\\w+> (Read\\w+)\\(");
    for (std::sregex_iterator it(source.begin(), source.end(), declaration), end; it != end; ++it) {
      declared.insert((*it)[1]);
    }
  }
  for (const std::string_view name : ReaderNames()) reached.insert(std::string(name));
  EXPECT_FALSE(declared.empty());
  EXPECT_EQ(reached, declared) << "the table of tests/fuzz/traces.cc";
  const std::set<std::string> seeds = FirstWords("trace");
  for (const std::string& name : declared) EXPECT_TRUE(seeds.contains(name)) << name;
}

TEST(Registries, EveryImporterHasASeed) {
  const std::set<std::string> seeds = FirstWords("import");
  for (const std::string_view name : ImporterNames()) {
    EXPECT_TRUE(seeds.contains(std::string(name))) << name;
  }
}

// Calls and policies take their profiles from the registries; texts have them as seeds.
TEST(Registries, EveryProfileActionAndPolicyIsReached) {
  std::string drawn, seeds;
  for (const std::string& spec : AllSpecs()) drawn += spec + "\n";
  for (const std::filesystem::path& file : Corpus("spec")) seeds += Contents(file) + "\n";
  for (const Preset& preset : Presets()) {
    const std::string name(preset.name);
    EXPECT_NE(drawn.find(name + "\n"), std::string::npos) << name;
    EXPECT_NE(seeds.find(name), std::string::npos) << name;
    for (const ActionDecl& action : preset.catalogue) {
      const std::string alone = name + ":actions=" + std::string(action.name) + "\n";
      EXPECT_NE(drawn.find(alone), std::string::npos) << alone;
    }
  }
  for (const PolicyDecl& policy : PolicyCatalogue()) {
    EXPECT_NE(drawn.find("+" + std::string(policy.name) + "\n"), std::string::npos) << policy.name;
  }
}

// Every key of the schema of scenarios.
void CollectKeys(const nlohmann::json& schema, std::set<std::string>* keys) {
  if (!schema.is_structured()) return;
  for (const auto& [key, value] : schema.items()) {
    if (key == "properties" && value.is_object()) {
      for (const auto& property : value.items()) keys->insert(property.key());
    }
    CollectKeys(value, keys);
  }
}

TEST(Dictionary, HasEveryKeyOfScenarios) {
  std::set<std::string> keys;
  CollectKeys(nlohmann::json::parse(Contents("docs/scenario.schema.json")), &keys);
  ASSERT_GT(keys.size(), 100u);
  const std::string words = Contents("tests/fuzz/words.dict");
  for (const std::string& key : keys) {
    EXPECT_NE(words.find("\n\"" + key + "\"\n"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace muster::fuzz
