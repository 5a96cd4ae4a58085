// SPDX-License-Identifier: Apache-2.0

/// Why there is no picture. The daemon turns it into a status.
package struct PipelineFailure: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case origin(OriginFailure)
        /// The origin answered, and not with a picture; `retryAfter` in seconds, where it gave one.
        case originStatus(Int, retryAfter: Int?)
        case decode(DecodeFailure)
        /// Its origin is left alone for now: it failed again and again, or asked for a pause.
        case originResting(OriginRest)
        /// Too much is waiting here already; `retryAfter` in seconds, from the queue as it stood.
        case overloaded(retryAfter: Int)
        /// Strangers had `limit` renditions made of the original within the hour; one more in `retryAfter` seconds.
        case tooManyRenditions(limit: Int, retryAfter: Int)
        /// For this asker enough was made of late; `retryAfter` in seconds.
        case throttled(retryAfter: Int)
        /// The machine failed us: no process, no file, or what was kept vanished again and again while it was used.
        case unavailable
        /// The request wanted nothing fetched (`only-if-cached`), and what it wants is not held.
        case notHeld
        /// The asker left, or the house is closing.
        case cancelled
    }

    package var reason: Reason
    /// Seconds for which the same question gets the same answer without anybody being asked; 0: not remembered.
    package var rememberedFor: Int
    /// Nobody was asked this time.
    package var isFromMemory: Bool

    package init(_ reason: Reason, rememberedFor: Int = 0, isFromMemory: Bool = false) {
        self.reason = reason
        self.rememberedFor = rememberedFor
        self.isFromMemory = isFromMemory
    }

    /// An adapter that is out of slots or was told to stop says the same as the pipeline itself.
    init(origin failure: OriginFailure) {
        switch failure {
        case .overloaded(let retryAfter): self.init(.overloaded(retryAfter: retryAfter))
        case .unavailable: self.init(.unavailable)
        case .cancelled: self.init(.cancelled)
        default: self.init(.origin(failure))
        }
    }

    init(decode failure: DecodeFailure) {
        switch failure {
        case .overloaded(let retryAfter): self.init(.overloaded(retryAfter: retryAfter))
        case .unavailable: self.init(.unavailable)
        case .cancelled: self.init(.cancelled)
        default: self.init(.decode(failure))
        }
    }

    package static let cancelled = PipelineFailure(.cancelled)

    package static func overloaded(retryAfter: Int) -> PipelineFailure {
        PipelineFailure(.overloaded(retryAfter: retryAfter))
    }

    package var outcome: Outcome { isFromMemory ? .negative : .refused }
}
