// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import SourceURLs

/// The network through which originals are fetched.
package protocol OriginPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// True if the policy permits this URL at all. Asked for every request, so that a picture kept under an
    /// earlier policy is not served under a stricter one.
    func permits(_ source: SourceURL) -> Bool

    /// The URL in the form for keys and logs, without the parameters that open it. The origin still gets them.
    func keyed(_ source: SourceURL) -> SourceURL

    /// One exchange with the origin, redirects followed. Cancelling the task aborts the transfer.
    /// - Throws: if the origin gives no answer.
    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body>

    /// The fields that the URL's origin would get now, for a request with these fields and without a client's own, as far as the
    /// origin may choose its answer by them. Values that may be secret are replaced by codes.
    /// - Parameter isRedirected: true for an answer that redirects led to; returns the fields that every origin gets.
    func sentFields(to source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields

    /// Reports how many fetches wait because others hold the permits. While any wait, slow transfers are ended with `.overloaded`,
    /// the slowest first. Called on any thread; must not block.
    func giveWay(to waiting: Int)
}

extension OriginPort {
    /// Returns the URL itself, for an adapter that knows no such parameters.
    package func keyed(_ source: SourceURL) -> SourceURL { source }

    /// Returns the fields themselves, for an adapter that sends nothing else.
    package func sentFields(to source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields { fields }
}
