// SPDX-License-Identifier: Apache-2.0

@testable import Stores
import TestSupport
import Testing

@Suite("A disk that hangs holds up no shutdown", .timeLimit(.minutes(1)))
struct HangingDiskCloseTests {
    @Test func `a shutdown does not wait for a disk that hangs`() async throws {
        let hanging = try HangingDisk()
        let store = try #require(hanging.disk.store)
        await hanging.begin()
        hanging.close()
        hanging.hang.letGo()
        store.close()
    }

    @Test func `a shutdown within the first seconds of a disk's hang does not wait for it either`()
        async throws
    {
        let hanging = try HangingDisk { $0.lastPatience = 50 }
        try hanging.disk.start()
        let caught = await hanging.call()
        #expect(!hanging.disk.hangs)
        hanging.close()
        #expect(await caught.value == nil)
        hanging.hang.letGo()
        await untilFree(hanging.cache)
    }

    @Test func `a shutdown has an end, whatever it waits for`() async throws {
        let hanging = try HangingDisk { $0.longestClose = 50 }
        let order = Task.immediate { await hanging.disk.performOrder { _ in hanging.hang.enter() } }
        await hanging.hang.hasBegun()
        hanging.close()
        hanging.hang.letGo()
        #expect(await order.value != nil)
        await untilFree(hanging.cache)
    }

    /// Waits until no store uses the folder any more.
    private func untilFree(_ cache: CacheUnderTest) async {
        let isFree = await Patience.eventually {
            guard let store = try? cache.open() else { return false }
            store.close()
            return true
        }
        #expect(isFree, "a store still has the folder")
    }
}
