// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching

/// Everything that follows from a failure: the client's answer, the memory of it, and the consequences for the held original
/// and for the origin.
///
/// The row of each failure stands in the file that declares its case, in one exhaustive `switch`, and no column has a
/// default. So neither a row nor a fact can be forgotten. No fact about a failure stands elsewhere.
package struct FailureRow: Sendable, Hashable {
    /// A section of docs/reference/errors.md.
    package enum Section: Sendable, Hashable { case picture, origin, load }

    /// When it happens, in Markdown: its line in docs/reference/errors.md.
    package struct When: Sendable, Hashable {
        package let section: Section
        package let text: String

        static func picture(_ text: String) -> When { When(section: .picture, text: text) }
        static func origin(_ text: String) -> When { When(section: .origin, text: text) }
        static func load(_ text: String) -> When { When(section: .load, text: text) }
    }

    /// For how long the same question gets the same answer.
    package enum Memory: Sendable, Hashable {
        /// The subject that a failure is remembered of.
        package enum Subject: Sendable, Hashable {
            /// The original's URL.
            case source
            /// The original's bytes, for every recipe.
            case content
            /// Jobs on these bytes that are expected to take as long.
            case longJobs
            /// This picture of them.
            case rendition
        }

        /// It costs little to ask again, or may be over.
        case never
        /// For the class's time. A failure that the header shows already is remembered of the source instead, and for no
        /// longer than the answer's fields permit.
        case known(NegativePolicy.Failure, about: Subject)
        /// As the answer's fields and the class of its status say (RFC 9111 §3).
        case byAnswer
    }

    /// The failure's consequence for the original that is held.
    package enum Held: Sendable, Hashable {
        /// It may be served although it is stale (RFC 5861 §4): the origin did not answer or cannot now, or nobody asked it.
        case standsIn
        /// It is no longer the origin's picture, and is dropped (RFC 9111 §4.3.3).
        case isSuperseded
        /// It is neither served for this request nor dropped.
        case stays
    }

    /// The failure's meaning for the origin's health.
    package enum Health: Sendable, Hashable {
        /// Nothing: the asker left, or the origin was not asked, or it was a 429, which speaks of how often it is asked.
        case none
        case well
        /// See `OriginSign`.
        case down
        case failed
        /// `down` where there was no connection yet, or else `failed`.
        case downUnlessConnected
        /// `well` where the answer has a lifetime and no `Retry-After`, or else `failed`.
        case failedUnlessMeant
    }

    /// The answer of wsrv.nl in its place (weserv/images, src/api/utils/status.cpp and api_manager_impl.cpp): 400 for requests
    /// that it does not want, 404 for all that went wrong on the way.
    package enum Weserv: Sendable, Hashable {
        /// As everywhere else: overload and troubles of ours keep their statuses, so that clients come again.
        case unchanged
        case told(Int, String)
    }

    package var status: Int
    /// Stable; programs may rely on it.
    package var code: String
    /// For people; names the parameter or the limit, and never an inner address.
    package var message: String
    package var when: When
    /// The field's seconds; nil: no `Retry-After`.
    package var retryAfter: Int?
    package var memory: Memory
    package var held: Held
    package var health: Health
    /// The metrics' word for the exchange that ended with it; nil: there was none.
    package var fetch: FetchEnd?
    /// A browser may be sent to the source itself (`default=1`): not where Pictor may not go, and not into a circle.
    package var allowsSource: Bool
    /// The rendition that was not made is taken off those of the hour (`limits.renditions-per-original`).
    package var isRefunded: Bool
    package var weserv: Weserv
    /// The pipeline's own failure that is thrown for this trouble of an adapter; nil: the failure is thrown as it is.
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

    /// The row of an adapter's trouble that is the pipeline's own: that of the failure that is thrown instead.
    init(own reason: PipelineFailure.Reason) {
        self = reason.row
        own = reason
    }
}

/// How an exchange with an origin ended that brought no picture, for the metrics.
package enum FetchEnd: String, Sendable, CaseIterable {
    case clientError, serverError, refused, unresolved, unreachable, timeout, tooLarge, broken
    case overloaded, cancelled
}

/// A failure that has its row.
package protocol TabledFailure: Sendable {
    var row: FailureRow { get }
}
