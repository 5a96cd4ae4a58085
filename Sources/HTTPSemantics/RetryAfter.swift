// SPDX-License-Identifier: Apache-2.0

/// `Retry-After` (RFC 9110 §10.2.3): the pause that an origin asks for.
package enum RetryAfter {
    /// Seconds from `now`, 0…`limit`; nil for text that is neither a number of seconds nor a date.
    package static func seconds(_ text: String, now: Timestamp, limit: Int) -> Int? {
        let digits: Int? = text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes.trimmed)
            guard let seconds = scanner.decimal(), scanner.isAtEnd else { return nil }
            return seconds
        }
        if let digits { return min(digits, limit) }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return min(max(Int(date.seconds - now.seconds), 0), limit)
    }
}
