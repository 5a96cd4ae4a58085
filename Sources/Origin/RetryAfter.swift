// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import HTTPSemantics

/// `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// A day: longer is a mistake or an attempt to be forgotten.
    private static let longest = 86_400

    /// Seconds from `now`, or nil for what cannot be read.
    static func seconds(_ value: String?, now: Timestamp) -> Int? {
        guard let value, !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(Int(value) ?? longest, longest)
        }
        // curl_getdate(3) reads the three forms of RFC 9110 §5.6.7 and gives -1 for what is no date.
        let date = Int64(curl_getdate(value, nil))
        return date < 0 ? nil : Int(min(max(date - now.seconds, 0), Int64(longest)))
    }
}
