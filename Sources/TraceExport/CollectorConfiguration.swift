// SPDX-License-Identifier: Apache-2.0

package import Traces

/// Where spans go, and how.
package struct CollectorConfiguration: Sendable {
    /// The URL of OTLP/HTTP's traces, as `http://127.0.0.1:4318/v1/traces`.
    package var endpoint: String
    /// A field line of each request, as `Authorization: Bearer …`; nil for none.
    package var fieldLine: String?
    /// Path of a PEM file with certificate authorities; nil for the system's.
    package var authorities: String?
    /// The service that sends the spans.
    package var resource: ExportRequest.Resource
    /// Spans that wait; more are dropped.
    package var queue = 4096
    /// Milliseconds for one request.
    package var timeout = 10_000

    /// Without fields of its own, and with the system's authorities.
    package init(endpoint: String, resource: ExportRequest.Resource) {
        (self.endpoint, self.resource) = (endpoint, resource)
    }
}
