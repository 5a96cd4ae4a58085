// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite struct NativeQueryTests {
    private func recipe(_ options: String) throws -> Recipe {
        try ImageRequest.parse(query: "url=a.com&\(options)").recipe
    }

    @Test func `a request is a source and a recipe`() throws {
        let request = try ImageRequest.parse(
            query: "url=https://a.com/x.jpg&w=800&h=600&fit=cover&a=top&output=webp&q=70")
        var recipe = Recipe()
        recipe.width = .pixels(800)
        recipe.height = .pixels(600)
        recipe.fit = .cover
        recipe.alignment = .top
        recipe.output = .format(.webp)
        recipe.quality = .number(70)
        #expect(request == ImageRequest(source: try SourceURL.parse("https://a.com/x.jpg"), recipe: recipe))
    }

    @Test func `synonyms set the same fields`() throws {
        let native = try recipe("w=10&h=20&fit=cover&a=left&q=5&n=3")
        #expect(try recipe("width=10&height=20&t=cover&align=left&quality=5&pages=3") == native)
    }

    @Test(arguments: [
        ("1", Recipe.Length.pixels(1)), ("16384", .pixels(16_384)), ("007", .pixels(7)),
        ("50%25", .percent(50)),
        ("33.3333%25", .percent(33.3333)), (".5%25", .percent(0.5)),
    ])
    func `lengths are pixels or percent`(value: String, length: Recipe.Length) throws {
        #expect(try recipe("w=\(value)").width == length)
        #expect(try recipe("h=\(value)").height == length)
    }

    @Test(arguments: [
        ("we", true), ("we=", true), ("we=1", true), ("we=true", true), ("we=0", false), ("we=false", false),
    ])
    func `a flag is on when present and off when denied`(option: String, on: Bool) throws {
        #expect(try recipe("w=5&\(option)").withoutEnlargement == on)
    }

    @Test(arguments: [
        ("centre", Recipe.Alignment.center), ("left-top", .topLeft), ("right-bottom", .bottomRight),
        ("t", .top),
        ("tl", .topLeft), ("top-left", .topLeft), ("attention", .attention),
    ])
    func `alignments have their spellings`(value: String, alignment: Recipe.Alignment) throws {
        #expect(try recipe("w=5&h=5&fit=cover&a=\(value)").alignment == alignment)
    }

    @Test(arguments: [
        ("jpg", Recipe.Output.format(.jpeg)), ("jpeg", .format(.jpeg)), ("png", .format(.png)),
        ("webp", .format(.webp)), ("avif", .format(.avif)), ("gif", .format(.gif)), ("auto", .auto),
        ("tiff", .format(.tiff)), ("tif", .format(.tiff)), ("jxl", .format(.jxl)), ("json", .json),
    ])
    func `outputs have their names`(value: String, output: Recipe.Output) throws {
        #expect(try recipe("output=\(value)").output == output)
    }

    @Test func `all frames are asked for by minus one`() throws {
        #expect(try recipe("n=-1").pages == -1)
        #expect(try recipe("n=256").pages == 256)
    }

    @Test(arguments: [
        "w=0", "w=16385", "w=-5", "w=+5", "w=1e3", "w=5.5", "w=", "w", "w=5px", "w=%25", "w=0%25",
        "w=1000.1%25",
        "w=٣", "w=99999999999999999999", "h=nan", "h=1.2.3%25", "dpr=0", "dpr=0.09", "dpr=8.1", "dpr=x",
        "dpr=1e0",
        "dpr=.", "fit=Cover", "fit=", "fit", "we=yes", "we=2", "a=middle", "a=", "output=bmp", "output=JPG",
        "output=source", "q=0", "q=101", "q=1.5", "n=0", "n=257", "n=-2",
    ])
    func `an invalid value is refused with what is allowed`(option: String) throws {
        let name = String(option.prefix { $0 != "=" })
        let allowed = try #require(OptionTable.option(named: name)).values
        let error = RequestError.invalidValue(parameter: name, allowed: allowed)
        #expect(throws: error) { try recipe(option) }
        #expect(error.message.contains("\"\(name)\""))
        #expect(error.message.contains(allowed))
    }

    @Test(arguments: ["blurr", "W", "wd", "", "url2", "n "])
    func `an unknown option is refused and the known ones are told`(name: String) {
        let error = RequestError.unknownOption(parameter: name)
        #expect(throws: error) { try recipe("\(name)=5") }
        #expect(
            error.message.contains(
                "w, h, ar, zoom, dpr, minw, minh, fit, turnbox, we, wr, shrinkbox, linear, a, ax, ay, fpx, fpy"
            ))
    }

    @Test(arguments: ["w=5&w=5", "w=5&width=6", "we&we=0", "url=b.com"])
    func `a parameter given twice is refused`(options: String) {
        let last = options.split(separator: "&").last?.prefix { $0 != "=" } ?? ""
        #expect(throws: RequestError.duplicate(parameter: String(last))) { try recipe(options) }
    }

    @Test func `the URL is needed`() {
        #expect(throws: RequestError.missing(parameter: "url")) { try ImageRequest.parse(query: "w=5") }
        #expect(throws: RequestError.missing(parameter: "url")) { try ImageRequest.parse(query: "") }
    }

    @Test func `a bad URL is refused in its own words`() {
        let error = RequestError.invalidSource(parameter: "url", .userInformation)
        #expect(throws: error) { try ImageRequest.parse(query: "url=http://me@a.com/") }
        #expect(error.parameter == "url")
        #expect(error.message == SourceURLError.userInformation.message)
        #expect(throws: RequestError.invalidSource(parameter: "url", .empty)) {
            try ImageRequest.parse(query: "url")
        }
    }

    @Test(arguments: ["w=16384&dpr=1.1", "h=8193&dpr=2", "w=1000%25&dpr=1.001"])
    func `a ratio that leaves the range of lengths is refused`(options: String) {
        let error = #expect(throws: RequestError.self) { try recipe(options) }
        #expect(error?.parameter == "dpr")
    }

    @Test(arguments: [
        ("w=16384&zoom=1.1", "zoom"), ("w=9000&zoom=0.5&dpr=4", "dpr"), ("w=2&ar=1:10000", "ar"),
        ("h=200&ar=100", "ar"), ("w=200&ar=1:50&zoom=2", "ar"), ("zoom=10&dpr=1.1", "dpr"),
        ("ar=1:1&fit=cover&zoom=0.15&dpr=0.5", "dpr"),
        ("w=9&minw=10000&dpr=2", "dpr"),
    ])
    func `so is a zoom or an aspect ratio`(options: String, name: String) {
        let error = #expect(throws: RequestError.self) { try recipe(options) }
        #expect(error?.parameter == name)
    }

    @Test(arguments: [
        "aHR0cHM6Ly9hLmV4YW1wbGUvYj9jPWQmZT3wn4yKLmpwZw", "aHR0cHM6Ly9hLmV4YW1wbGUvYj9jPWQmZT3wn4yKLmpwZw==",
        "aHR0cHM6Ly9hLmV4YW1wbGUvYj9jPWQmZT3wn4yKLmpwZw%3D%3D",
    ])
    func `a source may be told in base64url`(text: String) throws {
        let plain = try ImageRequest.parse(query: "url=https://a.example/b?c=d%26e=%F0%9F%8C%8A.jpg&w=5")
        #expect(try ImageRequest.parse(query: "w=5&url64=\(text)") == plain)
    }

    @Test func `a source in base64url that is none is refused`() {
        for text in [
            "", "a", "aHR0cHM6Ly9hLmV4YW1wbGUvY!", "aHR0cA+", "_____w", "aHR0cHM6Ly9hLmV4YW1wbGUvYg===",
        ] {
            let error = #expect(throws: RequestError.self, "\(text)") {
                try ImageRequest.parse(query: "url64=\(text)")
            }
            #expect(error?.parameter == "url64")
        }
        #expect(throws: RequestError.duplicate(parameter: "url64")) {
            try ImageRequest.parse(query: "url64=aHR0cHM6Ly9hLmV4YW1wbGUvYg&url=a.com")
        }
        #expect(throws: RequestError.missing(parameter: "url")) { try ImageRequest.parse(query: "w=5") }
    }

    @Test func `an error names no more than 40 characters of a name`() {
        let error = RequestError.unknownOption(parameter: String(repeating: "x", count: 4_000))
        #expect(error.parameter.count == 40)
        #expect(error.message.count < 700)
    }
}
