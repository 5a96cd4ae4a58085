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
    /// Nil if nothing is traced.
    /// - Throws: if the endpoint is not a URL.
    var collectorConfiguration: CollectorConfiguration? {
        get throws(UnusableSetting) {
            guard !traces.endpoint.isEmpty else { return nil }
            guard var url = URLComponents(string: traces.endpoint),
                ["http", "https"].contains(url.scheme ?? ""),
                let host = url.host, !host.isEmpty, url.user == nil, url.query == nil, url.fragment == nil
            else {
                // The endpoint's text is not shown, because it may contain a password.
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

    /// The hosts to which the trace is passed on.
    var tracedOrigins: [HostPattern] {
        get throws(UnusableSetting) { try HostPatterns.read(traces.origins, "traces.origins") }
    }

    /// The rule that decides which traces are kept.
    var samplingRule: SamplingRule {
        var rule = SamplingRule()
        rule.ratio = traces.ratio
        rule.slow = traces.slow > .zero ? Int(clamping: traces.slow.microseconds) : nil
        rule.keepsFailed = traces.failed
        rule.takesParent = traces.parent
        return rule
    }

    /// Starts the exporter's thread; call this once per process. Nil if nothing is traced.
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
