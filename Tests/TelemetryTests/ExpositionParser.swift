// SPDX-License-Identifier: Apache-2.0

import Telemetry

/// A strict parser of pages, written from the formats' specifications and independently of Pictor's writer: the Prometheus text
/// format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details) and OpenMetrics 1.0
/// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md).
struct ExpositionParser {
    struct Exemplar: Equatable {
        var labels: [String: String]
        var value: Double
        var time: Double
    }

    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
        var exemplar: Exemplar?
    }

    struct Family {
        var name: String
        var help = ""
        var type = ""
        var unit: String?
        var samples: [Sample] = []
    }

    struct Malformed: Error { var line: String }

    private(set) var families: [Family] = []
    private let format: Exposition.Format

    init(_ page: String, as format: Exposition.Format = .classic) throws {
        self.format = format
        let end = format == .openMetrics ? "\n# EOF\n" : "\n"
        guard page.hasSuffix(end) else { throw Malformed(line: "no end") }
        for line in page.dropLast(end.count).split(separator: "\n", omittingEmptySubsequences: false) {
            try read(String(line))
        }
        for family in families { try check(family) }
    }

    private mutating func read(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(
            String.init)
        guard line.hasPrefix("#") else { return try readSample(line) }
        guard words.count == 4, words[0] == "#" else { throw Malformed(line: line) }
        let isFirst = words[1] == (format == .classic ? "HELP" : "TYPE")
        if isFirst {
            guard !families.contains(where: { $0.name == words[2] }) else { throw Malformed(line: line) }
            families.append(Family(name: words[2]))
        }
        guard let last = families.indices.last, families[last].name == words[2],
            families[last].samples.isEmpty
        else { throw Malformed(line: line) }
        switch words[1] {
        case "HELP" where families[last].help.isEmpty:
            families[last].help = try Self.unescape(words[3], quotes: format == .openMetrics)
        case "TYPE" where families[last].type.isEmpty && types.contains(words[3]):
            families[last].type = words[3]
        case "UNIT" where format == .openMetrics && words[2].hasSuffix("_" + words[3]):
            families[last].unit = words[3]
        default: throw Malformed(line: line)
        }
    }

    private var types: [String] {
        ["counter", "gauge", "histogram"] + (format == .openMetrics ? ["info"] : [])
    }

    private mutating func readSample(_ line: String) throws {
        let sample = try sample(line)
        guard let family = families.last, belongs(sample.name, to: family) else {
            throw Malformed(line: line)
        }
        families[families.count - 1].samples.append(sample)
    }

    private func belongs(_ name: String, to family: Family) -> Bool {
        switch (family.type, format) {
        case ("histogram", _): ["_bucket", "_sum", "_count"].contains { name == family.name + $0 }
        case ("counter", .openMetrics): name == family.name + "_total"
        case ("info", _): name == family.name + "_info"
        default: name == family.name
        }
    }

    private func sample(_ line: String) throws -> Sample {
        var rest = Substring(line)
        let name = String(
            rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") })
        guard let first = name.first, !first.isNumber else { throw Malformed(line: line) }
        rest = rest.dropFirst(name.count)
        let labels = try rest.first == "{" ? Self.labels(&rest) : [:]
        let parts = rest.split(separator: " # ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].first == " ", let value = Double(parts[0].dropFirst()) else {
            throw Malformed(line: line)
        }
        guard parts.count == 2 else { return Sample(name: name, labels: labels, value: value) }
        guard format == .openMetrics, name.hasSuffix("_bucket") || name.hasSuffix("_total") else {
            throw Malformed(line: line)
        }
        return Sample(name: name, labels: labels, value: value, exemplar: try Self.exemplar(parts[1]))
    }

    private static func exemplar(_ text: Substring) throws -> Exemplar {
        var rest = text
        let labels = try labels(&rest)
        let numbers = rest.split(separator: " ", omittingEmptySubsequences: false)
        guard numbers.count == 3, numbers[0].isEmpty, let value = Double(numbers[1]),
            let time = Double(numbers[2]),
            labels.reduce(0, { $0 + $1.key.unicodeScalars.count + $1.value.unicodeScalars.count }) <= 128
        else { throw Malformed(line: String(text)) }
        return Exemplar(labels: labels, value: value, time: time)
    }

    private static func labels(_ rest: inout Substring) throws -> [String: String] {
        guard rest.popFirst() == "{" else { throw Malformed(line: String(rest)) }
        var labels: [String: String] = [:]
        while rest.first != "}" {
            let key = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
            rest = rest.dropFirst(key.count)
            guard !key.isEmpty, rest.hasPrefix("=\"") else { throw Malformed(line: String(rest)) }
            rest = rest.dropFirst(2)
            var raw = ""
            while let character = rest.first, character != "\"" {
                raw.append(character)
                rest = rest.dropFirst()
                if character == "\\", let next = rest.popFirst() { raw.append(next) }
            }
            guard rest.popFirst() == "\"" else { throw Malformed(line: String(rest)) }
            guard labels.updateValue(try unescape(raw, quotes: true), forKey: key) == nil else {
                throw Malformed(line: String(rest))
            }
            if rest.first == "," {
                rest = rest.dropFirst()
            } else if rest.first != "}" {
                throw Malformed(line: String(rest))
            }
        }
        rest = rest.dropFirst()
        return labels
    }

    private static func unescape(_ text: String, quotes: Bool) throws -> String {
        var result = ""
        var rest = Substring(text)
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "\"" where quotes: result.append("\"")
            default: throw Malformed(line: text)
            }
        }
        return result
    }

    /// Checks that no sample occurs twice, and that histograms are complete and cumulative.
    private func check(_ family: Family) throws {
        guard !family.type.isEmpty, !family.help.isEmpty, !family.samples.isEmpty else {
            throw Malformed(line: family.name)
        }
        for (index, sample) in family.samples.enumerated() {
            for other in family.samples[..<index]
            where other.name == sample.name && other.labels == sample.labels {
                throw Malformed(line: "\(sample) twice")
            }
        }
        if family.type == "counter", family.name.hasSuffix("_total") != (format == .classic) {
            throw Malformed(line: family.name)
        }
        if family.type == "histogram" { try checkHistogram(family) }
    }

    private func checkHistogram(_ family: Family) throws {
        let counts = family.samples.filter { $0.name == family.name + "_count" }
        for count in counts {
            let buckets = family.samples.filter { sample in
                sample.name == family.name + "_bucket"
                    && sample.labels.filter { $0.key != "le" } == count.labels
            }
            let bounds = buckets.compactMap { Double($0.labels["le"] ?? "") }
            let values = buckets.map(\.value)
            let sums = family.samples.filter { $0.name == family.name + "_sum" && $0.labels == count.labels }
            guard bounds.count == buckets.count, bounds == bounds.sorted(), bounds.last == .infinity,
                sums.count == 1,
                values == values.sorted(), values.last == count.value
            else { throw Malformed(line: family.name) }
            for (bucket, lower) in zip(buckets, [-.infinity] + bounds) {
                guard let exemplar = bucket.exemplar else { continue }
                guard bucket.value > 0, exemplar.value > lower,
                    exemplar.value <= Double(bucket.labels["le"] ?? "") ?? 0
                else { throw Malformed(line: "\(bucket)") }
            }
        }
    }
}
