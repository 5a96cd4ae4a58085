// SPDX-License-Identifier: Apache-2.0

import Kernel
import SourceURLs
@testable import Stores
import Synchronization
import Testing

@Suite("Fields that wait for the index are searched beside those that come", .timeLimit(.minutes(1)))
struct PendingFieldsTests {
    private static func key(_ number: Int) -> OriginalKey { OriginalKey(url: "http://a.test/\(number)") }

    @Test func `fields wait until the last of their changes is committed`() {
        let pending = PendingFields()
        let (key, name) = (Self.key(1), NameKey(Self.key(1)))
        for fields in ["first", "second"] { pending.put(fields, for: name, of: key) }
        pending.put("other", for: NameKey(Self.key(2)), of: Self.key(2))
        let change = Change(
            .refreshOriginal(key, Picture.freshness(lifetime: 1), lastModified: nil, fields: "first"))
        pending.committed([change, Change(.deleteOriginal(name))])
        #expect(pending[name] == "second")
        pending.committed([change])
        #expect(pending[name] == nil)
        #expect(pending.keys { _, _ in true } == [Self.key(2)])
    }

    //   a purge                             an answer
    //   looks at the first entry
    //                                       enters its fields, under the lock of its name
    //   looks at the others
    @Test func `an answer does not wait for a search through all`() throws {
        let pending = PendingFields()
        for number in 0..<100 { pending.put("etag", for: NameKey(Self.key(number)), of: Self.key(number)) }
        let isIn = Monitor(false)
        var looks = 0
        var answer: WorkerThread?
        let found = pending.keys { key, _ in
            looks += 1
            if looks == 1 {
                answer = try? WorkerThread("answer") {
                    pending.put("new", for: NameKey(Self.key(100)), of: Self.key(100))
                    isIn.set()
                }
                #expect(isIn.isSet(within: 30_000), "it waits for the search")
            }
            return key != Self.key(7)
        }
        try #require(answer).join()
        // The new entry may or may not be found.
        #expect(Set(found).subtracting([Self.key(100)]) == Set((0..<100).filter { $0 != 7 }.map(Self.key)))
        #expect(pending[NameKey(Self.key(100))] == "new")
    }
}
