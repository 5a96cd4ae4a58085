// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Origin
package import SourceURLs
internal import Synchronization

/// Logs each fetch that brought no picture, with its reason: ten lines a second at most, and how many were left out.
///
/// **Isolation:** a `Mutex` around the counts.
package final class FetchLog: Sendable {
    private struct Second {
        var number: Int64 = 0
        var lines = 0
        var leftOut = 0
    }

    private static let linesPerSecond = 10

    private let logger: Logger
    private let second = Mutex(Second())

    /// Takes the process's logger.
    package init(_ logger: Logger) { self.logger = logger }

    /// A fetch that got no answer.
    /// - Parameters:
    ///   - code: the stable code that clients are told.
    ///   - now: seconds since 1970.
    package func note(_ failure: FailedDownload, of source: SourceURL, code: String, now: Int64) {
        guard failure.reason != .cancelled, failure.reason != .overloaded, let leftOut = admit(now) else {
            return
        }
        var facts: Logger.Metadata = ["reason": "\(failure.reason)"]
        if !failure.words.isEmpty { facts["libcurl"] = "\(failure.words)" }
        log(.notice, source, failure.place, code, facts, leftOut)
    }

    /// An answer without a picture.
    package func note(status: Int, from place: SourceURL, of source: SourceURL, code: String, now: Int64) {
        guard let leftOut = admit(now) else { return }
        log(
            (400...499).contains(status) ? .info : .notice, source, place, code, ["status": "\(status)"],
            leftOut)
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

    /// Nil if there were enough lines in this second; otherwise how many were left out before.
    private func admit(_ now: Int64) -> Int? {
        second.withLock { second in
            if second.number != now { second = Second(number: now, leftOut: second.leftOut) }
            guard second.lines < Self.linesPerSecond else {
                second.leftOut += 1
                return nil
            }
            second.lines += 1
            defer { second.leftOut = 0 }
            return second.leftOut
        }
    }
}
