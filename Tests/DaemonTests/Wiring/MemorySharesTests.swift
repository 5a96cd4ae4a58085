// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
@testable import Settings
import Testing

@Suite struct MemorySharesTests {
    private static let mebibyte = 1 << 20

    private func shares(_ mebibytes: Int, decoders: Int = 2) -> MemoryShares {
        var settings = Settings()
        settings.decoder.processes = decoders
        return MemoryShares(of: mebibytes * Self.mebibyte, for: settings)
    }

    @Test func `512 MiB are shared out as described`() {
        let shares = shares(512)
        #expect(shares.cache == 128 * Self.mebibyte)
        #expect(shares.pictures == 168 * Self.mebibyte)
        #expect(shares.largestPicture == 128 * Self.mebibyte)
        #expect(shares.recycleAbove == 64 * Self.mebibyte)
    }

    @Test func `a page of a PDF fits from where the documents say`() {
        for (limit, decoders) in [(448, 2), (512, 4)] {
            #expect(shares(limit, decoders: decoders).largestPicture >= 90 * Self.mebibyte)
        }
        for (limit, decoders) in [(384, 2), (512, 5)] {
            #expect(shares(limit, decoders: decoders).largestPicture < 80 * Self.mebibyte)
        }
    }

    @Test(arguments: [(384, 2), (512, 2), (1_024, 4), (8_192, 8), (65_536, 64)])
    func `all shares together leave room`(mebibytes: Int, decoders: Int) {
        let shares = shares(mebibytes, decoders: decoders)
        let sum =
            shares.cache + shares.pictures + MemoryShares.daemon + (decoders + 1) * MemoryShares.process
        #expect(sum <= mebibytes * Self.mebibyte / 16 * 15)
    }

    @Test func `what the settings say goes before`() {
        var settings = Settings()
        settings.decoder.memory = ByteCount(100 * Self.mebibyte)
        settings.decoder.recycleAbove = ByteCount(40 * Self.mebibyte)
        let shares = MemoryShares(of: 512 * Self.mebibyte, for: settings)
        #expect(shares.pictures == 100 * Self.mebibyte)
        #expect(shares.largestPicture == 75 * Self.mebibyte)
        #expect(shares.recycleAbove == 40 * Self.mebibyte)
    }
}
