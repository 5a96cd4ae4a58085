// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import Recipes
import Testing

@Suite("The forms of options' values") struct ValueShapeTests {
    private func shape(_ name: String) -> ValueShape? { OptionTable.option(named: name)?.shape }

    @Test func `a form is that of the grammar`() {
        #expect(shape("con") == .integer(-100...100, extra: nil))
        #expect(shape("n") == .integer(1...256, extra: -1))
        #expect(shape("dpr") == .decimal(0.1...8))
        #expect(shape("flip") == .flag)
        #expect(shape("w") == .length)
        #expect(shape("bg") == .color)
        #expect(shape("q") == .numberOr(1...100, words: ["auto"]))
        #expect(shape("mod") == .text)
        #expect(shape("fit") == .choice(Recipe.Fit.allCases.map(\.rawValue)))
    }

    /// Every value that a program can make of a form is a value of the option.
    @Test(arguments: OptionTable.rows.filter(\.isChoice).map(\.name))
    func `what a form allows, the option reads`(name: String) throws {
        let option = try #require(OptionTable.option(named: name))
        let texts: [String] =
            switch option.shape {
            case .integer(let range, let extra):
                [range.lowerBound, range.upperBound, extra ?? range.lowerBound].map(String.init)
            case .decimal(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
            case .flag: ["1", "0"]
            case .choice(let names): names
            case .length: ["10", "50%"]
            case .color: ["fff", "ff0000"]
            case .numberOr(let range, let words): ["\(Int(range.upperBound))"] + words
            case .text: []
            }
        for text in texts {
            var (recipe, delivery) = (Recipe(), Delivery())
            #expect(option.set(text, in: &recipe, &delivery), "\(name)=\(text)")
        }
    }

    @Test func `the groups hold each option once, in the table's order`() {
        #expect(OptionTable.groups.flatMap(\.rows).map(\.name) == OptionTable.rows.map(\.name))
        #expect(Set(OptionTable.groups.map(\.name)).count == OptionTable.groups.count)
    }
}
