#include "models/shipped_data.hpp"

#include <cstdlib>
#include <system_error>

namespace orrery {
namespace {

std::filesystem::path find_root() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("ORRERY_DATA"); chosen != nullptr && *chosen != '\0') {
    return chosen;
  }
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = binary.parent_path().parent_path() / "share" / "orrery";
    if (fs::is_directory(installed, error)) return installed;
  }
  return ORRERY_SOURCE_ROOT;
}

}  // namespace

const std::filesystem::path& shipped_data_root() {
  static const std::filesystem::path root = find_root();
  return root;
}

std::filesystem::path shipped_data(std::string_view relative) {
  return shipped_data_root() / relative;
}

}  // namespace orrery
