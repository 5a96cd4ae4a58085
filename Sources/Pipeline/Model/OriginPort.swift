// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import SourceURLs

/// The network.
package protocol OriginPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// True if the policy permits this URL at all. Asked for every request, so that a picture kept under an
    /// earlier policy is not served under a stricter one.
    func permits(_ source: SourceURL) -> Bool

    /// The URL as keys and logs know it, which its origin gets with the parameters that open it.
    func keyed(_ source: SourceURL) -> SourceURL

    /// One exchange with the origin, redirects followed. Cancelling the task aborts the transfer.
    /// - Throws: if the origin gives no answer.
    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body>

    /// The fields that the URL's origin would get now with a request that has these and none of a client, as far as it may
    /// choose its answer by them; as codes where they may be secret.
    /// - Parameter isRedirected: for an answer that redirects led to; those that all origins get.
    func sentFields(to source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields

    /// Reports how many fetches wait because others hold the permits. While there are any, slow transfers end
    /// as `.overloaded`, the slowest first. Called on any thread; must not block.
    func giveWay(to waiting: Int)
}

extension OriginPort {
    /// The URL itself, where no such parameters are known.
    package func keyed(_ source: SourceURL) -> SourceURL { source }

    /// The fields themselves, where nothing else is sent.
    package func sentFields(to source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields { fields }
}
