#include "analysis/store/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "analysis/store/sqlite.hpp"

namespace orrery::analysis::detail {
namespace {

[[noreturn]] void fail(const std::string& folder, const char* what) {
  throw StoreFailure(fmt::format("{}: cannot {} the file that holds the rows of the run: {}",
                                 folder, what, std::strerror(errno)),
                     SQLITE_FULL);
}

// An unnamed file in `folder`; file systems without O_TMPFILE get a name that is removed at once.
int unnamed_file(const std::string& folder) {
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
  std::string name = folder + "/.orrery-rows-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ByteSpool::ByteSpool(std::string folder, std::size_t memory_bytes)
    : folder_(std::move(folder)), memory_bytes_(memory_bytes) {}

void ByteSpool::append(const void* bytes, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(bytes);
  buffer_.insert(buffer_.end(), first, first + size);
  if (buffer_.size() >= memory_bytes_) spill();
}

void ByteSpool::spill() {
  if (file_ == nullptr) {
    const int descriptor = unnamed_file(folder_);
    if (descriptor < 0) fail(folder_, "create");
    file_.reset(::fdopen(descriptor, "w+b"));
    if (file_ == nullptr) {
      ::close(descriptor);
      fail(folder_, "open");
    }
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) {
    fail(folder_, "write");
  }
  written_ += buffer_.size();
  buffer_.clear();
}

void ByteSpool::read(std::size_t unit,
                     const std::function<void(std::span<const std::byte>)>& consume) {
  if (file_ != nullptr) {
    std::rewind(file_.get());
    const std::size_t piece_bytes = std::max<std::size_t>(1, (std::size_t{1} << 20) / unit) * unit;
    std::vector<std::byte> piece(piece_bytes);
    for (std::size_t left = written_; left > 0;) {
      const std::size_t size = std::min(left, piece.size());
      if (std::fread(piece.data(), 1, size, file_.get()) != size) fail(folder_, "read");
      consume(std::span<const std::byte>(piece.data(), size));
      left -= size;
    }
  }
  consume(buffer_);
}

}  // namespace orrery::analysis::detail
