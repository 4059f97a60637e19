#pragma once
// Public collections of kernel measurements, read into profiles.

#include <filesystem>
#include <string>

#include "models/cost/profile.hpp"
#include "models/result.hpp"

namespace orrery::calibration {

/// A device folder of aiconfigurator's operator tables (gemm, context_attention, ... as .csv or
/// .csv.zst). Rows that hold no positive number are left out. Of several kernels for one key the
/// fastest is kept.
Result<models::Profile> import_aiconfigurator(const std::filesystem::path& folder,
                                              const models::ProfileHeader& header);

/// A folder of LLMServingSim's layer tables of one model at one tensor-parallel degree (dense.csv,
/// per_sequence.csv, attention.csv, skew.csv, moe.csv).
Result<models::Profile> import_llmservingsim(const std::filesystem::path& folder,
                                             const models::ProfileHeader& header);

}  // namespace orrery::calibration
