// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Dialects
internal import Foundation
internal import HTTPSemantics
internal import Origin
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// A recipe is what its canonical spelling says, in whatever dialect it was asked for.
enum QueryTarget {
    private static let next = NextRules(widths: [640], base: "https://a.example/base")

    static func run(_ bytes: [UInt8]) {
        if let target = try? RequestGrammar.RequestTarget(bytes) {
            expect(!target.path.isEmpty, "a path is never empty")
        }
        do throws(RequestError) {
            check(try ImageRequest.parse(query: bytes))
        } catch {
            tell(error)
        }
        do throws(RequestError) {
            check(try ImageRequest.parse(weserv: bytes))
        } catch {
            tell(error)
        }
        if let request = try? ImageRequest.parse(next: bytes, rules: next) { check(request) }
    }

    static func check(_ request: ImageRequest) {
        let canonical = request.recipe.canonical
        expect((try? Recipe(canonical: canonical)) == request.recipe, "a recipe survives its spelling")
        expect((try? SourceURL.parse(request.source.absolute)) == request.source, "so does its source")
    }

    private static func tell(_ error: RequestError) {
        expect(error.parameter.count <= 40, "a parameter at fault is told in short")
        _ = error.message
    }
}

/// What a path says, its query says, and the path that is made of that query.
enum PathTarget {
    private static let rules = CloudflareRules(base: "https://site.example/base") ?? .none

    static func run(_ bytes: [UInt8]) {
        imgproxy(bytes)
        runOperations(bytes)
        let prefix = Array(CloudflareTarget.prefix.utf8)
        let text = bytes.starts(with: prefix) ? bytes : prefix + bytes
        guard let target = try? RequestGrammar.RequestTarget(text), isCloudflare(target) else { return }
        let query = CloudflareTarget.query(target)
        do throws(CloudflareRefusal) {
            let request = try ImageRequest.parse(cloudflare: query, rules: rules)
            QueryTarget.check(request)
            expect(request.recipe == request.recipe.canonicalised, "a recipe is canonical")
            follow(CanonicalQuery(query), to: request)
        } catch {
            expect(error.message.utf8.count < 1_000, "a refusal is a sentence")
        }
    }

    private static func isCloudflare(_ target: RequestGrammar.RequestTarget) -> Bool {
        target.rawPath.starts(with: CloudflareTarget.prefix.utf8)
    }

    /// Below `/`, and in the order of the segments.
    private static func imgproxy(_ bytes: [UInt8]) {
        do throws(ImgproxyRefusal) {
            let request = try ImageRequest.parse(imgproxy: bytes.drop { $0 == UInt8(ascii: "/") })
            QueryTarget.check(request)
            expect(request.recipe == request.recipe.canonicalised, "a recipe is canonical")
        } catch {
            expect(error.message.utf8.count < 1_000, "a refusal is a sentence")
        }
    }

    /// Thumbor's paths and imagor's.
    private static func runOperations(_ bytes: [UInt8]) {
        let meaning = OperationPath.meaning(imagor: Array("params/".utf8) + bytes) ?? ""
        let object = try? JSONSerialization.jsonObject(with: Data(meaning.utf8))
        expect(object is [String: Any], "what a URL means is JSON")
        do throws(OperationRefusal) {
            let request = try ImageRequest.parse(thumbor: bytes, others: .refuse)
            check(request, passing: try? ImageRequest.parse(thumbor: bytes, others: .ignore))
        } catch {
            check(error, passing: try? ImageRequest.parse(thumbor: bytes, others: .ignore))
        }
        do throws(OperationRefusal) {
            let request = try ImageRequest.parse(imagor: bytes, others: .refuse)
            check(request, passing: try? ImageRequest.parse(imagor: bytes, others: .ignore))
        } catch {
            check(error, passing: try? ImageRequest.parse(imagor: bytes, others: .ignore))
        }
    }

    /// - Parameter passing: what is read where the settings pass over what they may.
    private static func check(_ request: ImageRequest, passing: ImageRequest?) {
        QueryTarget.check(request)
        expect(request.recipe == request.recipe.canonicalised, "a recipe is canonical")
        expect(passing == request, "there was nothing to pass over")
    }

    private static func check(_ error: OperationRefusal, passing: ImageRequest?) {
        expect(error.message.utf8.count < 1_000, "a refusal is a sentence")
        if let passing { QueryTarget.check(passing) }
    }

    private static func follow(_ query: CanonicalQuery, to request: ImageRequest) {
        let made = CloudflareTarget.path(saying: query, signature: "S")
        guard let again = try? RequestGrammar.RequestTarget(made.utf8) else {
            return expect(false, "a path that was made is one")
        }
        expect(isCloudflare(again), "of the same form")
        let canonical = CanonicalQuery(CloudflareTarget.query(again))
        expect(canonical.bytes == query.bytes, "what was signed is what is read")
        expect(
            (try? ImageRequest.parse(cloudflare: canonical.bytes, rules: rules)) == request,
            "and means the same")
    }
}

/// What is signed is what is read.
enum SigningTarget {
    static func run(_ bytes: [UInt8]) {
        let query = CanonicalQuery(bytes)
        let again = CanonicalQuery(query.bytes)
        expect(again.parameters == query.parameters, "a canonical form is its own")
        expect(again.signatures.isEmpty, "no signature is signed")
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%&=".utf8)
        expect(query.bytes.allSatisfy(plain.contains), "it is written in few characters")
        let names = query.parameters.map(\.name)
        expect(zip(names, names.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }, "it is sorted")
        _ = try? query.expiry()
        if let request = try? ImageRequest.parse(query: bytes) {
            expect((try? ImageRequest.parse(query: query.bytes)) == request, "and means the same")
        }
        let rules = NextRules()
        if let request = try? ImageRequest.parse(next: bytes, rules: rules) {
            expect(
                (try? ImageRequest.parse(next: query.bytes, rules: rules)) == request,
                "in each strict dialect")
        }
    }
}

/// What is checked is what is fetched.
enum SourceTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for item in [text] where item.utf8.count <= 256 {
            _ = (HostPattern(item), AddressBlock(item), PortList([item]), IPAddress(item))
        }
        follow(text)
        authorize(text)
        guard let url = try? SourceURL.parse(text) else { return }
        expect(url.target.hasPrefix("/"), "a target begins with a slash")
        // Escaping makes it longer, perhaps longer than what is read.
        if url.absolute.utf8.count <= SourceURL.longest {
            expect((try? SourceURL.parse(url.absolute)) == url, "a normalised URL is its own normal form")
        }
        if url.scheme.isWeb {
            expect(LibcurlReading(url.absolute)?.agrees(with: url) == true, "libcurl reads the same URL")
        } else {
            let path = url.storedPath
            let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            expect(!path.contains(0), "no file's name holds a NUL")
            expect(
                !segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) },
                "no path leads out")
            expect(url.scheme.isStore || !segments.contains { $0.isEmpty }, "a file's path is relative")
            expect(SourcePolicy().refusal(of: url) == .scheme, "the downloader fetches the web alone")
        }
        _ = SourcePolicy().refusal(of: url)
        guard let prefix = URLPrefix(url.absolute) else { return }
        var policy = SourcePolicy()
        policy.deniedURLs = [prefix]
        expect(prefix.surelyHolds(url) && policy.denial(of: url) == .url, "a URL lies below itself")
    }

    /// As the token of a blob service.
    private static func authorize(_ token: String) {
        guard let token = AccessToken(token), let endpoint = BlobStore.endpoint("https://a.example/b") else {
            return
        }
        let store = BlobStore(endpoint: endpoint, containers: ["c"], access: .token(token))
        let place = store.place(of: SourceURL(scheme: .azure, host: "c", port: 0, target: "/d"))
        let sent = store.sent(place)
        expect(sent.target.hasPrefix("/b/c/d?"), "a token is a query")
        expect(store.hasSecret(in: sent.absolute), "and known again")
        expect(LibcurlReading(sent.absolute)?.agrees(with: sent) == true, "libcurl reads the same URL")
        if let key = SharedKey(account: "a", base64: "YQ==") {
            let text = key.text(method: "GET", target: sent.target, fields: [])
            expect(
                text.utf8.starts(with: "GET\n\n\n\n\n\n\n\n\n\n\n\n/a/b/c/d\n".utf8),
                "what is signed is framed")
        }
    }

    private static let base = SourceURL(scheme: .https, host: "a.example", port: 443, target: "/b/c?d")

    /// As an origin's `Location`.
    private static func follow(_ location: String) {
        var configuration = OriginConfiguration()
        configuration.allowsDowngrade = false
        guard let target = try? Redirect.target(location, from: base, configuration) else { return }
        expect(target.scheme == .https, "no redirect leaves TLS where that is forbidden")
        expect(configuration.policy.refusal(of: target) == nil, "a redirect keeps the policy")
    }
}
