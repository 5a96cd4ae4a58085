// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics

/// One original in a listing for operators.
package struct ListedOriginal: Sendable, Hashable, Codable {
    /// The original's URL; for a variant, followed by `#` and its digest.
    package var url: String
    /// The digest in 64 hexadecimal digits, which is also the file's name.
    package var digest: String
    /// The length in bytes.
    package var length: Int
    /// The format's name.
    package var format: String
    /// The width in pixels as stored, before the EXIF orientation is applied.
    package var width: Int
    /// The height in pixels as stored.
    package var height: Int
    /// The number of frames or pages.
    package var pages: Int
    /// When the response arrived or was last confirmed, in seconds since 1970.
    package var responseTime: Int64
    /// How many seconds old the response was on arrival.
    package var initialAge: Int
    /// The freshness lifetime in seconds.
    package var lifetime: Int
    /// The last access in seconds since 1970; may be an hour late.
    package var accessed: Int64

    /// Seconds until the original becomes stale by the cache's rules; zero or negative once it is.
    /// - Parameter now: seconds since 1970.
    package func secondsLeft(at now: Int64) -> Int {
        // A damaged index may have any numbers. The cache reads them within these bounds.
        let years = Timestamp.fourDigitYears
        let arrival = min(max(responseTime, years.lowerBound.seconds), years.upperBound.seconds)
        let freshness = Freshness(
            responseTime: Timestamp(seconds: arrival), initialAge: Int32(clamping: max(0, initialAge)),
            lifetime: Int32(clamping: max(0, lifetime)), staleWhileRevalidate: 0, staleIfError: 0, flags: [])
        return freshness.secondsLeft(at: Timestamp(seconds: now))
    }
}
