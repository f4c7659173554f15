// SPDX-License-Identifier: Apache-2.0
#include "rondo/report/page.hpp"

#include "rondo/base/escape.hpp"

// kPackedScript (gzip, in base64), kLoader, kStyle, and the hashes of what they are; empty without
// a page.
#include "report/page_parts.inc"

#include <zlib.h>

namespace rondo::report {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63U];
  }
  return text;
}

// zlib's own header of gzip holds no time and no name, so that equal input gives equal bytes.
Result<std::string> compressed(std::string_view bytes) {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return fail(ErrorCode::kIo, "cannot compress the page's data");
  std::string result(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return fail(ErrorCode::kIo, "cannot compress the page's data");
  return result;
}

std::string policy() {
  return "default-src 'none'; script-src 'sha256-" + std::string(kLoaderHash) + "' 'sha256-" +
         std::string(kScriptHash) + "'; style-src 'sha256-" + std::string(kStyleHash) +
         "'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'";
}

} // namespace

bool is_available() { return !kPackedScript.empty(); }

Result<std::string> report_page(std::string_view title, std::string_view document) {
  if (!is_available())
    return fail(
        ErrorCode::kUnsupported,
        "this build of rondo has no report: when it was configured, node, npm or esbuild was "
        "missing, or npm could not fetch its modules (cmake says which); build it again");
  constexpr std::size_t kMost = std::size_t{1} << 31; // what zlib takes at once, and any browser
  if (document.size() > kMost)
    return fail(ErrorCode::kUnsupported, "the report would be too large");
  const auto data = compressed(document);
  if (!data) return propagate(data);
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                     policy() +
                     "\">\n<meta name=\"viewport\" content=\"width=device-width, "
                     "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<title>" +
                     escape::xml(title) + "</title>\n<style>";
  page += kStyle;
  page += "</style>\n</head>\n<body>\n<div id=\"page\"><noscript>This page draws itself: it needs "
          "JavaScript, which its browser has switched off.</noscript></div>\n"
          "<script type=\"text/plain\" id=\"data\">";
  page += base64(*data);
  page += "</script>\n<script type=\"text/plain\" id=\"program\">";
  page += kPackedScript;
  page += "</script>\n<script>";
  page += kLoader;
  return page + "</script>\n</body>\n</html>\n";
}

} // namespace rondo::report
