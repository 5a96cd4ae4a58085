// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

struct MetricsTests {
    private let metrics = Metrics(build: BuildInfo(version: "1.2.3", libvips: "8.14.1"))

    private func page(_ observe: (Observed) -> Int = { _ in 0 }) throws -> [String: ExpositionParser.Family] {
        let families = try ExpositionParser(metrics.exposition(observe)).families
        return Dictionary(uniqueKeysWithValues: families.map { ($0.name, $0) })
    }

    @Test func `the page is well-formed and has every metric of the table`() throws {
        let page = try page()
        #expect(Set(page.keys) == Set(metrics.rows.map(\.name)))
        for row in metrics.rows {
            let family = try #require(page[row.name])
            #expect(family.type == row.kind.rawValue && family.help == row.help)
            for sample in family.samples {
                #expect(Set(sample.labels.keys).subtracting(["le"]) == Set(row.labels), "\(sample)")
            }
        }
    }

    @Test func `names follow the habits of Prometheus`() {
        for row in metrics.rows {
            #expect(row.name.hasPrefix("pictor_"))
            #expect(row.name.hasSuffix("_total") == (row.kind == .counter), "\(row.name)")
            #expect(row.help.hasSuffix(".") && !row.help.contains("|"), "\(row.name)")
        }
    }

    @Test func `a request is counted under its labels and nowhere else`() throws {
        metrics.requests.add(RequestLabels(door: .native, outcome: .memoryHit, status: .success))
        metrics.requests.add(RequestLabels(door: .native, outcome: .memoryHit, status: .success))
        metrics.requests.add(RequestLabels(door: .other, outcome: .refused, status: .serverError))
        let samples = try #require(page()["pictor_requests_total"]).samples
        #expect(samples.count == RequestLabels.count)
        #expect(samples.reduce(0) { $0 + $1.value } == 3)
        let hit = samples.first { $0.labels == ["door": "native", "outcome": "memoryHit", "status": "2xx"] }
        let refusal = samples.first { $0.labels == ["door": "other", "outcome": "refused", "status": "5xx"] }
        #expect(hit?.value == 2 && refusal?.value == 1)
    }

    @Test func `every combination of labels has its own number and its own words`() {
        var seen: Set<Int> = []
        for door in DoorLabel.allCases {
            for outcome in OutcomeLabel.allCases {
                for status in StatusClassLabel.allCases {
                    let labels = RequestLabels(door: door, outcome: outcome, status: status)
                    #expect(seen.insert(labels.index).inserted)
                    #expect(
                        RequestLabels.values(at: labels.index) == [door.value, outcome.value, status.value])
                }
            }
        }
        #expect(seen == Set(0..<RequestLabels.count))
    }

    @Test func `the values of each label are numbered without gaps`() {
        func check<L: Label>(_ label: L.Type) {
            #expect(L.allCases.map(\.rawValue) == Array(0..<L.count), "\(L.name)")
            #expect((0..<L.count).flatMap(L.values) == L.allCases.map(\.value))
        }
        check(DoorLabel.self)
        check(OutcomeLabel.self)
        check(StatusClassLabel.self)
        check(StageLabel.self)
        check(FetchResultLabel.self)
        check(FormatLabel.self)
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

    @Test func `numbers of other rooms are asked for once each, and shown as given`() throws {
        var asked: [Observed] = []
        let page = try page { number in
            asked.append(number)
            return 100 + asked.count
        }
        #expect(asked == Observed.allCases)
        for (index, number) in Observed.allCases.enumerated() {
            let labels = Dictionary(uniqueKeysWithValues: number.labels)
            let sample = page[number.row.name]?.samples.first { $0.labels == labels }
            #expect(sample?.value == Double(101 + index), "\(number)")
        }
    }

    @Test func `build information is escaped`() throws {
        let odd = Metrics(build: BuildInfo(version: "a\"b\\c\nd", libvips: "é"))
        let families = try ExpositionParser(odd.exposition { _ in 0 }).families
        let build = try #require(families.last)
        #expect(
            build.samples == [
                .init(name: "pictor_build_info", labels: ["version": "a\"b\\c\nd", "libvips": "é"], value: 1)
            ])
    }

    @Test func `additions of several threads are all counted`() async {
        let counter = metrics.originBytes
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<10_000 { counter.add(3) } } }
        }
        #expect(counter.value == 240_000)
    }

    @Test func `the table for the documentation has a line for every metric`() {
        let lines = metrics.markdown.split(separator: "\n")
        #expect(lines.count == metrics.rows.count + 2)
        #expect(
            lines.contains(
                "| `pictor_requests_total` | counter | requests | `door` `outcome` `status` | Requests answered. |"
            ))
        #expect(lines.allSatisfy { $0.filter { $0 == "|" }.count == 6 })
    }
}
