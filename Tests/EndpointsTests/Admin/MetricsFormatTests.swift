// SPDX-License-Identifier: Apache-2.0

import Endpoints
import Telemetry
import Testing

@Suite("A scraper gets the format that it names")
struct MetricsFormatTests {
    /// The `Accept` of Prometheus 2.42, 2.53 and 3.5, and of others.
    @Test(arguments: [
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        "application/openmetrics-text", "application/openmetrics-text; version=\"1.0.0\"; charset=UTF-8",
        "Application/OpenMetrics-Text ; Version=1.0.0", "application/openmetrics-text, text/plain, */*",
        "application/openmetrics-text;version=1.0.0;q=0.001", "*/*;q=0, application/openmetrics-text;q=0.5",
    ])
    func `OpenMetrics for whoever names it first`(accept: String) {
        #expect(Exposition.Format(accepted: accept) == .openMetrics)
    }

    @Test(arguments: [
        nil, "", " , ", "*/*", "text/plain", "text/plain;version=0.0.4;q=1,*/*;q=0.1", "application/*",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json",
        "application/openmetrics-text;version=0.0.1", "application/openmetrics-text;version=2.0.0, */*",
        "application/openmetrics-text;version=1.0.0;q=0", "application/openmetrics-text;charset=utf-16",
        "application/openmetrics-text;q=0.2,text/plain;q=0.3", "application/openmetrics-text;q=2",
        "application/openmetrics-text;q=0.2,text/*;q=0.3", "application/openmetrics-textual",
        "application/openmetrics-text;version=1.0.0;q=0,application/openmetrics-text;q=1",
        "application/openmetrics-text;version", "application/openmetrics-text;version=\"1.0.0",
    ])
    func `Prometheus' text format for all others`(accept: String?) {
        #expect(Exposition.Format(accepted: accept) == .classic)
    }
}
