// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPCaching
import Hashing
import RandomInputs
@testable import Stores
import Synchronization
import Testing

@Suite("A file goes with all names that lead to it", .timeLimit(.minutes(1)))
struct CatalogueTests {
    private static func catalogue(_ cache: CacheUnderTest) throws -> Catalogue {
        let (folder, losses) = (try CacheFolder(cache.configuration(), .readWrite), FileLosses())
        return Catalogue(
            originals: CachePartition(.original, in: folder, budget: 1 << 40, losses: losses),
            renditions: CachePartition(.rendition, in: folder, budget: 1 << 40, losses: losses))
    }

    private static func name(_ number: Int) -> NameKey { NameKey(words: (UInt64(number), 1)) }
    private static func digest(_ number: Int) -> Digest { SHA256.digest(of: Array("\(number)".utf8)) }

    /// Enters names with the files to which they refer.
    private static func enter(_ leading: [(name: Int, file: Digest)], in catalogue: Catalogue) {
        let header = CompactHeader(Picture(1).header)
        catalogue.insert(
            ContiguousArray(
                leading.map {
                    NameEntry(
                        key: name($0.name), digest: $0.file, freshness: Picture.freshness(lifetime: 1),
                        lastModified: nil, isVariant: $0.name.isMultiple(of: 3), accessed: 0, recorded: 0)
                }))
        catalogue.originals.hold(
            ContiguousArray(
                leading.map { FileEntry(key: $0.file, length: 1, picture: header, accessed: 0, recorded: 0) })
        )
    }

    private static func names(_ catalogue: Catalogue) -> [NameKey: Digest] {
        var names: [NameKey: Digest] = [:]
        for entry in catalogue.names.entries { names[entry.key] = entry.digest }
        return names
    }

    @Test func `whichever name is known, all go`() throws {
        var random = SeededRandom(for: "whichever name is known, all go")
        let caches = [try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true)]
        let known = try Self.catalogue(caches[0])
        let searched = try Self.catalogue(caches[1])
        let files = (0..<200).map { Self.digest($0) }
        let leading = (0..<300).map { number in
            (name: number, file: files[Int.random(in: 0..<200, using: &random)])
        }
        for catalogue in [known, searched] { Self.enter(leading, in: catalogue) }
        for file in files.shuffled(using: &random) {
            // Often a name of another file, or of none.
            let right = leading.filter { $0.file == file }.randomElement(using: &random)?.name
            let wrong = Int.random(in: 0..<400, using: &random)
            let number = random.chance(70) ? right ?? wrong : wrong
            let changes = known.removeOriginal(file, namedBy: Self.name(number)) { _ in }
            let expected = searched.removeOriginal(file) { _ in }
            #expect(changes.count == expected.count)
            #expect(changes.allSatisfy { $0.released?.name == file })
            #expect(Self.names(known) == Self.names(searched))
            #expect(known.originals.table[file] == nil && searched.originals.table[file] == nil)
            #expect(known.bytes == searched.bytes)
        }
        #expect(known.names.count == 0 && known.bytes == 0)
    }

    /// The rows that were noted, in their order.
    private final class Rows<Row: Sendable>: Sendable {
        private let rows = Mutex<[Row]>([])

        var all: [Row] { rows.withLock { $0 } }
        var last: Row? { rows.withLock { $0.last } }

        func note(_ row: Row) { rows.withLock { $0.append(row) } }
    }

    /// True for a row that is put, false for one that is deleted.
    private typealias IsPut = Bool

    //   keeps the name                      forgets it
    //   enters it in memory, notes a row
    //                                       takes it out, notes that the row goes
    @Test func `rows are noted in the order in which their name changes`() async throws {
        let catalogue = try Self.catalogue(try CacheUnderTest(inMemory: true))
        let (name, file) = (Self.name(1), Self.digest(1))
        let entry = NameEntry(
            key: name, digest: file, freshness: Picture.freshness(lifetime: 1), lastModified: nil,
            isVariant: false, accessed: 0, recorded: 0)
        let header = CompactHeader(Picture(1).header)
        let rows = Rows<IsPut>()
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<5_000 {
                        let held = FileEntry(key: file, length: 1, picture: header, accessed: 0, recorded: 0)
                        catalogue.originals.hold(held, sharing: true)
                        catalogue.put(entry) { _ in rows.note(true) }
                    }
                }
                group.addTask {
                    for _ in 0..<5_000 {
                        _ = catalogue.removeName(name) { _ in rows.note(false) }
                    }
                }
            }
        }
        let noted = rows.all
        // A name that is gone cannot be removed again before it was added again.
        #expect(!zip(noted, noted.dropFirst()).contains { !$0 && !$1 })
        #expect(noted.first == true && noted.last == (catalogue.names[name] != nil))
        _ = catalogue.removeName(name) { _ in }
        #expect(catalogue.bytes == 0)
    }

    @Test func `rows of renditions are noted in the order in which these change`() async throws {
        let catalogue = try Self.catalogue(try CacheUnderTest(inMemory: true))
        let (partition, file) = (catalogue.renditions, Self.digest(1))
        let held = FileEntry(
            key: file, length: 1, picture: CompactHeader(Picture(1).header), accessed: 0, recorded: 0)
        let rows = Rows<IsPut>()
        for _ in 0..<3_000 {
            await withTaskGroup { group in
                group.addTask {
                    partition.withTurn(file) {
                        partition.hold(held, sharing: false)
                        // The name may have been removed since; it has no row then.
                        partition.noteRow(of: file) { rows.note(true) }
                    }
                }
                group.addTask {
                    _ = catalogue.removeRendition(file) { _ in rows.note(false) }
                }
            }
            #expect(rows.last == (partition.table[file] != nil))
        }
        #expect(catalogue.removeRendition(file, length: 2) { _ in rows.note(false) }.isEmpty)
        #expect(rows.last == (partition.table[file] != nil))
        _ = catalogue.removeRendition(file) { _ in }
        #expect(catalogue.bytes == 0 && catalogue.renditions.table.count == 0)
    }

    //   takes an answer in                  purges softly
    //                                       ends the lifetimes in memory, notes these
    //   has new ones in memory, notes a row
    @Test func `a soft purge never notes the lifetimes of an answer behind those of the next`() async throws {
        let catalogue = try Self.catalogue(try CacheUnderTest(inMemory: true))
        let name = Self.name(1)
        Self.enter([(name: 1, file: Self.digest(1))], in: catalogue)
        let rows = Rows<Freshness>()
        await withTaskGroup { group in
            group.addTask {
                for number in 1...20_000 {
                    let freshness = Picture.freshness(lifetime: Int32(number))
                    catalogue.refresh(
                        name, of: Self.digest(1), freshness, lastModified: nil, isTagged: false, excess: 0
                    ) {
                        rows.note(freshness)
                    }
                }
            }
            group.addTask {
                for _ in 1...20_000 {
                    _ = catalogue.expire(name) { held in
                        var expired = held
                        expired.flags.insert(.expired)
                        return expired
                    } note: { freshness in
                        rows.note(freshness)
                    }
                }
            }
        }
        let lifetimes = rows.all.map(\.lifetime)
        #expect(zip(lifetimes, lifetimes.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(rows.last == catalogue.names[name]?.freshness)
        let isOtherHeld = catalogue.expire(Self.name(2)) { held in
            held
        } note: { _ in
        }
        #expect(!isOtherHeld)
    }

    @Test func `100,000 files that are damaged cost no search through 100,000 names each`() throws {
        let catalogue = try Self.catalogue(try CacheUnderTest(inMemory: true))
        let leading = (0..<100_000).map { (name: $0, file: Self.digest($0)) }
        Self.enter(leading, in: catalogue)
        #expect(catalogue.names.count == 100_000)
        var removed = 0
        for (name, file) in leading {
            removed += catalogue.removeOriginal(file, namedBy: Self.name(name)) { _ in }.count
        }
        #expect(removed == 100_000 && catalogue.names.count == 0 && catalogue.bytes == 0)
    }
}
