// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching

/// All facts about a failure: the client's answer, its memory, and the consequences for the held original and
/// for the origin.
///
/// Each failure's row is in the file that declares its case, in one exhaustive `switch`, and no column has a
/// default, so neither a row nor a fact can be forgotten. No other place has facts about a failure.
package struct FailureRow: Sendable, Hashable {
    /// A section of docs/reference/errors.md.
    package enum Section: Sendable, Hashable { case picture, origin, load }

    /// The cause, in Markdown: a line of docs/reference/errors.md.
    package struct When: Sendable, Hashable {
        /// The section of the line.
        package let section: Section
        /// The line's text.
        package let text: String

        static func picture(_ text: String) -> When { When(section: .picture, text: text) }
        static func origin(_ text: String) -> When { When(section: .origin, text: text) }
        static func load(_ text: String) -> When { When(section: .load, text: text) }
    }

    /// How long the failure is remembered.
    package enum Memory: Sendable, Hashable {
        /// The subject of a remembered failure.
        package enum Subject: Sendable, Hashable {
            /// The original's URL.
            case source
            /// The original's bytes, with every recipe.
            case content
            /// Jobs on these bytes with at least the same estimate.
            case longJobs
            /// This rendition only.
            case rendition
        }

        /// Not remembered: asking again costs little, or may succeed.
        case never
        /// For the time of the failure's class. If the header alone already shows the failure, it is remembered for the source
        /// instead, and no longer than the answer's fields permit.
        case known(NegativePolicy.Failure, about: Subject)
        /// By the answer's fields and the class of its status (RFC 9111 §3).
        case byAnswer
    }

    /// The consequence for the held original.
    package enum Held: Sendable, Hashable {
        /// The original may be served stale (RFC 5861 §4): the origin gave no answer, cannot answer now, or was not
        /// asked.
        case standsIn
        /// The original is no longer the origin's picture, and is dropped (RFC 9111 §4.3.3).
        case isSuperseded
        /// The original is neither served to this request nor dropped.
        case stays
    }

    /// The consequence for the origin's health.
    package enum Health: Sendable, Hashable {
        /// None: the asker left, the origin was not asked, or a 429 only concerns the rate of requests.
        case none
        case well
        /// The origin cannot be reached, see `HealthSignal`.
        case down
        case failed
        /// `down` if there was no connection yet, else `failed`.
        case downUnlessConnected
        /// `well` if the answer has a lifetime and no `Retry-After`, because the origin meant the error; else `failed`.
        case failedUnlessMeant
    }

    /// The answer of wsrv.nl in its place (weserv/images, src/api/utils/status.cpp and api_manager_impl.cpp):
    /// 400 for unwanted requests, 404 for all other failures.
    package enum Weserv: Sendable, Hashable {
        /// The same answer as in every other dialect: overload and our own failures keep their statuses, so that clients retry.
        case unchanged
        case replaced(Int, String)
    }

    /// The HTTP status.
    package var status: Int
    /// The error code, which is stable because programs may rely on it.
    package var code: String
    /// For people; names the parameter or the limit, and never an inner address.
    package var message: String
    /// The cause, for the documentation.
    package var when: When
    /// Seconds of `Retry-After`; nil without the field.
    package var retryAfter: Int?
    /// How long the failure is remembered.
    package var memory: Memory
    /// The consequence for the held original.
    package var held: Held
    /// The consequence for the origin's health.
    package var health: Health
    /// The label of the exchange in metrics; nil if there was no exchange.
    package var fetch: FetchEnd?
    /// True if `default=1` may redirect a browser to the source itself. False where Pictor may not go either, and where it would make
    /// a circle.
    package var allowsSource: Bool
    /// True if the rendition does not count for `limits.renditions-per-original`.
    package var isRefunded: Bool
    /// The answer in wsrv.nl's form.
    package var weserv: Weserv
    /// The pipeline's own failure that replaces the adapter's; nil if the adapter's is thrown as it is.
    package private(set) var own: PipelineFailure.Reason?

    init(
        status: Int, code: String, message: String, when: When, retryAfter: Int?, memory: Memory, held: Held,
        health: Health, fetch: FetchEnd?, allowsSource: Bool, isRefunded: Bool, weserv: Weserv
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.when = when
        self.retryAfter = retryAfter
        self.memory = memory
        self.held = held
        self.health = health
        self.fetch = fetch
        self.allowsSource = allowsSource
        self.isRefunded = isRefunded
        self.weserv = weserv
    }

    /// The row of an adapter's failure that the pipeline replaces by its own.
    init(own reason: PipelineFailure.Reason) {
        self = reason.row
        own = reason
    }
}

/// The end of an exchange with an origin that gave no picture, for the metrics.
package enum FetchEnd: String, Sendable, CaseIterable {
    case clientError, serverError, refused, unresolved, unreachable, timeout, tooLarge, broken
    case overloaded, cancelled
}

/// A failure that has a row.
package protocol TabledFailure: Sendable {
    var row: FailureRow { get }
}
