// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Origin
package import SourceURLs

/// Logs each fetch that brought no picture, with the reason. Each of two kinds has at most ten lines per second; a line says how
/// many were left out before it.
///
/// **Isolation:** the logger and the limits are safe to share.
package final class FetchLog: Sendable {
    private let logger: Logger
    /// The limit for answers with a status 4xx, which `log.level` may exclude. It is separate, so that clients who ask for missing
    /// pictures do not hide the trouble of an origin.
    private let refusals = LogRateLimit(linesPerSecond: 10)
    /// The limit for all other failures.
    private let failures = LogRateLimit(linesPerSecond: 10)

    package init(_ logger: Logger) { self.logger = logger }

    /// Logs a fetch that got no answer.
    /// - Parameters:
    ///   - code: the stable code that the client's answer has.
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

    /// Logs an answer without a picture; `words` say more than the status, or are empty.
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
        // The URL after redirects.
        if let place, place != source { metadata["at"] = "\(place.absolute)" }
        if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
        logger.log(level: level, "no picture was fetched", metadata: metadata)
    }
}
