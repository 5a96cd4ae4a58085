// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import TestSupport
import Testing

@Suite(
    "The price of a picture is no less than what a decoder takes for it, and not far above", .endToEnd,
    .timeLimit(.minutes(10)))
struct PriceDaemonTests {
    /// What `JobPrice` adds for threads, tables and buffers, which a small picture does not fill.
    private static let fixed = 16 << 20
    /// What is between a price and a peak is memory that nobody uses. The price must hold for the worst picture of its
    /// kind, and a header does not tell which that is: WebP without loss, four inks, sixteen bits.
    private static let mostAbove = 4

    private static let originals = [
        "output=jpg", "output=jpg&il", "output=png", "output=png&il", "output=webp", "output=webp&ll",
        "output=gif", "output=tiff", "output=avif", "mask=circle&output=png",
    ]
    private static let recipes = [
        "w=200&output=jpg", "w=1000&output=webp", "w=1000&output=avif", "output=jpg&il", "output=png&il",
        "output=png", "output=gif", "output=webp", "ro=90&output=jpg", "ro=31&output=webp", "flip&output=jpg",
        "blur=5&output=webp", "sharp=2&output=webp", "trim&w=300&output=jpg", "mask=star&output=webp",
        "cx=10&cy=10&cw=1500&ch=1000&precrop&output=jpg", "w=900&h=900&fit=cover&a=attention&output=jpg",
        "w=1500&q=auto&output=jpg",
    ]
    /// Recipes with what came to the language later.
    private static let additions = [
        "w=2400&h=2400&fit=contain&cblur&output=jpg", "w=900&h=1800&fit=contain&cblur=4&output=webp",
        "maxbytes=60000&output=webp", "maxbytes=50000&output=jpg", "pad=300,200&radius=80&output=webp",
        "pixelate=24&output=webp", "w=1200&radius=200&pad=400&pixelate=3&output=jpg",
        // Many steps with neighbours.
        "blur=5&sharp=2&sat=0.6&output=jpg", "w=500&h=500&fit=cover&a=entropy&output=png",
    ]

    /// Serves the picture of that number.
    private static func origin(_ pictures: [[UInt8]]) -> ScriptedOrigin {
        ScriptedOrigin { peer in peer.picture(pictures[Int(peer.target.dropFirst()) ?? 0]) }
    }

    private struct Measure: CustomStringConvertible {
        let price: Int
        let peak: Int
        var description: String { "\(price >> 20) MiB for \(peak >> 20) MiB" }
    }

    /// What the log says of the job that `get` has made; `count` jobs are in it before.
    private static func measure(_ daemon: DaemonUnderTest, after count: Int) throws -> Measure {
        var lines: [String] = []
        let isThere = Patience.until {
            lines = daemon.log.filter { $0.contains("\"decoder measured\"") }
            return lines.count > count
        }
        try #require(isThere, "no measure in the log")
        let price = lines[count].firstMatch(of: /"price":"([0-9]+)"/).flatMap { Int($0.1) }
        let peak = lines[count].firstMatch(of: /"peak":"([0-9]+)"/).flatMap { Int($0.1) }
        return Measure(price: try #require(price), peak: try #require(peak))
    }

    @Test func `for every format, with and without what needs the whole picture`() throws {
        // All of them for one picture without alpha and one with it.
        try check { [0, 9].contains($0) ? Self.recipes : Array(Self.recipes.prefix(3)) }
    }

    /// In a process of its own: what it keeps of earlier pictures is not measured again.
    @Test func `for bars, padding, corners, squares, and a number of bytes`() throws {
        try check { [0, 9].contains($0) ? Self.additions : [] }
    }

    /// The file has three bytes for each pixel, and is the answer unless writing it again makes it smaller.
    @Test func `for noise that might come out bigger than it came in`() throws {
        let pictures = Self.origin([Pictures.gradient(60, 40), Pictures.noise(64, 64)])
        let daemon = try Self.daemon()
        let noise =
            "w=3000&h=2000&fit=fill&we=0&output=jpg&q=100&wm=\(pictures.url("/1").escapedForQuery)&wmp=tile"
        let original = try daemon.get(pictures.url("/0"), noise)
        #expect(original.status == 200)
        #expect(original.body.count > 12_000_000)
        let origin = Self.origin([original.body])
        let reply = try daemon.get(origin.url("/0"), "output=jpg")
        #expect(reply.status == 200)
        #expect(reply.body.count < original.body.count / 2)
        let measure = try Self.measure(daemon, after: 1)
        #expect(measure.peak <= measure.price, "\(measure)")
        #expect(try daemon.metric("pictor_decoder_price_exceeded_total") == 0)
    }

    private static func daemon() throws -> DaemonUnderTest {
        try DaemonUnderTest(
            [
                "--log-level", "debug", "--decoder-processes", "1", "--decoder-recycle-after", "1000000",
                // How long a picture takes is not asked here.
                "--decoder-timeout", "5m",
            ])
    }

    private func check(_ recipes: (_ original: Int) -> [String]) throws {
        let daemon = try Self.daemon()
        // Of 3.8 megapixels, below which AVIF is written, and soft: enlarged from a small one.
        let small = Self.origin([Pictures.gradient(60, 40)])
        var (count, pictures) = (0, [[UInt8]]())
        for options in Self.originals {
            let reply = try daemon.get(small.url("/0"), "w=2400&h=1600&fit=fill&we=0&\(options)")
            #expect(reply.status == 200)
            pictures.append(reply.body)
        }
        count = Self.originals.count
        let origin = Self.origin(pictures)
        for (number, original) in Self.originals.enumerated() {
            for recipe in recipes(number) {
                let reply = try daemon.get(origin.url("/\(number)"), recipe)
                #expect(reply.status == 200)
                let measure = try Self.measure(daemon, after: count)
                count += 1
                #expect(measure.peak <= measure.price, "\(original) → \(recipe): \(measure)")
                #expect(
                    measure.price <= 2 * Self.fixed + Self.mostAbove * max(measure.peak, Self.fixed),
                    "\(original) → \(recipe): \(measure)")
            }
        }
        #expect(try daemon.metric("pictor_decoder_price_exceeded_total") == 0)
        let (prices, peaks) = (
            try daemon.metric("pictor_decoder_price_bytes_total"),
            try daemon.metric("pictor_decoder_peak_bytes_total")
        )
        #expect(prices > peaks && peaks > 0)
    }
}
