// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Foundation
internal import Logging
internal import Monitoring
internal import Origin
internal import Platform
internal import Settings
internal import Telemetry
internal import TraceExport
internal import Traces

extension Settings {
    /// Nil where nothing is traced.
    /// - Throws: for an endpoint that is no URL.
    var collectorConfiguration: CollectorConfiguration? {
        get throws(UnusableSetting) {
            guard !traces.endpoint.isEmpty else { return nil }
            guard var url = URLComponents(string: traces.endpoint),
                ["http", "https"].contains(url.scheme ?? ""),
                let host = url.host, !host.isEmpty, url.user == nil, url.query == nil, url.fragment == nil
            else {
                // It may hold a password all the same.
                throw UnusableSetting(
                    description:
                        "traces.endpoint is no URL such as http://127.0.0.1:4318; a token belongs into traces.credentials"
                )
            }
            if url.path.isEmpty || url.path == "/" { url.path = "/v1/traces" }
            var configuration = CollectorConfiguration(
                endpoint: url.string ?? traces.endpoint,
                resource: .init(
                    service: traces.service, version: Version.current,
                    instance: UUID().uuidString.lowercased()))
            configuration.fieldLine = traces.credentials.isSet ? traces.credentials.line : nil
            configuration.queue = traces.queue
            return configuration
        }
    }

    /// The hosts that are told the trace.
    var tracedOrigins: [HostPattern] {
        get throws(UnusableSetting) { try HostPatterns.read(traces.origins, "traces.origins") }
    }

    /// The rule for the traces that are kept.
    var samplingRule: SamplingRule {
        var rule = SamplingRule()
        rule.ratio = traces.ratio
        rule.slow = traces.slow > .zero ? Int(clamping: traces.slow.microseconds) : nil
        rule.keepsFailed = traces.failed
        rule.takesParent = traces.parent
        return rule
    }

    /// Starts the thread that exports, once in a process; nil where nothing is traced.
    func requestTraces(_ authorities: CertificateAuthorities?, logger: Logger) throws -> RequestTraces? {
        guard var configuration = try collectorConfiguration else { return nil }
        configuration.authorities = authorities?.bundle.path
        let exporter = try SpanExporter(configuration) { $0.log(to: logger) }
        var random = SystemRandomNumberGenerator()
        let tracer = RequestTracer(
            samplingRule, numbers: SpanNumbers(seeds: (random.next(), random.next(), random.next())),
            now: { SystemEnvironment.nanoseconds }, keep: exporter.take)
        tracer.bootstrap()
        return RequestTraces(tracer: tracer, exporter: exporter, hiding: secretParameters)
    }
}
