// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

@testable import Stores

@Suite struct SlotIndexTests {
    @Test(arguments: [UInt64.random(in: .min ... .max), 1, 2])
    func `it finds what a dictionary finds, with hashes that collide and wrap around`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var index = SlotIndex()
        // Hashes by slot. There are few different hashes, some near the end of the table, so that clusters wrap around.
        var model: [Int: UInt32] = [:]
        func hash() -> UInt32 { UInt32(truncatingIfNeeded: random.next() % 24) &- 12 }
        for step in 0..<20_000 {
            let slot = Int(random.next() % 200)
            switch (random.next() % 3, model[slot]) {
            case (0, nil), (1, nil):
                let hash = hash()
                index.insert(hash, slot: slot)
                model[slot] = hash
            case (0, let hash?):
                index.remove(hash, slot: slot)
                model[slot] = nil
            case (1, let hash?):
                let free = Int(random.next() % 200)
                if model[free] == nil {
                    index.move(hash, from: slot, to: free)
                    model[free] = hash
                    model[slot] = nil
                }
            default:
                let hash = hash()
                let expected = model.filter { $0.value == hash }.keys.sorted()
                var seen: [Int] = []
                let found = index.find(hash) { candidate in
                    seen.append(candidate)
                    return false
                }
                #expect(found == nil)
                #expect(seen.sorted() == expected, "seed \(seed), step \(step)")
            }
            #expect(index.count == model.count)
        }
    }
}
