// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import RandomInputs
import Recipes
import SourceURLs
@testable import Stores
import Testing

/// A killed process leaves what was on the disk at that moment. Rows wait for `flush` here, so a copy of the folder between two
/// calls is such a moment, with any number of files linked and rows not yet written.
@Suite struct DiskCrashTests {
    private static let count = 60

    /// Does something random to one of `count` pictures.
    private func step(_ store: DiskStore, _ random: inout SplitMix64) throws {
        let number = Int(random.next() % UInt64(Self.count))
        switch random.next() % 12 {
        case 0..<4: try store.keep(rendition: Picture(number))
        // Each URL has one of three pictures, which several URLs share.
        case 4..<7: try store.keep(original: Picture(number / 3), url: "http://host/\(number)")
        case 7: store.forgetRendition(Picture.renditionKey(number))
        case 8: store.forgetOriginal(OriginalKey(url: "http://host/\(number)"))
        case 9: store.flush()
        default: check(store, number)
        }
    }

    /// Checks that everything that is found has the right bytes.
    private func check(_ store: DiskStore, _ number: Int) {
        if let bytes = store.bytes(rendition: number) { #expect(bytes == Picture(number).bytes) }
        if let original = store.original(OriginalKey(url: "http://host/\(number)")) {
            #expect(original.digest.digest == Picture(number / 3).digest)
            if let bytes = store.bytes(original: Picture(number / 3)) {
                #expect(bytes == Picture(number / 3).bytes)
            }
        }
    }

    /// Sweeps, and then checks that files, rows and memory agree.
    private func checkAgreement(_ cache: CacheUnderTest, in folder: String, _ seed: UInt64) throws {
        let store = try cache.open(in: folder)
        #expect(store.sweep().state == .finished)
        store.flush()
        for number in 0..<Self.count { check(store, number) }
        store.flush()
        let statistics = store.statistics
        #expect(
            CacheUnderTest.files(in: folder, "originals").count == statistics.originalFiles, "seed \(seed)")
        #expect(CacheUnderTest.files(in: folder, "renditions").count == statistics.renditions, "seed \(seed)")
        store.close()
        let again = try cache.open(in: folder)
        defer { again.close() }
        let report = again.sweep()
        #expect(report.orphans == 0 && report.dropped == 0, "seed \(seed)")
        #expect(again.statistics.originals == statistics.originals, "seed \(seed)")
        #expect(again.statistics.originalBytes == statistics.originalBytes, "seed \(seed)")
        #expect(again.statistics.renditionBytes == statistics.renditionBytes, "seed \(seed)")
    }

    @Test(arguments: [UInt64.random(in: .min ... .max), 1, 2, 3])
    func `a kill at any moment loses time and nothing else`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open { $0.usesUnnamedFiles = seed % 2 == 0 }
        defer { store.close() }
        for _ in 0..<8 {
            for _ in 0..<(random.next() % 120) { try step(store, &random) }
            let copy = try cache.snapshot()
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try checkAgreement(cache, in: copy, seed)
        }
    }

    @Test(arguments: [UInt64.random(in: .min ... .max), 4, 5, 6])
    func `a power cut that damages files lets no wrong byte out`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        for _ in 0..<5 {
            for _ in 0..<150 { try step(store, &random) }
            let copy = try cache.snapshot()
            defer { try? FileManager.default.removeItem(atPath: copy) }
            for kind in ["originals", "renditions"] {
                let files = CacheUnderTest.files(in: copy, kind)
                for path in files where random.next() % 4 == 0 {
                    let data = try Data(contentsOf: URL(fileURLWithPath: path))
                    guard data.count > 164 else { continue }
                    let damage: [Damage] = [.bodyByte, .cutBody, .cutToNothing, .zeroed, .swapped]
                    let other = files[Int(random.next() % UInt64(files.count))]
                    guard other != path else { continue }
                    try damage[Int(random.next() % 5)].happen(to: path, other: other)
                }
            }
            // Rows may also be damaged.
            if random.next() % 3 == 0 {
                try DiskDamageTests.IndexDamage.flippedPages.happen(to: copy + "/index.sqlite")
            }
            try checkAgreement(cache, in: copy, seed)
        }
    }

    @Test func `many tasks on the same few pictures never see a wrong byte`() async throws {
        let cache = try CacheUnderTest(inMemory: true)
        let seed = SeededRandom(for: "DiskCrash").seed
        let store = try cache.open {
            $0.commitInterval = 1
            $0.renditionsBudget = 40 * 9_000
            $0.threads = 8
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    _ = await store.perform { store in
                        var random = SplitMix64(seed: seed &+ UInt64(task))
                        for _ in 0..<300 {
                            #expect(throws: Never.self, "seed \(seed)") { try self.step(store, &random) }
                        }
                    }
                }
            }
        }
        store.flush()
        let statistics = store.statistics
        #expect(statistics.damaged == 0, "seed \(seed)")
        #expect(store.health == .good)
        store.close()
        try checkAgreement(cache, in: cache.folder, seed)
    }
}
