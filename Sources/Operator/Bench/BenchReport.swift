// SPDX-License-Identifier: Apache-2.0

internal import JSON

/// The results of a measurement, as JSON for programs and as lines for people. All times are in microseconds.
package struct BenchReport: Sendable, Encodable {
    /// The first answer, over a connection of its own.
    package struct First: Sendable, Encodable {
        var status: Int
        /// The time until the connection was made.
        var connect: Int
        /// The time from the request's first byte to the answer's first byte.
        var firstByte: Int
        /// The time from the request's first byte to the answer's last byte.
        var total: Int
        var bytes: Int
        var contentType: String?
        var serverTiming: String?
        var cacheStatus: String?
    }

    /// Percentiles of the answers' times.
    package struct Latency: Sendable, Encodable {
        var p50: Int
        var p90: Int
        var p99: Int
        var maximum: Int
        var mean: Int

        init?(_ counts: LatencyCounts) {
            guard let p50 = counts.percentile(0.5), let p90 = counts.percentile(0.9),
                let p99 = counts.percentile(0.99), let mean = counts.mean
            else { return nil }
            (self.p50, self.p90, self.p99, maximum) = (p50, p90, p99, counts.maximum)
            self.mean = Int(exactly: mean.rounded()) ?? 0
        }
    }

    var first: First
    /// The number of requests begun, without the first one.
    var requests = 0
    /// The number of answers, by status.
    var statuses: [String: Int] = [:]
    /// The number of requests without an answer, by reason.
    var failures: [String: Int] = [:]
    /// Bytes of the answers' contents.
    var bytes = 0
    var microseconds: Int64 = 0
    /// Answers per second.
    var rate = 0.0
    /// Nil if there was no answer.
    var latency: Latency?
    /// From when a latency is counted: `sent` or `intended`.
    var latencyFrom: String
    /// Requests that began more than a millisecond late because all connections were busy; counted only with `--rate`.
    var late = 0

    init(first: First, isPaced: Bool) {
        self.first = first
        latencyFrom = isPaced ? "intended" : "sent"
    }

    /// True if every request had an answer with a status 2xx or 304.
    package var isGood: Bool {
        let words = statuses.keys + ["\(first.status)"]
        return failures.isEmpty && words.allSatisfy { $0.hasPrefix("2") || $0 == "304" }
    }

    /// The lines for a terminal.
    package var lines: [String] {
        func time(_ microseconds: Int) -> String { Quantity.time(microseconds: Double(microseconds)) }
        func list(_ counts: [String: Int]) -> String {
            counts.isEmpty
                ? "none"
                : counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
        var lines = [
            "first     \(first.status) in \(time(first.total)) (connect \(time(first.connect)), first byte \(time(first.firstByte))), "
                + Quantity.bytes(first.bytes)
        ]
        for (name, value) in [
            ("type", first.contentType), ("timing", first.serverTiming), ("cache", first.cacheStatus),
        ] {
            if let value { lines.append("          \(name) \(LogText.visible(value))") }
        }
        lines += [
            "requests  \(requests) in \(Quantity.time(microseconds: Double(microseconds))): \(Quantity.number(rate)) answers a second, "
                + "\(Quantity.bytes(bytes))",
            "answers   \(list(statuses))", "failures  \(list(failures))",
        ]
        if let latency {
            lines.append(
                "latency   p50 \(time(latency.p50))  p90 \(time(latency.p90))  p99 \(time(latency.p99))  "
                    + "max \(time(latency.maximum))  (from the \(latencyFrom == "sent" ? "request" : "intended start"))"
            )
        }
        if late > 0 {
            lines.append("late      \(late) requests began more than 1 ms after they were meant to")
        }
        return lines
    }
}
