// SPDX-License-Identifier: Apache-2.0

internal import ImageModel
internal import Origin

/// A recipe is what its canonical spelling says.
enum QueryTarget {
    static func run(_ bytes: [UInt8]) {
        if let target = try? ImageModel.RequestTarget(bytes) {
            expect(!target.path.isEmpty, "a path is never empty")
        }
        do throws(RequestError) {
            let request = try ImageRequest.parse(query: bytes)
            let canonical = request.recipe.canonical
            expect((try? Recipe(canonical: canonical)) == request.recipe, "a recipe survives its spelling")
            expect(
                (try? ImageRequest.parse(query: canonical + "&url=" + escaped(request.source.absolute)))
                    == request,
                "a request survives its spelling")
        } catch {
            expect(error.parameter.count <= 40, "a parameter at fault is told in short")
            _ = error.message
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// What is checked is what is fetched.
enum SourceTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for item in [text] where item.utf8.count <= 256 {
            _ = (HostPattern(item), AddressBlock(item), PortList([item]))
        }
        guard let url = try? SourceURL.parse(text) else { return }
        expect(url.target.hasPrefix("/"), "a target begins with a slash")
        // Escaping makes it longer, perhaps longer than what is read.
        if url.absolute.utf8.count <= SourceURL.longest {
            expect((try? SourceURL.parse(url.absolute)) == url, "a normalised URL is its own normal form")
        }
        expect(LibcurlReading(url.absolute)?.agrees(with: url) == true, "libcurl reads the same URL")
        _ = SourcePolicy().refusal(of: url)
        guard let prefix = URLPrefix(url.absolute) else { return }
        expect(prefix.surelyHolds(url) && prefix.maybeHolds(url), "a URL lies below itself")
    }
}
