// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import RandomInputs
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

@Suite("imgproxy's sources may be encrypted")
struct ImgproxyEncryptionTests {
    /// The key and the URL of imgproxy's document.
    private func documented(_ settings: inout Settings) {
        let key = "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
        settings.imgproxy.encryptionKey = HexKey(settingText: key) ?? .none
        settings.imgproxy.keys = HexPairs(settingText: "00:00") ?? .none
    }

    private let encrypted =
        "p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ"

    @Test func `the example of imgproxy's document is decrypted`() throws {
        let parts = "\(encrypted.prefix(20))/\(encrypted.dropFirst(20))"
        for source in [encrypted, parts, "\(encrypted)=", "\(encrypted).png"] {
            let request = try read(imgproxy: "/S/rs:fit:300:300/enc/\(source)", documented)
            #expect(request.source.absolute == "http://example.com/images/curiosity.jpg")
            #expect(request.hidesSource && request.delivery.filename == "image")
            let format = source.hasSuffix(".png") ? "&output=png" : ""
            #expect(request.recipe.canonical == "h=300&metadata=copyright\(format)&w=300")
        }
    }

    @Test func `whatever is wrong with it, the refusal is one`() throws {
        var random = SeededRandom(for: "imgproxy's encrypted sources")
        let message = "The encrypted source cannot be read by imgproxy.encryption-key."
        for text in ["AAAA", String(encrypted.dropLast()), String(encrypted.prefix(22)), "!", "p5Vj.png"] {
            #expect(try refusal(imgproxy: "/S/enc/\(text)", documented) == message, "\(text)")
        }
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for _ in 0..<200 {
            var changed = Array(encrypted)
            // The first block contains the scheme, so a changed one gives no URL.
            changed[Int.random(in: 24..<40, using: &random)] = characters.randomElement(using: &random) ?? "A"
            guard String(changed) != encrypted else { continue }
            #expect(try refusal(imgproxy: "/S/enc/\(String(changed))", documented) == message)
        }
    }

    @Test func `the key is one of AES, and wants signatures`() throws {
        #expect(try refusal(imgproxy: "/S/enc/\(encrypted)").contains("no key for encrypted sources"))
        #expect(throws: UnusableSetting.self) {
            try imgproxy {
                documented(&$0)
                $0.imgproxy.keys = .none
            }
        }
        #expect(HexKey(settingText: String(repeating: "0f", count: 24) + "\n")?.bytes.count == 24)
        for text in ["00", String(repeating: "0", count: 31), String(repeating: "g", count: 32)] {
            #expect(HexKey(settingText: text) == nil, "\(text)")
        }
    }
}
