// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import Traces

/// A failure of the pipeline: why there is no picture.
package struct PipelineFailure: Error, Sendable, Hashable {
    /// The cause. A new case needs its row and its example here.
    package enum Reason: Sendable, Hashable {
        case origin(OriginFailure)
        /// The origin answered without a picture; `retryAfter` in seconds, nil if the origin gave none.
        case originStatus(Int, retryAfter: Int?)
        case decode(DecodeFailure)
        /// The origin rests after repeated failures, or asked for a pause.
        case originResting(OriginRest)
        /// Too many jobs wait here already; `retryAfter` in seconds, by the queue's length.
        case overloaded(retryAfter: Int)
        /// Strangers had `limit` renditions of the original made within the hour; the next one in
        /// `retryAfter` seconds.
        case tooManyRenditions(limit: Int, retryAfter: Int)
        /// The client has had enough new pictures made recently; `retryAfter` in seconds.
        case throttled(retryAfter: Int)
        /// The machine failed.
        case unavailable(Outage)
        /// The request forbade fetching (`only-if-cached`), and its picture is not held.
        case notHeld
        /// The asker left, or the daemon is closing.
        case cancelled
    }

    /// The cause.
    package var reason: Reason
    /// Seconds for which the same request gets the same failure without a new try; 0 = not remembered.
    package var rememberedFor: Int
    /// True if the failure was remembered, and nothing was tried.
    package var isFromMemory: Bool
    /// How long each stage took before the failure. Not compared by `==`.
    package var times = StageTimes()
    /// The longest time in seconds for which clients may keep the answer, where the origin limits it; nil without a limit. Not
    /// compared by `==`.
    package var clientLimit: Int?
    /// True if an origin was asked over a connection before the failure, or a decoder had all of its time. Not compared by `==`.
    var hasHadWork = false

    /// By default new, and not remembered.
    package init(_ reason: Reason, rememberedFor: Int = 0, isFromMemory: Bool = false) {
        self.reason = reason
        self.rememberedFor = rememberedFor
        self.isFromMemory = isFromMemory
    }

    /// Replaces an adapter's overload, unavailability or cancellation by the pipeline's own.
    init(origin failure: OriginFailure) { self.init(failure.row.own ?? .origin(failure)) }
    init(decode failure: DecodeFailure) { self.init(failure.row.own ?? .decode(failure)) }

    package static func == (a: PipelineFailure, b: PipelineFailure) -> Bool {
        a.reason == b.reason && a.rememberedFor == b.rememberedFor && a.isFromMemory == b.isFromMemory
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(rememberedFor)
        hasher.combine(isFromMemory)
    }

    /// The same failure, with the stage times of earlier work added.
    func after(_ times: StageTimes) -> PipelineFailure {
        var failure = self
        failure.times = times + failure.times
        return failure
    }

    /// New, and not remembered.
    package static let cancelled = PipelineFailure(.cancelled)

    /// New, and not remembered; `retryAfter` in seconds.
    package static func overloaded(retryAfter: Int) -> PipelineFailure {
        PipelineFailure(.overloaded(retryAfter: retryAfter))
    }
}

/// Does work that follows other work, whose stage times are added to a failure.
func after<Value>(
    _ times: StageTimes, _ work: () async throws(PipelineFailure) -> Value
) async throws(PipelineFailure) -> Value {
    do throws(PipelineFailure) {
        return try await work()
    } catch {
        throw error.after(times)
    }
}

/// Does work, and turns a decoder's failure into a failure of the pipeline.
func refusing<Value>(
    _ work: () throws(DecodeFailure) -> Value
) throws(PipelineFailure) -> Value {
    do throws(DecodeFailure) {
        return try work()
    } catch {
        throw PipelineFailure(decode: error)
    }
}

extension PipelineFailure.Reason: TabledFailure {
    /// All facts about the failure.
    package var row: FailureRow {
        switch self {
        case .origin(let failure): failure.row
        case .originStatus(let status, let retryAfter): OriginStatus(status).row(retryAfter)
        case .decode(let failure): failure.row
        case .originResting(let rest):
            FailureRow(
                status: 503, code: "origin_resting",
                message: "The origin failed again and again, and is left alone for now.",
                when: .origin(
                    "the origin failed again and again and is left alone for now; `Retry-After` says how long"
                ),
                retryAfter: rest.seconds, memory: .never, held: .standsIn, health: .none, fetch: nil,
                allowsSource: true, isRefunded: false, weserv: .unchanged)
        case .overloaded(let retryAfter):
            FailureRow(
                status: 503, code: "overloaded", message: "Too much is waiting here already.",
                when: .load(
                    "too much is waiting, or held for slow readers: [Overload](../operating/tuning.md#overload)"
                ),
                retryAfter: retryAfter, memory: .never, held: .standsIn, health: .none, fetch: .overloaded,
                allowsSource: true, isRefunded: true, weserv: .unchanged)
        case .tooManyRenditions(let limit, let retryAfter):
            FailureRow(
                status: 429, code: "too_many_renditions",
                message:
                    "All \(limit) renditions that may be made of this picture in an hour, or this client's share of them, are used up (limits.renditions-per-original).",
                when: .load(
                    "too many renditions of this picture were made within an hour (`limits.renditions-per-original`)"
                ),
                retryAfter: retryAfter, memory: .never, held: .stays, health: .none, fetch: nil,
                allowsSource: true, isRefunded: false, weserv: .unchanged)
        case .throttled(let retryAfter):
            FailureRow(
                status: 429, code: "too_many_misses",
                message:
                    "This client has asked for too many new pictures of late (limits.misses-per-client).",
                when: .load(
                    "this client asked for too many new pictures: [Clients](../operating/clients.md#limits-per-client)"
                ),
                retryAfter: retryAfter, memory: .never, held: .standsIn, health: .none, fetch: nil,
                allowsSource: true, isRefunded: true, weserv: .unchanged)
        case .unavailable(let outage): outage.row
        // RFC 9111 §5.2.1.7: `only-if-cached`.
        case .notHeld:
            FailureRow(
                status: 504, code: "not_held",
                message:
                    "The request asks only for what is held (only-if-cached), and nothing good enough is held.",
                when: .picture(
                    "a request with the admin token said `only-if-cached`, and nothing good enough is in the cache"
                ),
                retryAfter: nil, memory: .never, held: .stays, health: .none, fetch: nil, allowsSource: true,
                isRefunded: false, weserv: .unchanged)
        case .cancelled:
            FailureRow(
                status: 503, code: "cancelled", message: "The request was given up.",
                when: .load("the client left; nobody reads this answer"), retryAfter: 1, memory: .never,
                held: .stays, health: .none, fetch: .cancelled, allowsSource: true, isRefunded: false,
                weserv: .unchanged)
        }
    }

    /// An example of each case, and of each status with a row of its own, from which documents and tests are
    /// derived.
    package static let examples: [PipelineFailure.Reason] =
        OriginFailure.examples.map { .origin($0) } + DecodeFailure.examples.map { .decode($0) }
        + [404, 410, 429, 500, 503].map { .originStatus($0, retryAfter: 3) }
        + [
            .originResting(OriginRest(seconds: 3)), .overloaded(retryAfter: 3),
            .tooManyRenditions(limit: 1000, retryAfter: 3), .throttled(retryAfter: 3),
            .unavailable(.picture), .unavailable(.fetch), .unavailable(.decoder), .notHeld, .cancelled,
        ]
}

extension OriginStatus {
    /// Passes on statuses that concern the picture (gone, or come later). Other statuses concern Pictor's own request and become a
    /// 502.
    fileprivate func row(_ retryAfter: Int?) -> FailureRow {
        let passed = [404, 410, 429, 503].contains(code) ? code : 502
        return FailureRow(
            status: passed, code: "origin_status", message: "The origin answered \(code).", when: when,
            retryAfter: passed == 502 ? nil : retryAfter, memory: .byAnswer,
            held: isPassingFailure ? .standsIn : isRefusal ? .isSuperseded : .stays, health: health,
            fetch: (400...499).contains(code) ? .clientError : .serverError, allowsSource: true,
            isRefunded: false, weserv: .replaced(404, "The requested URL returned error: \(code)"))
    }

    private var when: FailureRow.When {
        switch code {
        case 404, 410: .origin("the origin answered \(code)")
        case 429, 503: .origin("the origin answered \(code); its `Retry-After` is passed on")
        default: .origin("the origin answered with any other status that brings no picture")
        }
    }

    private var health: FailureRow.Health {
        switch code {
        case 429: .none
        // RFC 9110 §15.6.2, §15.6.6: these concern the request's method and version.
        case 501, 505: .well
        case 500...599: .failedUnlessMeant
        default: .well
        }
    }
}

extension PipelineFailure: CodedError {
    /// The error code in the answer.
    package var code: String { reason.row.code }
}
