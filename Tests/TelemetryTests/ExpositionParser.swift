// SPDX-License-Identifier: Apache-2.0

/// Reads the Prometheus text format 0.0.4 strictly, written from the format's description and not from our
/// writer: https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details
struct ExpositionParser {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Family {
        var name: String
        var help: String
        var type: String
        var samples: [Sample] = []
    }

    struct Malformed: Error { var line: String }

    private(set) var families: [Family] = []

    init(_ page: String) throws {
        guard page.hasSuffix("\n") else { throw Malformed(line: "no line feed at the end") }
        for line in page.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            try read(String(line))
        }
        for family in families { try check(family) }
    }

    private mutating func read(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(
            String.init)
        if line.hasPrefix("# HELP "), words.count == 4 {
            guard !families.contains(where: { $0.name == words[2] }) else { throw Malformed(line: line) }
            families.append(
                Family(name: words[2], help: try Self.unescape(words[3], quotes: false), type: ""))
        } else if line.hasPrefix("# TYPE "), words.count == 4, families.last?.name == words[2] {
            guard ["counter", "gauge", "histogram"].contains(words[3]), families.last?.type == "" else {
                throw Malformed(line: line)
            }
            families[families.count - 1].type = words[3]
        } else {
            let sample = try Self.sample(line)
            guard let family = families.last, Self.belongs(sample.name, to: family) else {
                throw Malformed(line: line)
            }
            families[families.count - 1].samples.append(sample)
        }
    }

    private static func belongs(_ name: String, to family: Family) -> Bool {
        family.type == "histogram"
            ? ["_bucket", "_sum", "_count"].contains { name == family.name + $0 } : name == family.name
    }

    private static func sample(_ line: String) throws -> Sample {
        var rest = Substring(line)
        let name = String(
            rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") })
        guard let first = name.first, !first.isNumber else { throw Malformed(line: line) }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let key = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
                rest = rest.dropFirst(key.count)
                guard !key.isEmpty, rest.hasPrefix("=\"") else { throw Malformed(line: line) }
                rest = rest.dropFirst(2)
                var raw = ""
                while let character = rest.first, character != "\"" {
                    raw.append(character)
                    rest = rest.dropFirst()
                    if character == "\\", let next = rest.popFirst() { raw.append(next) }
                }
                guard rest.popFirst() == "\"" else { throw Malformed(line: line) }
                guard labels.updateValue(try unescape(raw, quotes: true), forKey: key) == nil else {
                    throw Malformed(line: line)
                }
                if rest.first == "," {
                    rest = rest.dropFirst()
                } else if rest.first != "}" {
                    throw Malformed(line: line)
                }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " ", let value = Double(rest.dropFirst()) else { throw Malformed(line: line) }
        return Sample(name: name, labels: labels, value: value)
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

    /// No sample twice; histograms are whole and cumulative.
    private func check(_ family: Family) throws {
        guard !family.type.isEmpty, !family.samples.isEmpty else { throw Malformed(line: family.name) }
        for (index, sample) in family.samples.enumerated() {
            for other in family.samples[..<index]
            where other.name == sample.name && other.labels == sample.labels {
                throw Malformed(line: "\(sample) twice")
            }
        }
        if family.type == "counter", !family.name.hasSuffix("_total") { throw Malformed(line: family.name) }
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
        }
    }
}
