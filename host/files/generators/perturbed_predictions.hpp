#pragma once

#include <cstdint>
#include <string>

#include "host/files/evaluation/inputs.hpp"
#include "warpath/perturbations.hpp"

namespace warpath::generators {

/// Holds the perturbed references of a dataset.
struct PerturbedPredictions {
  std::string text;             ///< of a submission
  std::uint64_t perturbed = 0;  ///< items in it
  std::uint64_t broken = 0;     ///< of these, paths with a step that is no edge
  std::uint64_t without = 0;    ///< items whose path admits no perturbation; they are left out
};

/// Perturbs the reference of each item. Item i of the file is number i of `perturb`, so that the
/// instructions of one path get different draws.
/// @throws InputError that names the item if a reference cannot be used, and if no path admits the
///   perturbation.
PerturbedPredictions perturbed_predictions(Perturbation perturbation, std::uint64_t seed,
                                           evaluation::Inputs& inputs);

}  // namespace warpath::generators
