// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("A request means the same in whatever order and by whatever names it is written")
struct OptionOrderTests {
    private static let source = "url=https%3A%2F%2Fa.example%2Fx.jpg"

    /// The canonical options of a random recipe.
    private func options(_ random: inout SeededRandom) -> [String] {
        random.recipe().canonical.split(separator: "&").map(String.init)
    }

    private func recipe(_ options: [String]) throws -> Recipe {
        try ImageRequest.parse(query: ([Self.source] + options).joined(separator: "&")).recipe
    }

    /// Named watermarks and fonts depend on the configuration.
    private func isSelfContained(_ options: [String]) -> Bool {
        !options.contains { $0.hasPrefix("wm=") && !$0.contains("/") || $0.hasPrefix("text=") }
    }

    @Test func `the order of options means nothing`() throws {
        var random = SeededRandom(for: "order of options")
        for _ in 0..<500 {
            let options = options(&random)
            guard isSelfContained(options) else { continue }
            #expect(try recipe(options.shuffled(using: &random)) == recipe(options), "\(options)")
        }
    }

    @Test func `a synonym means what its option means`() throws {
        var random = SeededRandom(for: "synonyms")
        let synonyms = Dictionary(
            uniqueKeysWithValues: OptionTable.rows.filter { !$0.synonyms.isEmpty }.map {
                ($0.name, $0.synonyms)
            })
        for _ in 0..<500 {
            let options = options(&random)
            guard isSelfContained(options) else { continue }
            let renamed = options.map { option in
                let name = String(option.prefix { $0 != "=" })
                guard let other = synonyms[name]?.randomElement(using: &random) else { return option }
                return other + option.dropFirst(name.count)
            }
            #expect(try recipe(renamed) == recipe(options), "\(renamed)")
        }
    }

    @Test func `each option alone may be left out, and the others mean what they meant`() throws {
        var random = SeededRandom(for: "options left out")
        for _ in 0..<300 {
            let options = options(&random)
            guard isSelfContained(options) else { continue }
            for index in options.indices {
                var rest = options
                rest.remove(at: index)
                let less = try recipe(rest)
                #expect(less.canonicalised == less, "\(rest)")
                // Each spelled option was given before, or was suppressed by the removed one.
                let spelled = Set(less.canonical.split(separator: "&").map(String.init))
                var names = Set(options.map { $0.prefix { $0 != "=" } })
                // Without a box with a ratio, a zoom becomes a width in percent.
                if names.contains("zoom") { names.insert("w") }
                for option in spelled {
                    #expect(names.contains(option.prefix { $0 != "=" }), "\(option) of \(rest)")
                }
            }
        }
    }

    @Test func `an escape may stand for any byte`() throws {
        var random = SeededRandom(for: "escaped options")
        for _ in 0..<300 {
            let options = options(&random)
            guard isSelfContained(options) else { continue }
            let query = ([Self.source] + options).joined(separator: "&")
            var escaped: [UInt8] = []
            for byte in query.utf8 {
                // Separators are not escaped, and escapes are not escaped again.
                let isPlain = !"&=%".utf8.contains(byte)
                let isDigitOfEscape = escaped.suffix(2).contains(UInt8(ascii: "%"))
                if isPlain, !isDigitOfEscape, random.chance(20) {
                    let digits = String(byte, radix: 16, uppercase: random.chance(50))
                    escaped += Array("%\(byte < 16 ? "0" : "")\(digits)".utf8)
                } else {
                    escaped.append(byte)
                }
            }
            let other = try ImageRequest.parse(query: escaped).recipe
            #expect(try other == recipe(options), "\(String(decoding: escaped, as: UTF8.self))")
        }
    }

    @Test func `what is said twice is said once too often`() throws {
        var random = SeededRandom(for: "options given twice")
        for _ in 0..<300 {
            let options = options(&random)
            guard isSelfContained(options), let again = options.randomElement(using: &random) else {
                continue
            }
            let error = #expect(throws: RequestError.self) { try recipe(options + [again]) }
            #expect(error == .duplicate(parameter: String(again.prefix { $0 != "=" })))
        }
    }

    @Test func `a delivery is read beside any recipe, and leaves it as it is`() throws {
        var random = SeededRandom(for: "deliveries")
        for _ in 0..<300 {
            let options = options(&random)
            guard isSelfContained(options) else { continue }
            let delivery = ["filename=a-b", "encoding=base64", "maxage=1d", "priority=low", "default=1"]
            let chosen = delivery.filter { _ in random.chance(50) }
            let query = ([Self.source] + (options + chosen).shuffled(using: &random)).joined(separator: "&")
            let request = try ImageRequest.parse(query: query)
            #expect(try request.recipe == recipe(options), "\(query)")
            #expect((request.delivery.filename == "a-b") == chosen.contains("filename=a-b"))
            #expect((request.delivery.encoding == .base64) == chosen.contains("encoding=base64"))
            #expect((request.delivery.maxAge == 86_400) == chosen.contains("maxage=1d"))
            #expect((request.delivery.priority == .low) == chosen.contains("priority=low"))
            #expect((request.delivery.fallback == .source) == chosen.contains("default=1"))
        }
    }

    // MARK: The table itself

    @Test func `every row tells people what it takes, what holds without it and what it does`() {
        for row in OptionTable.rows {
            #expect(
                !row.name.isEmpty && !row.values.isEmpty && !row.defaultValue.isEmpty && !row.meaning.isEmpty)
            #expect(row.meaning.first?.isUppercase == false || row.meaning.hasPrefix("JSON"), "\(row.name)")
            #expect(!row.meaning.hasSuffix("."), "\(row.name)")
            for name in [row.name] + row.synonyms {
                #expect(
                    name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) },
                    "\(name)")
            }
        }
    }

    @Test func `a row that sets nothing says so`() {
        for name in ["url", "url64", "preset", "sig", "exp"] {
            var (recipe, delivery) = (Recipe(), Delivery())
            #expect(OptionTable.option(named: name)?.set("1", in: &recipe, &delivery) == false)
            #expect(recipe == Recipe() && delivery == Delivery())
        }
        for name in ["", "W", "none", "width "] { #expect(OptionTable.option(named: name) == nil) }
    }

    @Test(
        arguments: [
            ("http://host", "/", nil), ("http://host?x", "/", "x"), ("https://host/a?b?c", "/a", "b?c"),
            ("HTTP://h/%2F", "//", nil),
            ("httpx://h/a", "httpx://h/a", nil), ("http:/h", "http:/h", nil), ("*", "*", nil),
            ("/a%3Fb?c", "/a?b", "c"),
            ("/a#b", "/a#b", nil), ("", "/", nil), ("?", "/", ""), ("/é", "/é", nil), ("/%25", "/%", nil),
        ] as [(String, String, String?)])
    func `a target is a path, and a query where there is a question mark`(
        text: String, path: String, query: String?
    ) throws {
        let target = try RequestTarget(text.utf8)
        #expect(target.path == path)
        #expect(target.query.map { String(decoding: $0, as: UTF8.self) } == query)
    }

    @Test(arguments: ["/%", "/%4", "/%zz", "/a%2", "http://h/%g0"])
    func `a path with half an escape is none`(text: String) {
        #expect(throws: RequestError.invalidPath) { try RequestTarget(text.utf8) }
    }
}
