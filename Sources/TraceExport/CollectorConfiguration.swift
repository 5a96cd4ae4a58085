// SPDX-License-Identifier: Apache-2.0

package import Traces

/// Where and how spans are sent.
package struct CollectorConfiguration: Sendable {
    /// The collector's URL for traces over OTLP/HTTP, for example `http://127.0.0.1:4318/v1/traces`.
    package var endpoint: String
    /// A field line for each request, for example `Authorization: Bearer …`; nil for none.
    package var fieldLine: String?
    /// The path of a PEM file of certificate authorities; nil for the system's.
    package var authorities: String?
    /// The service that sends the spans.
    package var resource: ExportRequest.Resource
    /// The most spans that wait; further ones are dropped.
    package var queue = 4096
    /// The time limit of one request, in milliseconds.
    package var timeout = 10_000

    /// Requests have no additional field line and trust the system's authorities.
    package init(endpoint: String, resource: ExportRequest.Resource) {
        (self.endpoint, self.resource) = (endpoint, resource)
    }
}
