// SPDX-License-Identifier: Apache-2.0

/// For how long failures are answered from memory, in seconds. Short: each is a time for which a repaired origin goes
/// on failing here.
package struct FailureTimes: Sendable, Hashable {
    /// Failures remembered at once.
    package var capacity = 10_000
    /// 404 and 410.
    package var gone = 60
    /// The origin's other refusals, 4xx.
    package var refused = 30
    /// The origin cannot: 5xx and 429, where it gives no `Retry-After`.
    package var failing = 10
    /// `Retry-After` is followed up to here.
    package var longestRetryAfter = 300
    /// No answer that could be read: name, connection, TLS, time, redirects.
    package var unreachable = 10
    /// An answer that is no picture to us: too large, damaged, too many pixels, not an image, switched off.
    package var unusable = 60
    /// A decoder that was too slow.
    package var tooSlow = 60

    package init() {}

    func seconds(for reason: PipelineFailure.Reason) -> Int {
        switch reason {
        case .origin(let failure): seconds(for: failure)
        case .decode(let failure): seconds(for: failure)
        case .overloaded, .unavailable, .cancelled: 0
        }
    }

    private func seconds(for failure: OriginFailure) -> Int {
        switch failure {
        case .status(404, _), .status(410, _): gone
        case .status(429, let retryAfter), .status(500..., let retryAfter):
            min(max(retryAfter ?? failing, 1), longestRetryAfter)
        case .status: refused
        case .nameNotResolved, .cannotConnect, .tls, .timedOut, .brokenReply, .tooManyRedirects: unreachable
        case .tooLarge: unusable
        // Our own policy, which is cheap to ask and may have changed; our own state, which has.
        case .sourceRefused, .overloaded, .cancelled: 0
        }
    }

    private func seconds(for failure: DecodeFailure) -> Int {
        switch failure {
        case .notAnImage, .formatNotAllowed, .damaged, .tooManyPixels, .tooManyFrames, .outputTooLarge: unusable
        case .timedOut: tooSlow
        case .overloaded, .unavailable, .cancelled: 0
        }
    }
}
