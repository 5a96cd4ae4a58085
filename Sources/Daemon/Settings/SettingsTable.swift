// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// One setting: declared here once; flags, environment, file, `--help`, `config/pictor.yaml` and the README's table
/// are derived from it.
package struct Setting: Sendable {
    /// Group and name: `cache.memory` is the flag `--cache-memory`, the variable `PICTOR_CACHE_MEMORY`, and
    /// `memory` under `cache` in the file.
    package let key: String
    /// What a person may write.
    package let form: String
    /// What it does, and the sketch that led to its default.
    package let help: String
    let read: @Sendable (String, inout Settings) -> Bool
    let write: @Sendable (Settings) -> String
    /// For a secret, of which `write` says nothing.
    let isSet: @Sendable (Settings) -> Bool
    let isList: Bool
    /// Whether it is set, for one whose text is nobody's business.
    let isSecret: Bool

    init<Value: SettingValue>(
        _ key: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ help: String,
        form: String? = nil,
        where allowed: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.key = key
        self.form = form ?? Value.settingForm
        self.help = help
        isList = Value.isList
        isSecret = Value.isSecret
        read = { text, settings in
            guard let value = Value(settingText: text), allowed(value) else { return false }
            settings[keyPath: path] = value
            return true
        }
        write = { $0[keyPath: path].settingText }
        isSet = { $0[keyPath: path] != Settings()[keyPath: path] }
    }

    static func number(
        _ key: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, _ range: ClosedRange<Int>,
        _ help: String
    ) -> Setting {
        Setting(key, path, help, form: "\(range.lowerBound) to \(range.upperBound)") { range.contains($0) }
    }

    static func fraction(
        _ key: String, _ path: any WritableKeyPath<Settings, Double> & Sendable, _ help: String
    ) -> Setting {
        Setting(key, path, help, form: "0 to 1") { (0...1).contains($0) }
    }

    static func positive(
        _ key: String, _ path: any WritableKeyPath<Settings, Duration> & Sendable, _ help: String
    ) -> Setting {
        Setting(key, path, help) { $0 > .zero }
    }

    package var flag: String { "--" + key.replacing(".", with: "-") }
    package var variable: String {
        "PICTOR_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }
    package var group: String { String(key.prefix { $0 != "." }) }
    package var name: String { String(key.drop { $0 != "." }.dropFirst()) }

    package static let table: [Setting] =
        server + admin + origin + decoder + encoder + cache + negative + doors + log

    package static let groups: [(name: String, help: String)] = [
        ("server", "The public listener."),
        ("admin", "Health, metrics and control; never on the public listener."),
        ("origin", "How originals are fetched, and where from."),
        ("decoder", "The processes that decode, scale and encode."),
        ("encoder", "How pictures are written where the URL does not say. A change makes new renditions."),
        ("cache", "What is kept, where, and for how long."),
        ("negative", "How long failures are remembered, where the origin does not say."),
        ("options", "Names that URLs may use."),
        ("weserv", "The door that reads wsrv.nl's URLs: `/?url=…`."),
        ("next", "The door that reads Next.js' URLs: `/_next/image?url=…&w=…&q=…`."),
        ("log", "What is written to standard error."),
    ]

    private static let server: [Setting] = [
        Setting(
            "server.listen", \.server.listen,
            "Addresses to listen on: host:port, [v6]:port, or unix:/path. Sockets handed over by systemd replace them."
        ),
        .number("server.threads", \.server.threads, 0...256, "Event loops; 0 = one per core."),
        .number(
            "server.maximum-connections", \.server.maximumConnections, 1...1_000_000,
            "Open connections; more are answered 503. An idle one costs less than 4 KiB: 20,000 cost 80 MiB at most."
        ),
        .positive(
            "server.idle-timeout", \.server.idleTimeout,
            "How long a connection may wait for its next request."),
        .positive(
            "server.head-timeout", \.server.headTimeout,
            "How long a request's head may take to arrive, whole."),
        .positive(
            "server.send-timeout", \.server.sendTimeout,
            "How long a client may take nothing of an answer before the connection is closed."),
        Setting(
            "server.maximum-head", \.server.maximumHead,
            "A request's head; more is a 431. nginx allows 32 KiB, Node 16.",
            where: { $0 >= ByteCount(1 << 10) && $0 <= ByteCount(1 << 20) }),
        Setting(
            "server.maximum-target", \.server.maximumTarget,
            "A request's target; more is a 414. A source URL may have 4 KiB and doubles when it is escaped.",
            where: { $0 >= ByteCount(256) && $0 <= ByteCount(1 << 16) }),
        .number(
            "server.maximum-fields", \.server.maximumFields, 10...1000,
            "Header fields in a request; more is a 431."),
        .positive(
            "server.drain-timeout", \.server.drainTimeout,
            "After SIGTERM: how long answers under way may take to finish. The unit waits 35s; the image sets 8s, as Docker waits 10."
        ),
    ]

    private static let admin: [Setting] = [
        Setting(
            "admin.listen", \.admin.listen,
            "Addresses of the admin listener (/health, /metrics, /admin): host:port or unix:/path; empty = none."
        ),
        Setting(
            "admin.token", \.admin.token,
            "Bearer token for /admin on a listener that is no unix socket, and for clients that may say Cache-Control. No flag; without it and admin.token-file, $CREDENTIALS_DIRECTORY/admin-token (systemd) where that exists."
        ),
        Setting("admin.token-file", \.admin.tokenFile, "A file that holds the token."),
    ]

    private static let origin: [Setting] = [
        .positive("origin.connect-timeout", \.origin.connectTimeout, "Name look-up, TCP and TLS together."),
        .positive(
            "origin.first-byte-timeout", \.origin.firstByteTimeout,
            "From the request sent to the answer's first byte."),
        .positive("origin.idle-timeout", \.origin.idleTimeout, "The longest pause inside an answer."),
        .positive("origin.timeout", \.origin.timeout, "A fetch in all, redirects included."),
        Setting(
            "origin.maximum-body", \.origin.maximumBody,
            "An original; more is a 413. A 100 MP JPEG has about 40 MB.", where: { $0 > ByteCount(0) }),
        .number(
            "origin.maximum-redirects", \.origin.maximumRedirects, 0...20,
            "Redirects followed for one original."),
        .number(
            "origin.maximum-fetches", \.origin.maximumFetches, 1...10_000,
            "Fetches under way at once, in all."),
        .number(
            "origin.maximum-fetches-per-host", \.origin.maximumFetchesPerHost, 1...10_000,
            "Fetches under way at once to one host, so that a slow one cannot take all slots."),
        .number(
            "origin.queue-length", \.origin.queueLength, 0...100_000,
            "Fetches that may wait for a slot; more is a 503."),
        .positive("origin.queue-timeout", \.origin.queueTimeout, "How long a fetch may wait for a slot."),
        Setting(
            "origin.allow-private", \.origin.allowPrivate,
            "Fetch from loopback, private, link-local and other special addresses too. Only for development."),
        Setting(
            "origin.allow-networks", \.origin.allowNetworks,
            "Networks (CIDR) that may be fetched from although they are private or special."),
        Setting(
            "origin.deny-networks", \.origin.denyNetworks,
            "Networks (CIDR) that are never fetched from, whatever else allows them."),
        Setting(
            "origin.allow-hosts", \.origin.allowHosts,
            "Not empty: only these hosts, and what origin.allow-urls holds. host or *.host, which stands for the names below it."
        ),
        Setting(
            "origin.deny-hosts", \.origin.denyHosts, "Hosts that are never fetched from: host or *.host."),
        Setting(
            "origin.allow-urls", \.origin.allowUrls,
            "Not empty: only URLs below these, and origin.allow-hosts. https://host/path/, or //host/path/ for http and https."
        ),
        Setting("origin.deny-urls", \.origin.denyUrls, "URLs below these are never fetched."),
        Setting(
            "origin.ports", \.origin.ports,
            "Ports that may be fetched from. Below 1024 live mail and shells; ranges leave out the ports that browsers block (Fetch standard), such as 6667."
        ),
        Setting("origin.user-agent", \.origin.userAgent, "The User-Agent that origins see."),
    ]

    private static let decoder: [Setting] = [
        .number("decoder.processes", \.decoder.processes, 0...256, "Decoder processes; 0 = one per core."),
        Setting(
            "decoder.jail", \.decoder.jail,
            "The walls around a decoder process (seccomp, Landlock, no privileges, limits): require = no pictures without them, prefer = those that the kernel permits, off = limits only. `pictor check` tells which hold."
        ),
        .positive(
            "decoder.timeout", \.decoder.timeout,
            "One picture; after it the process is killed and the answer is a 504. A 100 MP JPEG takes about 1 s."
        ),
        Setting(
            "decoder.memory", \.decoder.memory,
            "What all pictures under way may take together, by their prices; one that is dearer alone is a 413. 0 = three quarters of what the machine or the control group allows, less the memory cache and the processes themselves."
        ),
        .number(
            "decoder.avif-jobs", \.decoder.avifJobs, 0...256,
            "AVIF pictures made at once, whose encoder starts threads of its own; 0 = half the processes."),
        .number(
            "decoder.maximum-pixels", \.decoder.maximumPixels, 1...2_000_000_000,
            "Width × height × frames of an original, told from its header; more is a 413."),
        .number(
            "decoder.maximum-frames", \.decoder.maximumFrames, 1...10_000, "Frames decoded of an animation."),
        Setting(
            "decoder.maximum-output", \.decoder.maximumOutput, "A rendition; more is a 413.",
            where: { $0 > ByteCount(0) }),
        Setting(
            "decoder.formats", \.decoder.formats,
            "What is read: any of jpeg png webp gif avif heic tiff bmp ico svg jxl pdf. The last three only where the sources can be trusted: their decoders were not built for bytes that mean harm. Code of formats not named is not loaded.",
            where: {
                $0.allSatisfy { name in ImageFormat(name: name).map(ImageFormat.readable.contains) ?? false }
            }),
        Setting(
            "decoder.damaged", \.decoder.damaged,
            "A picture whose data end early or break off: a 422, or shown as far as it goes. A change makes new renditions."
        ),
        .number(
            "decoder.recycle-after", \.decoder.recycleAfter, 1...1_000_000,
            "Pictures after which a process is replaced, so that leaks and fragmentation end."),
        Setting(
            "decoder.recycle-above", \.decoder.recycleAbove,
            "Resident memory above which a process is replaced.",
            where: { $0 >= ByteCount(32 << 20) }),
        .number(
            "decoder.queue-length", \.decoder.queueLength, 0...100_000,
            "Pictures that may wait; more is a 503."),
        .positive(
            "decoder.queue-timeout", \.decoder.queueTimeout, "How long a picture may wait for a process."),
    ]

    private static let encoder: [Setting] = qualities + efforts

    private static let qualities: [Setting] = [
        .number(
            "encoder.jpeg-quality", \.encoder.jpegQuality, 1...100,
            "q of JPEG. Chroma has half the resolution below 90, and all of it from there on."),
        .number("encoder.webp-quality", \.encoder.webpQuality, 1...100, "q of WebP."),
        .number(
            "encoder.avif-quality", \.encoder.avifQuality, 1...100, "q of AVIF; 65 looks like WebP's 80."),
        .number("encoder.jxl-quality", \.encoder.jxlQuality, 1...100, "q of JPEG XL."),
        Setting(
            "encoder.target-likeness", \.encoder.targetLikeness,
            "What q=auto aims at: SSIM of the luma, 1 = the same. Costs up to five encodings.",
            form: "0.5 to 1", where: { (0.5...1).contains($0) }),
        .number(
            "encoder.avif-maximum-pixels", \.output.avifMaximumPixels, 0...2_000_000_000,
            "Larger results become WebP where AVIF was asked for: 4 MP take 0.4 s as AVIF and 0.1 s as WebP."),
        Setting(
            "encoder.keep-smaller-original", \.encoder.keepsSmallerOriginal,
            "Where nothing but the bytes would change, and they would only grow, answer with the original's, without metadata."
        ),
    ]

    private static let efforts: [Setting] = [
        Setting(
            "encoder.jpeg-optimised", \.encoder.jpegOptimised,
            "Codes made for each JPEG: 2 to 3 % of the bytes for 1.5 ms at 800 × 600."),
        .number(
            "encoder.webp-effort", \.encoder.webpEffort, 0...6,
            "2 costs 17 ms for 800 × 600; 4 costs 37 ms and saves 3 % of the bytes."),
        .number(
            "encoder.webp-alpha-quality", \.encoder.webpAlphaQuality, 0...100,
            "Of WebP's alpha; 100 keeps it exact."),
        .number(
            "encoder.avif-effort", \.encoder.avifEffort, 0...9,
            "0 costs 27 ms for 800 × 600; 1 costs 90 ms and saves 6 to 34 % of the bytes; 4 costs 800 ms and saves 10 % more."
        ),
        .number(
            "encoder.jxl-effort", \.encoder.jxlEffort, 3...9,
            "3 costs 13 ms for 800 × 600; 5 costs 58 ms and saves 7 to 18 % of the bytes."),
        .number(
            "encoder.png-compression", \.encoder.pngCompression, 0...9,
            "zlib level of PNG. 4 costs 60 ms for a photograph of 800 × 600; 6 costs 170 ms and saves 1.5 % of the bytes."
        ),
        .number(
            "encoder.gif-effort", \.encoder.gifEffort, 1...10,
            "Of the palette's choice: 4 makes drawings half as large as 3; above, only time grows."),
    ]

    private static let cache: [Setting] = [
        Setting(
            "cache.directory", \.cache.directory,
            "Where the disk cache lies. Empty: $CACHE_DIRECTORY (systemd), else $XDG_CACHE_HOME/pictor, else ~/.cache/pictor."
        ),
        Setting(
            "cache.memory", \.cache.memory,
            "Renditions kept in memory; never more than a quarter of what the machine or the control group allows. 256 MiB hold 5,000 of 50 KB."
        ),
        Setting(
            "cache.disk", \.cache.disk,
            "Originals and renditions kept on disk; the least recently used go first."),
        .fraction(
            "cache.originals-share", \.cache.originalsShare,
            "The part of the disk cache that originals may fill."),
        Setting(
            "cache.minimum-free", \.cache.minimumFree,
            "What stays free on the disk's file system. With less, pictures leave; with less than half, none is kept."
        ),
        .number(
            "cache.open-files", \.cache.openFiles, 0...100_000,
            "Descriptors of renditions kept open for those that memory does not hold."),
        Setting(
            "cache.minimum-lifetime", \.cache.minimumLifetime,
            "Freshness is never shorter, whatever the origin says."),
        Setting(
            "cache.maximum-lifetime", \.cache.maximumLifetime,
            "Freshness is never longer, whatever the origin says."),
        Setting(
            "cache.default-lifetime", \.cache.defaultLifetime,
            "Freshness where the origin says nothing at all: a second spares it a crowd, and hides no change. Raise it for origins that never say anything."
        ),
        .fraction(
            "cache.heuristic-fraction", \.cache.heuristicFraction,
            "Freshness as a part of the time since Last-Modified, where the origin gives only that (RFC 9111 §4.2.2)."
        ),
        Setting("cache.heuristic-maximum", \.cache.heuristicMaximum, "The most that the heuristic may give."),
        Setting(
            "cache.stale-while-revalidate", \.cache.staleWhileRevalidate,
            "How long after its lifetime an original may serve while it is refreshed, where the origin does not say (RFC 5861)."
        ),
        Setting(
            "cache.stale-if-error", \.cache.staleIfError,
            "How long after its lifetime an original may serve while the origin fails, where the origin does not say."
        ),
        Setting(
            "cache.client-minimum-lifetime", \.cache.clientMinimumLifetime,
            "Clients may keep an answer at least so long, whatever is left of the original's freshness; but never one that the origin forbids to keep."
        ),
        Setting(
            "cache.client-maximum-lifetime", \.cache.clientMaximumLifetime,
            "Clients may keep an answer at most so long."),
        Setting(
            "cache.client-lifetimes", \.cache.clientLifetimes,
            "The same for single hosts of originals: img.example.org=10m..1d within bounds, *.example.com=1h exactly. The exact host counts before the longest suffix."
        ),
        .number(
            "cache.maximum-refreshes", \.cache.maximumRefreshes, 1...10_000,
            "Originals refreshed at once behind stale answers; the others stay stale until they are asked for again."
        ),
    ]

    private static let negative: [Setting] = [
        Setting("negative.not-found", \.negative.notFound, "The origin answered 404 or 410."),
        Setting(
            "negative.client-error", \.negative.clientError,
            "Another 4xx. Unless HTTP allows to keep it at once, the second in this time is remembered."),
        Setting(
            "negative.server-error", \.negative.serverError,
            "A 5xx, or anything else without a picture; by the same rule."),
        Setting("negative.unresolved", \.negative.unresolved, "The origin's name has no address."),
        Setting(
            "negative.unreachable", \.negative.unreachable,
            "No connection, no answer in time, or a broken one."),
        Setting(
            "negative.no-picture", \.negative.noPicture,
            "The content is no picture that can be used: at most, for then it is asked whether it has changed."
        ),
        Setting(
            "negative.maximum", \.negative.maximum,
            "The most that the origin's own Cache-Control, Expires or Retry-After may give."),
    ]

    private static let doors: [Setting] = [
        Setting(
            "options.presets", \.options.presets,
            "What preset=name stands for, each as thumb=w=200&h=200&fit=cover. A comma inside is written %2C."
        ),
        Setting(
            "options.watermarks", \.options.watermarks,
            "What wm=name stands for, each as logo=https://… or logo=/path/of/a/file."),
        Setting(
            "weserv.compatible-status", \.weserv.compatibleStatus,
            "Answer failures as wsrv.nl does: with its words, and nearly all of them with a 404."),
        Setting(
            "next.widths", \.next.widths,
            "Widths that may be asked for: deviceSizes and imageSizes of next.config; empty = any."),
        Setting(
            "next.qualities", \.next.qualities,
            "Qualities that may be asked for: images.qualities of next.config; empty = any."),
        Setting(
            "next.base-url", \.next.baseURL,
            "Where url=/… is fetched from, as https://www.example.com; empty = such URLs are a 400."),
        Setting(
            "next.formats", \.next.formats,
            "Formats beside the source's own that Accept may choose: avif, webp, as images.formats of next.config."
        ),
    ]

    private static let log: [Setting] = [
        Setting("log.level", \.log.level, "The least level that is written."),
        Setting("log.format", \.log.format, "Lines for people, or one JSON object a line."),
        Setting("log.access", \.log.access, "One line a request on standard output."),
    ]
}
