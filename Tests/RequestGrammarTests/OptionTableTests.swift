// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import Testing

@Suite struct OptionTableTests {
    @Test func `no two rows share a name`() {
        let names = OptionTable.rows.flatMap { [$0.name] + $0.synonyms }
        #expect(Set(names).count == names.count)
        for row in OptionTable.rows {
            for name in [row.name] + row.synonyms {
                #expect(OptionTable.option(named: name)?.name == row.name)
            }
        }
    }

    @Test func `the reference has a row for each option`() {
        let lines = OptionTable.markdown.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == OptionTable.rows.count + 3)
        #expect(lines.first == "| option | value | default | meaning |")
        #expect(lines.contains("| `con` | -100…100 | 0 | contrast |"))
        #expect(lines.dropLast().allSatisfy { $0.count { $0 == "|" } == 5 })
    }

    @Test(arguments: [
        ("maxbytes", "bytes"), ("minw", "pixels"), ("minh", "pixels"), ("tsize", "pixels"),
        ("pixelate", "pixels"), ("ro", "degrees"), ("hue", "degrees"), ("delay", "milliseconds"),
        ("w", "pixels"), ("pad", "pixels"),
    ])
    func `the range of an option with a unit is told with it`(name: String, unit: String) throws {
        let row = try #require(OptionTable.option(named: name))
        #expect(row.values.contains(unit), "\(row.values)")
    }
}
