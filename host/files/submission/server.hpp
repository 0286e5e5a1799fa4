#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/submission/findings.hpp"
#include "warpath/convention.hpp"

namespace warpath::submission {

/// Holds a submission in the server's form, repaired as far as the agent's path is known.
struct FixedSubmission {
  std::string text;
  std::uint64_t entries = 0;
  /// Viewpoints inserted into gaps. PL, NE, SR and SPL are then those of every evaluator that
  /// accepts gaps; metrics of the viewpoints passed, such as OSR and nDTW, include the inserted
  /// ones.
  std::uint64_t filled = 0;
  std::uint64_t left_out = 0;      ///< entries whose path is empty or cannot be read
  std::uint64_t nulls = 0;         ///< numbers that are not finite and became null
  std::vector<Finding> remaining;  ///< problems that remain
};

/// Holds predictions in the form that a server takes.
struct Conversion {
  std::string text;
  std::uint64_t entries = 0;
  std::vector<std::string> notes{};  ///< what was changed, added or left out
};

/// Describes the server of a task, or the script that it runs: what it takes and what it makes of
/// it.
struct Server {
  /// The problems that it knows, in the order of reports.
  std::span<const ProblemInfo> problems;
  /// Says by which rules it judges; empty: Task::server_note does.
  std::string_view note{};
  bool takes_positions = false;

  /// Finds every problem of an agent's file. Judges only what the server would read.
  /// @pre the inputs were read with documents and without `merge`, since a submission is one file.
  /// @throws InputError
  std::vector<Finding> (*check)(const Server& server, evaluation::Inputs& inputs,
                                std::size_t agent);
  /// Repairs a submission; null: cannot_fix says why not. @pre as for `check`
  FixedSubmission (*fix)(const Server& server, evaluation::Inputs& inputs,
                         std::size_t agent) = nullptr;
  std::string_view cannot_fix{};

  // What warpath convert writes for it.
  std::string_view form{};   ///< its name for --to; empty: nothing
  std::string_view help{};   ///< describes the form in a few words
  std::string_view title{};  ///< of what is written, for reports
  bool says_stops = false;   ///< the form says where an agent stops
  /// Writes predictions in this form.
  /// @param dataset whose ids are written where it has them; null: none
  /// @param assumes_stop a path that says nothing of stops ends with one
  /// @pre the predictions keep their document
  /// @throws InputError if a path or an id cannot be written, or an id is there twice
  Conversion (*convert)(const Server& server, const formats::Predictions& predictions,
                        const formats::Dataset* dataset, bool assumes_stop) = nullptr;

  // Of servers that take lists of viewpoints.
  std::string_view wants_object{};  ///< what entries without an object lack; empty: nothing
  bool allows_jumps = false;        ///< takes the shortest path for a step without an edge
  Instructions instructions = Instructions::all;  ///< of a path, that it scores
};

/// Returns the server by whose rules submissions for a dataset are judged.
const Server& server_of(const formats::Dataset& dataset);

/// Returns the servers of all tasks that warpath convert writes for.
std::vector<const Server*> servers_with_form();

/// Returns how a server takes a problem. @pre it knows the problem
const ProblemInfo& info(const Server& server, Problem problem);

/// Writes paths of viewpoints as a list of {instr_id, trajectory: [[viewpoint, heading, elevation],
/// …]}, with predObjId where the server wants objects; see Server::convert. Every entry keeps its
/// other keys, its path and its place; angles that are not given are 0.
Conversion convert_viewpoints(const Server& server, const formats::Predictions& predictions,
                              const formats::Dataset* dataset, bool assumes_stop);

}  // namespace warpath::submission
