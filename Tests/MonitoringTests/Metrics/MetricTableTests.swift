// SPDX-License-Identifier: Apache-2.0

@testable import Monitoring
import Telemetry
import Testing

@Suite("A metric is one row, and each row is read of its own number")
struct MetricTableTests {
    private let metrics = Metrics(
        build: BuildInfo(version: "1.2.3", libvips: "libvips 8.14.1"), codes: ["not_found"])
    private var page: String { metrics.exposition(MetricTable.rows, of: .numbered) }

    @Test func `every name stands once in the table, and once on the page in the same order`() {
        let names = metrics.rows(MetricTable.rows).map(\.name)
        #expect(names.count > 60 && Set(names).count == names.count)
        let types = page.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        #expect(types.map { String($0.split(separator: " ")[2]) } == names)
    }

    @Test func `names follow the habits of Prometheus, and help is a sentence`() {
        for row in metrics.rows(MetricTable.rows) {
            #expect(row.name.wholeMatch(of: /pictor(_[a-z]+)+/) != nil, "\(row.name)")
            #expect(row.name.hasSuffix("_total") == (row.kind == .counter), "\(row.name)")
            #expect(row.help.hasSuffix(".") && !row.help.contains("|"), "\(row.name)")
            #expect(!row.unit.isEmpty, "\(row.name)")
        }
    }

    @Test func `every row has a value, and no two samples show the same number`() throws {
        var shown: [Int: String] = [:]
        for metric in MetricTable.rows {
            let samples = page.split(separator: "\n").filter {
                $0.hasPrefix(metric.row.name + " ") || $0.hasPrefix(metric.row.name + "{")
            }
            #expect(samples.count >= max(1, metric.row.labels.count * 2), "\(metric.row.name)")
            for sample in samples {
                let value = String(try #require(sample.split(separator: " ").last))
                // Times are read in microseconds and shown in seconds.
                let number = Int(value) ?? Double(value).map { Int(($0 * 1_000_000).rounded()) }
                #expect(try #require(number) >= 1_000, "\(sample)")
                let other = shown.updateValue(String(sample), forKey: try #require(number))
                #expect(other == nil, "\(sample) and \(other ?? "")")
            }
        }
    }
}

extension Readings {
    /// Readings in which each number is different, from 1,000 on, and the sum of any two is none of them.
    fileprivate static var numbered: Readings {
        let numbers = (0..<MemoryLayout<Readings>.size / MemoryLayout<Int>.size).map { 1_000 + $0 }
        return numbers.withUnsafeBytes { $0.load(as: Readings.self) }
    }
}
