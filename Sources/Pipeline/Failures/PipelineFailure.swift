// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching

/// Why there is no picture.
package struct PipelineFailure: Error, Sendable, Hashable {
    /// The cause. A new case needs its row and its example here.
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
        /// The machine failed us: no process, no file, or a kept original vanished again and again while it was used.
        case unavailable
        /// The request wanted nothing fetched (`only-if-cached`), and its picture is not held.
        case notHeld
        /// The asker left, or the daemon is closing.
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
    init(origin failure: OriginFailure) { self.init(failure.row.own ?? .origin(failure)) }
    init(decode failure: DecodeFailure) { self.init(failure.row.own ?? .decode(failure)) }

    package static let cancelled = PipelineFailure(.cancelled)

    package static func overloaded(retryAfter: Int) -> PipelineFailure {
        PipelineFailure(.overloaded(retryAfter: retryAfter))
    }
}

extension PipelineFailure.Reason: TabledFailure {
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
                when: .load("too much is waiting: [Overload](../operating/tuning.md#overload)"),
                retryAfter: retryAfter, memory: .never, held: .standsIn, health: .none, fetch: .overloaded,
                allowsSource: true, isRefunded: true, weserv: .unchanged)
        case .tooManyRenditions(let limit, let retryAfter):
            FailureRow(
                status: 429, code: "too_many_renditions",
                message:
                    "This picture's \(limit) renditions of an hour, or this client's share of them, are used up.",
                when: .load(
                    "too many renditions of this picture were made within an hour (`limits.renditions-per-original`)"
                ),
                retryAfter: retryAfter, memory: .never, held: .stays, health: .none, fetch: nil,
                allowsSource: true, isRefunded: false, weserv: .unchanged)
        case .throttled(let retryAfter):
            FailureRow(
                status: 429, code: "too_many_misses",
                message: "This client has asked for too many new pictures of late.",
                when: .load(
                    "this client asked for too many new pictures: [Clients](../operating/clients.md#limits-per-client)"
                ),
                retryAfter: retryAfter, memory: .never, held: .standsIn, health: .none, fetch: nil,
                allowsSource: true, isRefunded: true, weserv: .unchanged)
        case .unavailable:
            FailureRow(
                status: 503, code: "unavailable", message: "The picture was lost while it was being made.",
                when: .load("the original or the picture was lost on the way"), retryAfter: 1, memory: .never,
                held: .standsIn, health: .none, fetch: .overloaded, allowsSource: true, isRefunded: false,
                weserv: .unchanged)
        // RFC 9111 §5.2.1.7.
        case .notHeld:
            FailureRow(
                status: 504, code: "not_held",
                message: "Only what is held was asked for, and that is not held or not good enough.",
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

    /// One of each, and one of each status with a row of its own; documents and tests are derived from these.
    package static let examples: [PipelineFailure.Reason] =
        OriginFailure.examples.map { .origin($0) } + DecodeFailure.examples.map { .decode($0) }
        + [404, 410, 429, 500, 503].map { .originStatus($0, retryAfter: 3) }
        + [
            .originResting(OriginRest(seconds: 3)), .overloaded(retryAfter: 3),
            .tooManyRenditions(limit: 1000, retryAfter: 3), .throttled(retryAfter: 3), .unavailable, .notHeld,
            .cancelled,
        ]
}

extension OriginStatus {
    /// A status about the picture is passed on (it is gone, come later); a status about our request is not.
    fileprivate func row(_ retryAfter: Int?) -> FailureRow {
        let passed = [404, 410, 429, 503].contains(code) ? code : 502
        return FailureRow(
            status: passed, code: "origin_status", message: "The origin answered \(code).", when: when,
            retryAfter: passed == 502 ? nil : retryAfter, memory: .byAnswer,
            held: isPassingFailure ? .standsIn : isRefusal ? .isSuperseded : .stays, health: health,
            fetch: (400...499).contains(code) ? .clientError : .serverError, allowsSource: true,
            isRefunded: false, weserv: .told(404, "The requested URL returned error: \(code)"))
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
        // RFC 9110 §15.6.2, §15.6.6: about the method and the version.
        case 501, 505: .well
        case 500...599: .failedUnlessMeant
        default: .well
        }
    }
}
