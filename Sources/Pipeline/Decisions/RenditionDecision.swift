// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// The decision on a request for a rendition, once its original may be used, and its reason. No other place decides this, as
/// with `OriginalDecision`.
struct RenditionDecision: Sendable, Hashable {
    enum Step: Sendable, Hashable {
        /// Held, in memory (`isInMemory`) or on disk.
        case serve(isInMemory: Bool)
        /// It is being made for another request, and this one waits for that.
        case join
        case render
        case refuse(PipelineFailure)
    }

    enum Reason: Sendable, Hashable {
        case isHeld
        case isBeingMade
        case isNotHeld
        /// No such picture may be made of this original, for any client.
        case cannotBeMade
        /// Making it failed a moment ago.
        case hasFailed
        /// As many renditions of this original were made within the hour as are allowed.
        case quotaIsSpent
        /// Too much is waiting already.
        case isOverloaded
    }

    /// The circumstances of the decision at one moment, where the rendition is not held.
    struct Circumstances: Sendable {
        /// How making it failed, while that is remembered.
        var failure: PipelineFailure?
        /// The refusal of a client that has had too many renditions of this original.
        var quota: PipelineFailure?
        var isInFlight = false
        /// The refusal that a new job is certain to meet.
        var overload: PipelineFailure?
    }

    var step: Step
    var reason: Reason

    private init(_ step: Step, _ reason: Reason) {
        self.step = step
        self.reason = reason
    }

    /// It can never be made of this original.
    init(refusing failure: DecodeFailure) {
        self.init(.refuse(PipelineFailure(decode: failure)), .cannotBeMade)
    }

    /// - Parameters:
    ///   - held: nil: it is not held; else whether it is in memory.
    ///   - circumstances: looked up only where it is not held.
    init(heldInMemory held: Bool?, _ circumstances: () -> Circumstances) {
        if let held {
            self.init(.serve(isInMemory: held), .isHeld)
            return
        }
        let circumstances = circumstances()
        if let failure = circumstances.failure {
            self.init(.refuse(failure), .hasFailed)
        } else if let quota = circumstances.quota {
            self.init(.refuse(quota), .quotaIsSpent)
        } else if circumstances.isInFlight {
            self.init(.join, .isBeingMade)
        } else if let overload = circumstances.overload {
            self.init(.refuse(overload), .isOverloaded)
        } else {
            self.init(.render, .isNotHeld)
        }
    }
}

/// A rendition as it comes out for one original.
struct PlannedRendition: Sendable, Hashable {
    var key: RenditionKey
    /// Its format is definite.
    var recipe: Recipe
    var original: Original
}
