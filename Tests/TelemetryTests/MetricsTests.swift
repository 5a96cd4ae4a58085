// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import Telemetry
import Testing

struct MetricsTests {
    private let metrics = Metrics(build: BuildInfo(version: "1.2.3", libvips: "8.14.1"), codes: ["not_found"])

    private func page(_ observed: [ObservedMetric<Int>] = [], of source: Int = 0) throws
        -> [String: ExpositionParser.Family]
    {
        let families = try ExpositionParser(metrics.exposition(observed, of: source)).families
        return Dictionary(uniqueKeysWithValues: families.map { ($0.name, $0) })
    }

    @Test func `the page is well-formed and has every metric of the table`() throws {
        let page = try page(observed)
        let rows = metrics.rows(observed)
        #expect(page.count == rows.count && Set(page.keys) == Set(rows.map(\.name)))
        for row in rows {
            let family = try #require(page[row.name])
            #expect(family.type == (row.kind == .info ? "gauge" : row.kind.rawValue))
            #expect(family.help == row.help)
            for sample in family.samples {
                #expect(Set(sample.labels.keys).subtracting(["le"]) == Set(row.labels), "\(sample)")
            }
        }
    }

    private let observed: [ObservedMetric<Int>] = [
        .gauge("lamps", "lamps", "Lamps that are lit.") { $0 },
        .counter(
            "steps", "steps", "Steps that were taken.", by: "foot", ["left": { $0 + 1 }, "right": \.bitWidth]),
    ]

    @Test func `numbers of other rooms are read of the source under the names of their kinds`() throws {
        let page = try page(observed, of: 7)
        #expect(page["pictor_lamps"]?.samples == [.init(name: "pictor_lamps", labels: [:], value: 7)])
        #expect(
            page["pictor_steps_total"]?.samples == [
                .init(name: "pictor_steps_total", labels: ["foot": "left"], value: 8),
                .init(name: "pictor_steps_total", labels: ["foot": "right"], value: 64),
            ])
    }

    @Test func `a request is counted under its labels and nowhere else`() throws {
        metrics.requests.add(
            RequestLabels(dialect: DialectLabel(.native), outcome: .memoryHit, status: .success))
        metrics.requests.add(
            RequestLabels(dialect: DialectLabel(.native), outcome: .memoryHit, status: .success))
        metrics.requests.add(
            RequestLabels(dialect: DialectLabel(nil), outcome: .refused, status: .serverError))
        let samples = try #require(page()["pictor_requests_total"]).samples
        #expect(samples.count == RequestLabels.count)
        #expect(samples.reduce(0) { $0 + $1.value } == 3)
        let hit = samples.first {
            $0.labels == ["dialect": "native", "outcome": "memoryHit", "status": "2xx"]
        }
        let refusal = samples.first {
            $0.labels == ["dialect": "other", "outcome": "refused", "status": "5xx"]
        }
        #expect(hit?.value == 2 && refusal?.value == 1)
    }

    @Test func `every combination of labels has its own number and its own words`() {
        var seen: Set<Int> = []
        for dialect in (0..<DialectLabel.count).map(DialectLabel.init(number:)) {
            for outcome in OutcomeLabel.allCases {
                for status in StatusClassLabel.allCases {
                    let labels = RequestLabels(dialect: dialect, outcome: outcome, status: status)
                    #expect(seen.insert(labels.index).inserted)
                    #expect(
                        RequestLabels.values(at: labels.index) == [
                            dialect.value, outcome.value, status.value,
                        ])
                }
            }
        }
        #expect(seen == Set(0..<RequestLabels.count))
    }

    @Test func `a number that is no dialect's is other`() {
        for number in [-1, DialectLabel.count, 99, .max] {
            #expect(DialectLabel(number: number).value == "other")
        }
    }

    @Test func `the values of each label are numbered without gaps`() {
        func check<L: Label>(_ label: L.Type) {
            #expect(L.allCases.map(\.rawValue) == Array(0..<L.count), "\(L.name)")
            #expect((0..<L.count).flatMap(L.values) == L.allCases.map(\.value))
        }
        check(OutcomeLabel.self)
        check(StatusClassLabel.self)
        check(StageLabel.self)
        check(FetchResultLabel.self)
        check(FormatLabel.self)
        check(LimitLabel.self)
    }

    @Test func `the words that dashboards ask for stay as they are`() {
        func words<L: Label>(_ label: L.Type) -> String {
            "\(L.name): " + L.allCases.map(\.value).joined(separator: " ")
        }
        // More dialects may follow.
        #expect(DialectLabel.values.prefix(4) == ["other", "native", "weserv", "next"])
        #expect(
            words(OutcomeLabel.self)
                == "outcome: memoryHit diskHit sharedHit stale revalidated rendered coalesced negative bypassed refused synthetic"
        )
        #expect(words(StatusClassLabel.self) == "status: 2xx 3xx 4xx 5xx")
        #expect(words(StageLabel.self) == "stage: cache origin inspect queue decode encode")
        #expect(
            words(FetchResultLabel.self)
                == "result: complete notModified clientError serverError refused unresolved unreachable timeout "
                + "tooLarge broken overloaded cancelled")
        #expect(words(FormatLabel.self) == "format: jpeg png webp avif gif tiff jxl svg other")
        #expect(words(LimitLabel.self) == "limit: requests misses")
    }

    @Test(
        arguments: [
            (200, .success), (206, .success), (304, .redirection), (404, .clientError), (499, .clientError),
            (500, .serverError),
            (599, .serverError), (0, .serverError), (999, .serverError),
        ] as [(Int, StatusClassLabel)])
    func `a status has its class`(status: Int, expected: StatusClassLabel) {
        #expect(StatusClassLabel(status: status) == expected)
    }

    @Test func `build information is escaped`() throws {
        let odd = Metrics(build: BuildInfo(version: "a\"b\\c\nd", libvips: "é"), codes: ["not_found"])
        let families = try ExpositionParser(odd.page).families
        let build = try #require(families.first { $0.name == "pictor_build_info" })
        #expect(
            build.samples == [
                .init(name: "pictor_build_info", labels: ["version": "a\"b\\c\nd", "libvips": "é"], value: 1)
            ])
    }

    @Test func `build information tells the engine of the moment`() throws {
        let own = Metrics(build: BuildInfo(version: "1", libvips: "a"), codes: ["not_found"])
        own.build.replace(libvips: "b")
        let families = try ExpositionParser(own.page).families
        let build = try #require(families.first { $0.name == "pictor_build_info" })
        #expect(
            build.samples == [
                .init(name: "pictor_build_info", labels: ["version": "1", "libvips": "b"], value: 1)
            ])
    }

    @Test func `additions of several threads are all counted`() async {
        let counter = metrics.qualitySearches
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<10_000 { counter.add(3) } } }
        }
        #expect(counter.value == 240_000)
    }

    @Test func `the table for the documentation has a line for every metric`() {
        let rows = metrics.rows(observed)
        let lines = MetricRow.markdown(rows).split(separator: "\n")
        #expect(lines.count == rows.count + 3)
        for line in [
            "| `pictor_requests_total` | counter | requests | `dialect` `outcome` `status` | \(RequestLabels.count) | Requests answered. |",
            "| `pictor_lamps` | gauge | lamps | – | 1 | Lamps that are lit. |",
            "| `pictor_steps_total` | counter | steps | `foot` | 2 | Steps that were taken. |",
            "One page has at most \(rows.reduce(0) { $0 + $1.series }) series.",
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        #expect(lines.dropLast().allSatisfy { $0.filter { $0 == "|" }.count == 7 })
    }

    @Test func `the table of labels names every value on the page`() throws {
        let page = try page(observed)
        let table = MetricRow.labelsMarkdown(metrics.rows(observed))
        let lines = table.split(separator: "\n").dropFirst(2)
        #expect(lines.contains("| `foot` | `left` `right` | `pictor_steps_total` |"), "\(table)")
        #expect(
            lines.contains("| `status` | `2xx` `3xx` `4xx` `5xx` | `pictor_requests_total` |"), "\(table)")
        // Labels whose values are listed elsewhere, or can be anything.
        let open: Set = ["code", "version", "libvips", "le"]
        for (name, family) in page {
            for (label, value) in family.samples.flatMap(\.labels) where !open.contains(label) {
                let told = lines.filter {
                    $0.hasPrefix("| `\(label)` |") && $0.contains("`\(name)`") && $0.contains("`\(value)`")
                }
                #expect(told.count == 1, "\(name) \(label)=\(value)")
            }
        }
    }

    @Test func `a metric has as many series as its row says`() throws {
        let page = try page(observed)
        for row in metrics.rows(observed) {
            #expect(page[row.name]?.samples.count == row.series, "\(row.name)")
        }
    }
}

extension Metrics {
    /// The page with only the metrics that are counted here.
    var page: String { exposition([ObservedMetric<Void>](), of: ()) }
}
