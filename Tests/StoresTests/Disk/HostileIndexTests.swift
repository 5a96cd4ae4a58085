// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPCaching
import HTTPSemantics
import ImageHeaders
import Pipeline
import Recipes
@testable import Stores
import Testing

@Suite struct HostileIndexTests {
    /// Each of these numbers in one row of either kind.
    @Test(arguments: [Int64.max, .min, -1, 1 << 40, 0])
    func `numbers that no writer wrote are left out or harmless`(number: Int64) throws {
        let columns = [
            "length", "width", "height", "pages", "orientation", "traits", "last_modified", "response_time",
            "initial_age", "lifetime", "client_lifetime", "stale_while_revalidate", "stale_if_error", "flags",
            "accessed", "format",
        ]
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for index in columns.indices {
            try first.keep(original: Picture(index, length: 100))
            try first.keep(rendition: Picture(index, length: 100))
        }
        first.close()
        do {
            let database = try Database(path: cache.folder + "/index.sqlite", .readWrite)
            for (index, column) in columns.enumerated() {
                let name = NameKey(Picture(index, length: 100).original().key)
                let key =
                    String(name.words.0, radix: 16).leftPadded + String(name.words.1, radix: 16).leftPadded
                try database.execute("UPDATE originals SET \(column)=\(number) WHERE key=x'\(key)'")
                guard ["length", "width", "height", "pages", "accessed", "format"].contains(column) else {
                    continue
                }
                let rendition = Picture.renditionKey(index).digest.hex
                try database.execute("UPDATE renditions SET \(column)=\(number) WHERE key=x'\(rendition)'")
            }
        }
        let second = try cache.open()
        defer { second.close() }
        let moment = cache.now
        for index in columns.indices {
            let picture = Picture(index, length: 100)
            if let original = second.original(picture.original().key) {
                #expect(original.freshness.age(at: moment) >= 0)
                #expect((1...8).contains(original.header.orientation) && original.header.pages > 0)
                #expect(
                    original.header.width.multipliedReportingOverflow(by: original.header.height).overflow
                        == false)
            }
            _ = second.bytes(original: picture)
            _ = second.bytes(rendition: index)
        }
        for listed in try second.list(.all, after: "", limit: 100) {
            let left = listed.secondsLeft(at: moment.seconds)
            #expect(left <= Int(Int32.max) && left > -1_000_000_000_000, "\(listed)")
        }
        #expect(second.catalogue.bytes >= 0 && second.sweep().state == .finished)
        second.flush()
    }
}

@Suite struct ListedOriginalTests {
    private func listed(arrived: Int64, age: Int = 0, lifetime: Int) -> ListedOriginal {
        ListedOriginal(
            url: "http://a.test/", digest: "", length: 1, format: "png", width: 1, height: 1, pages: 1,
            responseTime: arrived, initialAge: age, lifetime: lifetime, accessed: 0)
    }

    @Test func `what is left of a lifetime counts from the arrival, less the age on arrival`() {
        #expect(listed(arrived: 1_000, age: 10, lifetime: 600).secondsLeft(at: 1_100) == 490)
        #expect(listed(arrived: 1_000, lifetime: 50).secondsLeft(at: 1_100) == -50)
        // Nobody knows how old the entry is.
        #expect(listed(arrived: 10_000, lifetime: 600).secondsLeft(at: 1_000) <= 0)
    }

    @Test func `any numbers can be listed`() {
        let numbers = [Int.min, -1, 0, 1, .max]
        for arrived in numbers {
            for age in numbers {
                for lifetime in numbers {
                    let original = listed(arrived: Int64(arrived), age: age, lifetime: lifetime)
                    #expect(abs(original.secondsLeft(at: 1_700_000_000)) < 1_000_000_000_000)
                }
            }
        }
    }
}

extension String {
    fileprivate var leftPadded: String { String(repeating: "0", count: 16 - count) + self }
}
