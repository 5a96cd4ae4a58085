// SPDX-License-Identifier: Apache-2.0

/// The decision on a request for a rendition, with its reason, once its original may be used; the only place
/// that decides this.
struct RenditionDecision: Sendable, Hashable {
    enum Step: Sendable, Hashable {
        /// The rendition is held at this level.
        case serve(CacheLevel)
        /// Wait for the in-flight request that makes the rendition.
        case join
        case render
        case refuse(PipelineFailure)
    }

    enum Reason: Sendable, Hashable {
        case isHeld
        case isBeingMade
        case isNotHeld
        /// No such picture may be made of this original, whichever client asks.
        case cannotBeMade
        /// Making it failed recently, which is remembered.
        case hasFailed
        /// The original's renditions of this hour are used up.
        case quotaIsSpent
        /// Too many jobs wait already.
        case isOverloaded
    }

    /// The inputs of the decision at one moment, for a rendition that is not held.
    struct Inputs: Sendable {
        /// The remembered failure to make it; nil for none.
        var failure: PipelineFailure?
        /// The refusal of a client that has used up its renditions of this original; nil for none.
        var quota: PipelineFailure?
        var isInFlight = false
        /// The refusal that a new job is certain to get; nil for none.
        var overload: PipelineFailure?
    }

    var step: Step
    var reason: Reason

    private init(_ step: Step, _ reason: Reason) {
        self.step = step
        self.reason = reason
    }

    /// The decision if the rendition can never be made of this original.
    init(refusing failure: DecodeFailure) {
        self.init(.refuse(PipelineFailure(decode: failure)), .cannotBeMade)
    }

    /// - Parameters:
    ///   - level: where it is held; nil if it is not held.
    ///   - inputs: looked up only if the rendition is not held.
    init(heldIn level: CacheLevel?, _ inputs: () -> Inputs) {
        if let level {
            self.init(.serve(level), .isHeld)
            return
        }
        let inputs = inputs()
        if let failure = inputs.failure {
            self.init(.refuse(failure), .hasFailed)
        } else if let quota = inputs.quota {
            self.init(.refuse(quota), .quotaIsSpent)
        } else if inputs.isInFlight {
            self.init(.join, .isBeingMade)
        } else if let overload = inputs.overload {
            self.init(.refuse(overload), .isOverloaded)
        } else {
            self.init(.render, .isNotHeld)
        }
    }
}
