#pragma once

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/core/base/suggest.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

// Reads and writes fields of settings as text: the words of enumerations, and numbers.

namespace warpath::definitions {

/// Holds the words of an enum in the order of its enumerators, which are numbered from 0.
template <class E>
struct Spelling;

/// Gives an enum its words. It stands in the file whose settings have the enum, or here if several
/// do.
#define WARPATH_SPELLING(Enum, ...)                            \
  template <>                                                  \
  struct Spelling<Enum> {                                      \
    static constexpr std::string_view words[] = {__VA_ARGS__}; \
  };

WARPATH_SPELLING(Distance, "3d", "2d", "hops")
WARPATH_SPELLING(Compare, "lt", "le")
WARPATH_SPELLING(Stop, "required", "ignored")

/// Refuses the text of a setting. @throws UsageError
[[noreturn]] inline void reject(std::string_view value, std::string_view accepted,
                                std::string_view question = {}) {
  throw UsageError(fmt::format("'{}' is none of {}{}{}", value, accepted,
                               question.empty() ? "" : "; ", question));
}

/// Reads a number that takes the whole text.
inline std::optional<double> read_number(std::string_view text) {
  double number = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last) return std::nullopt;
  return number;
}

/// Returns the words of an enum with `|` between them.
inline std::string alternatives(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) {
    if (!all.empty()) all.push_back('|');
    all.append(word);
  }
  return all;
}

/// Finds a word, letter case aside, and returns its position. @throws UsageError that lists them
inline std::size_t find_word(std::string_view value, std::span<const std::string_view> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (base::equal_letters(words[i], value)) return i;
  }
  reject(value, alternatives(words), base::did_you_mean(value, words));
}

template <class Settings, class Field>
Settings settings_of(Field Settings::*);
template <class Settings, class Field>
Field type_of(Field Settings::*);

/// Reads and writes a field whose type is an enum. @tparam field pointer to member
template <auto field>
struct WordField {
  using Settings = decltype(settings_of(field));
  using E = decltype(type_of(field));

  static std::string get(const Settings& s) {
    return std::string(Spelling<E>::words[static_cast<std::size_t>(s.*field)]);
  }
  static void set(Settings& s, std::string_view value) {
    s.*field = static_cast<E>(find_word(value, Spelling<E>::words));
  }
  /// Enumerators are numbered from 0, so an invalid value lies beyond the words.
  static bool is_valid(const Settings& s) {
    return static_cast<std::size_t>(s.*field) < std::size(Spelling<E>::words);
  }
};

/// Describes such a field. @tparam Setting a struct with the members of warpath::Setting
template <class Setting, auto field>
Setting make_word_setting(std::string_view name, std::string_view help) {
  using Word = WordField<field>;
  static const std::string values = alternatives(Spelling<typename Word::E>::words);
  return {name, values, values, help, Word::get, Word::set, Word::is_valid};
}

}  // namespace warpath::definitions
