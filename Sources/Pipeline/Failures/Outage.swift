// SPDX-License-Identifier: Apache-2.0

/// What the machine lacks for a picture, for the moment.
package enum Outage: Sendable, Hashable {
    /// The original or the picture, which vanished again and again.
    case picture
    /// Fetching: the thread of all fetches stands still, or there is no room for the origin's answer.
    case fetch
    /// A decoder process.
    case decoder
}

extension Outage {
    /// All facts about the failure.
    var row: FailureRow {
        FailureRow(
            status: 503, code: code, message: message, when: .load(when), retryAfter: 1, memory: .never,
            held: .standsIn, health: .none, fetch: .overloaded, allowsSource: true, isRefunded: false,
            weserv: .unchanged)
    }

    private var code: String {
        switch self {
        case .picture, .fetch: "unavailable"
        case .decoder: "decoder_unavailable"
        }
    }

    private var message: String {
        switch self {
        case .picture: "The picture was lost while it was being made."
        case .fetch: "Nothing can be fetched at the moment."
        case .decoder: "No decoder is available at the moment."
        }
    }

    private var when: String {
        switch self {
        case .picture: "the original or the picture was lost on the way"
        case .fetch:
            "there is no room for the origin's answer, or the [fetch thread stands still](../operating/origins.md#a-fetch-thread-that-stands-still)"
        case .decoder: "no decoder is available at the moment"
        }
    }
}
