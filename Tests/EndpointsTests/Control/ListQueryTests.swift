// SPDX-License-Identifier: Apache-2.0

@testable import Endpoints
import HTTPSemantics
import Pipeline
import Stores
import TestSupport
import Testing

@Suite("The query of a list is read as a whole, or refused") struct ListQueryTests {
    private func words(_ query: String) -> String? {
        do throws(AdminQuery.Mistake) {
            _ = try ListQuery(Array(query.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `each parameter is read, in any order`() throws {
        let query = try ListQuery(Array("limit=7&after=http://a/b&host=a".utf8))
        #expect((query.host, query.after, query.count) == ("a", "http://a/b", 7))
        let none = try ListQuery([])
        #expect((none.host, none.after, none.count) == (nil, "", 100))
    }

    @Test(arguments: ["host=a&host=a", "after=b&limit=1&after=c", "limit=1&limit=2"])
    func `a parameter that is given twice is refused by its name`(query: String) throws {
        let name = query.prefix { $0 != "=" }
        #expect(words(query) == "The parameter \"\(name)\" is given more than once.")
    }

    @Test func `one that there is not is refused by its name`() {
        #expect(
            words("limit=1&hots=a")
                == "There is no parameter \"hots\". Parameters are host, after, limit.")
    }

    @Test(arguments: ["limit=0", "limit=1001", "limit=x", "limit", "host=%zz"])
    func `a value that means nothing is refused by its name`(query: String) throws {
        #expect(try #require(words(query)).contains("\"\(query.prefix { $0 != "=" })\""))
    }

    @Test func `while there is no cache on disk, nobody is told that it holds nothing`() async throws {
        let folder = TemporaryFolder()
        let disk = try DiskCache(
            DiskConfiguration(
                folder: folder.path + "/cache", originalsBudget: 1 << 20, renditionsBudget: 1 << 20),
            now: { Timestamp(seconds: 1) }
        ) { _ in }
        #expect(try await ListQuery().run(on: disk).originals.isEmpty)
        disk.close()
        await #expect(throws: IndexUnreadable.self) { try await ListQuery().run(on: disk) }
    }
}
