// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Origin
package import SourceURLs

/// Logs each fetch that brought no picture, with its reason: ten lines a second at most of each kind, and how many were left out.
///
/// **Isolation:** the logger and the limits guard themselves.
package final class FetchLog: Sendable {
    private let logger: Logger
    /// For answers 4xx, which `log.level` may leave out. Their limit is their own, so that clients who ask for missing pictures do
    /// not hide that an origin is ill.
    private let refusals = LogRateLimit(linesPerSecond: 10)
    /// For all others.
    private let failures = LogRateLimit(linesPerSecond: 10)

    /// Takes the process's logger.
    package init(_ logger: Logger) { self.logger = logger }

    /// A fetch that got no answer.
    /// - Parameters:
    ///   - code: the stable code that clients are told.
    ///   - now: seconds since 1970.
    package func note(_ failure: FailedDownload, of source: SourceURL, code: String, now: Int64) {
        guard failure.reason != .cancelled, failure.reason != .overloaded, let leftOut = failures.admit(now)
        else {
            return
        }
        var facts: Logger.Metadata = ["reason": "\(failure.reason)"]
        let teller = source.scheme == .file ? "system" : "libcurl"
        if !failure.words.isEmpty { facts[teller] = "\(failure.words)" }
        log(.notice, source, failure.place, code, facts, leftOut)
    }

    /// An answer without a picture; `words` tell more than its status, or are empty.
    package func note(
        status: Int, from place: SourceURL, of source: SourceURL, code: String, words: String = "", now: Int64
    ) {
        let isRefusal = (400...499).contains(status)
        guard let leftOut = (isRefusal ? refusals : failures).admit(now) else { return }
        var facts: Logger.Metadata = ["status": "\(status)"]
        if !words.isEmpty { facts["why"] = "\(words)" }
        log(isRefusal ? .info : .notice, source, place, code, facts, leftOut)
    }

    private func log(
        _ level: Logger.Level, _ source: SourceURL, _ place: SourceURL?, _ code: String,
        _ facts: Logger.Metadata, _ leftOut: Int
    ) {
        var metadata = facts
        metadata["source"] = "\(source.absolute)"
        metadata["error"] = "\(code)"
        // After a redirect.
        if let place, place != source { metadata["at"] = "\(place.absolute)" }
        if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
        logger.log(level: level, "no picture was fetched", metadata: metadata)
    }
}
