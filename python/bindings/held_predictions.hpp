#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/files/formats/predictions.hpp"

namespace warpath::python {

/// Predictions of a program, read from its objects.
struct HeldPredictions {
  std::shared_ptr<formats::EarlyPredictions> read;
};

/// Held predictions by the names of the files that they stand in for.
using HeldByName = std::map<std::string, HeldPredictions>;

}  // namespace warpath::python
