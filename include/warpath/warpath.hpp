#pragma once

/// Includes the whole public interface.

#include "warpath/backend.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/device_batch.hpp"
#include "warpath/device_scorer.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"
#include "warpath/evaluate.hpp"
#include "warpath/export.hpp"
#include "warpath/graph.hpp"
#include "warpath/histogram.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/r4r.hpp"
#include "warpath/random_baseline.hpp"
#include "warpath/random_walks.hpp"
#include "warpath/scorer.hpp"
#include "warpath/scores.hpp"
#include "warpath/statistics.hpp"
#include "warpath/version.hpp"
