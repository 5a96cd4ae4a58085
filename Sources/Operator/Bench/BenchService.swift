// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Measures a URL: first one answer alone, then many.
package struct BenchService: Sendable {
    private let target: BenchTarget
    private let request: [UInt8]

    /// - Parameter accept: the `Accept` of the requests.
    /// - Throws: if it has a character that a field cannot have.
    package init(_ target: BenchTarget, accept: String) throws(BenchTarget.Mistake) {
        guard accept.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw BenchTarget.Mistake(description: "--accept has a character that a field cannot have.")
        }
        self.target = target
        request = Array(
            """
            GET \(target.path) HTTP/1.1\r
            Host: \(target.authority)\r
            User-Agent: pictor-bench\r
            Accept: \(accept)\r
            \r

            """.utf8)
    }

    /// Blocks until the measurement is complete.
    package func run(_ plan: BenchPlan) throws -> BenchReport {
        let (peer, first) = try first()
        var report = BenchReport(first: first, isPaced: plan.rate != nil)
        let run = try BenchRun(peer, request, plan)
        try run.go()
        report.requests = run.requests
        report.statuses = run.statuses
        report.failures = run.failures
        report.bytes = run.bytes
        report.microseconds = run.microseconds
        report.latency = BenchReport.Latency(run.latencies)
        report.late = run.late
        if run.microseconds > 0 {
            let rate = Double(run.latencies.count) * 1e6 / Double(run.microseconds)
            report.rate = (rate * 10).rounded() / 10
        }
        return report
    }

    /// Gets the first answer, from the first of the host's addresses that answers.
    private func first() throws -> (BenchPeer, BenchReport.First) {
        var reason = "it has no address"
        for peer in try BenchPeer.all(of: target) {
            let run = try BenchRun(
                peer, request, BenchPlan(count: 1, connections: 1, duration: nil, rate: nil))
            try run.go()
            if let last = run.last { return (peer, BenchReport.First(last.answer, last.times, last.end)) }
            reason = run.failures.keys.first ?? reason
        }
        throw CommandFailure("\(target.authority) gives no answer: \(reason).")
    }
}

extension BenchReport.First {
    fileprivate init(_ answer: AnswerReader, _ times: BenchConnection.Times, _ end: Int64) {
        status = answer.status
        connect = Int(clamping: times.sending - times.connecting)
        firstByte = Int(clamping: times.firstByte - times.sending)
        total = Int(clamping: end - times.sending)
        bytes = answer.bodyBytes
        contentType = answer.field("content-type")
        serverTiming = answer.field("server-timing")
        cacheStatus = answer.field("cache-status")
    }
}
