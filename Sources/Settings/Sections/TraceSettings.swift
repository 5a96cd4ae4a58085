// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Where spans are sent, and of which requests.
    package struct Traces: Sendable, Equatable {
        /// The collector's URL; empty to trace nothing.
        package var endpoint = ""
        /// A field line for requests to the collector.
        package var credentials = FieldCredentials.none
        /// The part of all traces that is kept, 0…1.
        package var ratio = 0.01
        /// The duration from which a request is slow; 0 if none is.
        package var slow = Duration.seconds(1)
        /// True to keep the traces of answers with status 500 or higher.
        package var failed = true
        /// True to continue clients' traces.
        package var parent = false
        /// Hosts to which the trace is passed on.
        package var origins: [String] = []
        /// The value of `service.name`.
        package var service = "pictor"
        /// The most spans that wait to be sent.
        package var queue = 4096
    }
}

extension Setting {
    static let traces: [Setting] = [
        Setting(
            "traces.endpoint", \.traces.endpoint, .atRestart(.exporter),
            "The collector's OTLP/HTTP address, as http://127.0.0.1:4318; /v1/traces is added where it has no path. Empty = nothing is traced."
        ),
        Setting(
            "traces.credentials", \.traces.credentials, .atRestart(.exporter),
            "A field line of each request to the collector, as Authorization: Bearer …. No flag."),
        .fraction(
            "traces.ratio", \.traces.ratio, .live,
            "The share of traces that is kept whatever becomes of the request; chosen by the trace's id, as OpenTelemetry's TraceIdRatioBased chooses. One in a hundred shows what is usual."
        ),
        Setting(
            "traces.slow", \.traces.slow, .live,
            "Requests that take as long or longer are kept too; a picture that is made anew takes some 100 ms. 0s = none for that reason."
        ),
        Setting(
            "traces.failed", \.traces.failed, .live,
            "Requests that are answered with 500 or more are kept too."),
        Setting(
            "traces.parent", \.traces.parent, .live,
            "Continue the trace in a request's traceparent field, and keep it where the client says so. Turn it on only behind a proxy that removes or replaces what strangers send: otherwise each of them could have all its requests traced."
        ),
        Setting(
            "traces.origins", \.traces.origins, .live,
            "Origins that get traceparent and tracestate: host or *.host, which stands for the names below it. Others learn nothing of traces."
        ),
        Setting(
            "traces.service", \.traces.service, .atRestart(.exporter),
            "The name of the service (service.name), by which collectors group.",
            form: "a text that is not empty", where: { !$0.isEmpty }),
        .number(
            "traces.queue", \.traces.queue, .atRestart(.exporter), 64...1_000_000,
            "Spans that wait for the collector; more are dropped and counted. A span takes about 1 kB, and 6 kB with long URLs."
        ),
    ]
}
