// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The manifest is the architecture: arrows point down only, and one loop gives every Swift target the same
// strict settings. docs/internals/architecture.md says in one line what each module is for.

import PackageDescription

// MARK: C libraries: one module map and one small shim each.

let cModules: [Target] = [
    // epoll, eventfd, sendfile, O_TMPFILE and friends, which Glibc's module leaves out.
    .target(name: "CLinux"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // RESP, read by the parser that most clients in C stand on. Of hiredis no more: its connections have no TLS in
    // Debian 12 (0.14), so libcurl connects (CURLOPT_CONNECT_ONLY), by the authorities that origins are checked by. Its
    // archive is linked, since the shared library has another name in each Debian, and what is built on 12 runs on 13.
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    // The decoder's list of system calls, spelled for every architecture by name.
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    // What origins compressed is unpacked by the inspector; libvips-dev brings it along.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // As zlib, for what stores were given compressed; libvips-dev brings both along.
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    // Drawings are read by it that are passed on; libvips-dev brings it along.
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CVipsLibrary", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
    // Encoders that take planes and options, which libvips does not pass on; libvips-dev brings them along.
    .systemLibrary(name: "CJPEGLibrary", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
    .systemLibrary(name: "CWebPLibrary", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CHEIFLibrary", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
    .target(name: "CEncoders", dependencies: ["CHEIFLibrary", "CJPEGLibrary", "CWebPLibrary"]),
    // No glib type leaves its header.
    .target(name: "CVips", dependencies: ["CEncoders", "CVipsLibrary"]),
    // Vector instructions, for Planar.
    .target(name: "CPlanar"),
    // The web pages' files as bytes, by #embed.
    .target(name: "CWebPages", exclude: ["pages", "samples", "thumbs"]),
]

// MARK: Pure modules: values and rules; no file, no socket, no clock, no C library.

let pure: [Target] = [
    .target(name: "Bytes"),
    .target(name: "HTTPSemantics", dependencies: ["Bytes"]),
    .target(
        name: "HTTPCaching",
        dependencies: [
            "Bytes", "HTTPSemantics",
            .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
        ]),
    .target(name: "Clients", dependencies: ["Bytes", "HTTPSemantics"]),
    .target(name: "HTTP1", dependencies: ["Clients", "HTTPSemantics"]),
    .target(name: "ImageHeaders", dependencies: ["Bytes"]),
    // Of C only arithmetic, of which there is a twin in Swift.
    .target(name: "Planar", dependencies: ["CPlanar"]),
    .target(name: "SourceURLs", dependencies: ["Bytes"]),
    .target(name: "Recipes", dependencies: ["Bytes", "ImageHeaders"]),
    .target(
        name: "RequestGrammar",
        dependencies: ["Bytes", "HTTPSemantics", "ImageHeaders", "Recipes", "SourceURLs"]),
    .target(
        name: "DecoderProtocol",
        dependencies: ["HTTPSemantics", "ImageHeaders", "Recipes", "RequestGrammar"]),
    .target(
        name: "Pipeline",
        dependencies: [
            "Bytes", "Clients", "HTTPCaching", "HTTPSemantics", "ImageHeaders", "Recipes", "RequestGrammar",
            "SourceURLs", "Traces",
        ]),
    .target(name: "JSON"),
    .target(name: "Telemetry", dependencies: ["Bytes", "HTTPSemantics", "RequestGrammar", "Traces"]),
    .target(name: "Traces", dependencies: [.product(name: "Tracing", package: "swift-distributed-tracing")]),
]

// MARK: Adapters: each meets one piece of the world; none imports another but Kernel, Hashing and Curl.

let adapters: [Target] = [
    .target(name: "Kernel", dependencies: ["CLinux"]),
    .target(name: "Hashing", dependencies: ["Bytes", "CCrypto"]),
    .target(name: "Curl", dependencies: ["CCurl"]),
    .target(name: "HTTPServer", dependencies: ["Clients", "CLinux", "HTTP1", "HTTPSemantics", "Kernel"]),
    .target(
        name: "Stores",
        dependencies: [
            "Bytes", "CLinux", "CSQLite", "Hashing", "HTTPCaching", "HTTPSemantics", "ImageHeaders", "Kernel",
            "Pipeline", "Recipes", "SourceURLs",
        ]),
    .target(
        name: "Origin",
        dependencies: [
            "Bytes", "CCurl", "Clients", "CLinux", "Curl", "Hashing", "HTTPCaching", "HTTPSemantics", "JSON",
            "Kernel", "SourceURLs", "Traces",
        ]),
    .target(
        name: "DecoderPool",
        dependencies: ["CLinux", "DecoderProtocol", "ImageHeaders", "Kernel", "Recipes"]),
    .target(
        name: "Imaging",
        dependencies: ["Bytes", "CEncoders", "CExpat", "CVips", "ImageHeaders", "Planar", "Recipes"]),
    .target(
        name: "Fleet",
        dependencies: [
            "Bytes", "CCurl", "CHiredis", "CLinux", "Curl", "HTTPSemantics", "Kernel", "Pipeline",
        ],
        linkerSettings: [.linkedLibrary(":libhiredis.a")]),
    .target(name: "Jail", dependencies: ["CLinux", "CSeccomp"]),
    .target(name: "TraceExport", dependencies: ["CCurl", "Curl", "Kernel", "Traces"]),
]

// MARK: The service: what the daemon and the commands are made of. These may import adapters.

let service: [Target] = [
    .target(
        name: "Platform", dependencies: ["Bytes", "CLinux", "Hashing", "HTTPSemantics", "Kernel", "Pipeline"]),
    .target(
        name: "Settings",
        dependencies: [
            "Bytes", "Clients", "HTTPCaching", "HTTPSemantics", "ImageHeaders", "Recipes", "RequestGrammar",
            "SourceURLs", .product(name: "Logging", package: "swift-log"),
            .product(name: "Yams", package: "Yams"),
        ]),
    .target(
        name: "Signatures", dependencies: ["Bytes", "Hashing", "HTTPSemantics", "RequestGrammar", "Settings"]),
    .target(
        name: "Answers",
        dependencies: [
            "HTTP1", "HTTPCaching", "HTTPSemantics", "HTTPServer", "ImageHeaders", "JSON", "Kernel",
            "Pipeline", "Recipes", "RequestGrammar", "Signatures", "SourceURLs", "Stores", "Telemetry",
            "Traces",
        ]),
    // Static pages, as bytes of the executable.
    .target(
        name: "Web",
        dependencies: [
            "Bytes", "CWebPages", "CZlib", "Hashing", "HTTP1", "HTTPSemantics", "HTTPServer", "Kernel",
        ]),
    // One folder for each language of image URLs.
    .target(
        name: "Dialects",
        dependencies: [
            "Answers", "Bytes", "Hashing", "HTTPSemantics", "HTTPServer", "ImageHeaders", "JSON", "Origin",
            "Pipeline", "Recipes", "RequestGrammar", "Settings", "Signatures", "SourceURLs",
        ]),
    .target(
        name: "Monitoring",
        dependencies: [
            "Answers", "Bytes", "Clients", "CLinux", "DecoderPool", "DecoderProtocol", "Fleet", "HTTP1",
            "HTTPSemantics", "HTTPServer", "ImageHeaders", "JSON", "Kernel", "Origin", "Pipeline", "Platform",
            "Recipes", "RequestGrammar", "Settings", "SourceURLs", "Stores", "Telemetry", "TraceExport",
            "Traces",
            .product(name: "Logging", package: "swift-log"),
            .product(name: "Tracing", package: "swift-distributed-tracing"),
        ]),
    .target(
        name: "Endpoints",
        dependencies: [
            "Answers", "Bytes", "Clients", "DecoderPool", "Dialects", "Fleet", "Hashing", "HTTP1",
            "HTTPCaching", "HTTPSemantics", "HTTPServer", "ImageHeaders", "JSON", "Kernel", "Monitoring",
            "Origin", "Pipeline", "Platform", "Recipes", "RequestGrammar", "Settings", "Signatures",
            "SourceURLs", "Stores", "Telemetry", "Web",
        ]),
    .target(
        name: "Operator",
        dependencies: [
            "Answers", "CLinux", "CZlib", "Dialects", "Endpoints", "HTTPSemantics", "ImageHeaders", "JSON",
            "Kernel", "Monitoring", "Pipeline", "Platform", "Recipes", "RequestGrammar", "Settings",
            "Signatures", "SourceURLs", "Stores", "Telemetry",
        ]),
]

// MARK: The processes' roots and the executable.

let roots: [Target] = [
    .target(
        name: "Daemon",
        dependencies: [
            "Answers", "Bytes", "Clients", "CLinux", "DecoderPool", "DecoderProtocol", "Dialects",
            "Endpoints", "Fleet", "Hashing", "HTTP1", "HTTPCaching", "HTTPSemantics", "HTTPServer",
            "ImageHeaders", "Jail", "JSON", "Kernel", "Monitoring", "Origin", "Pipeline", "Platform",
            "Recipes", "RequestGrammar", "Settings", "Signatures", "SourceURLs", "Stores", "Telemetry",
            "TraceExport", "Traces", "Web",
            .product(name: "Logging", package: "swift-log"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "Tracing", package: "swift-distributed-tracing"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ]),
    // What both kinds of worker process have in common.
    .target(name: "Worker", dependencies: ["CLinux", "DecoderPool", "DecoderProtocol", "Jail", "Kernel"]),
    .target(
        name: "Decoder",
        dependencies: ["DecoderPool", "DecoderProtocol", "Imaging", "Kernel", "Recipes", "Worker"]),
    // No C decoder of pictures, on purpose.
    .target(
        name: "Inspector",
        dependencies: [
            "CBrotli", "CZlib", "CZstd", "DecoderPool", "DecoderProtocol", "HTTPSemantics", "ImageHeaders",
            "Kernel", "Worker",
        ]),
    .executableTarget(
        name: "pictor",
        dependencies: [
            "Daemon", "Decoder", "DecoderProtocol", "Dialects", "Endpoints", "Inspector", "Monitoring",
            "Operator", "Pipeline", "RequestGrammar", "Settings", "Signatures", "Stores", "Worker",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        // A thirtieth of the size: relocations take 16 bits in place of 24 bytes (glibc 2.36 reads them).
        linkerSettings: [
            .unsafeFlags(
                ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
                .when(configuration: .release))
        ]),
]

// MARK: Tests: a target for each module that is tested by itself, and what they share.

let tests: [Target] = [
    .testTarget(name: "HTTPSemanticsTests", dependencies: ["Bytes", "HTTPSemantics", "RandomInputs"]),
    .testTarget(
        name: "HTTPCachingTests",
        dependencies: [
            "HTTPCaching", "HTTPSemantics", "RandomInputs",
            .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
        ]),
    .testTarget(name: "ClientsTests", dependencies: ["Clients", "HTTPSemantics", "RandomInputs"]),
    .testTarget(name: "HTTP1Tests", dependencies: ["Clients", "HTTP1", "HTTPSemantics", "RandomInputs"]),
    // One stream of numbers for one seed, which a run prints.
    .target(name: "RandomInputs", path: "Tests/RandomInputs"),
    .target(
        name: "RandomRecipes", dependencies: ["ImageHeaders", "RandomInputs", "Recipes"],
        path: "Tests/RandomRecipes"),
    // Pictures in the plain, and what they ought to become.
    .target(name: "PixelReference", path: "Tests/PixelReference"),
    .testTarget(name: "BytesTests", dependencies: ["Bytes", "RandomInputs"]),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "RandomInputs"]),
    .testTarget(name: "SourceURLsTests", dependencies: ["RandomInputs", "SourceURLs"]),
    // What libjpeg makes by itself: planes, and Huffman codes.
    .target(name: "LibJPEG", dependencies: ["CJPEGLibrary"], path: "Tests/LibJPEG"),
    .testTarget(name: "PlanarTests", dependencies: ["CPlanar", "LibJPEG", "Planar", "RandomInputs"]),
    .testTarget(name: "ImageHeadersTests", dependencies: ["ImageHeaders", "RandomInputs"]),
    // Recipes are spelled as requests are: that is what people read.
    .testTarget(
        name: "RecipesTests",
        dependencies: [
            "Bytes", "ImageHeaders", "RandomInputs", "RandomRecipes", "Recipes", "RequestGrammar",
        ]),
    .testTarget(
        name: "RequestGrammarTests",
        dependencies: [
            "HTTPSemantics", "ImageHeaders", "RandomInputs", "RandomRecipes", "Recipes", "RequestGrammar",
            "SourceURLs",
        ]),
    .testTarget(
        name: "DecoderProtocolTests",
        dependencies: [
            "DecoderProtocol", "HTTPSemantics", "ImageHeaders", "RandomInputs", "RandomRecipes", "Recipes",
            "RequestGrammar",
        ]),
    .testTarget(
        name: "DialectsTests",
        dependencies: [
            "Answers", "Dialects", "Hashing", "HTTPSemantics", "ImageHeaders", "Origin", "Pipeline",
            "RandomInputs", "Recipes", "RequestGrammar", "Settings", "Signatures", "SourceURLs",
        ]),
    .testTarget(
        name: "PipelineTests",
        dependencies: [
            "Bytes", "Clients", "HTTPCaching", "HTTPSemantics", "ImageHeaders", "Pipeline", "RandomInputs",
            "Recipes", "RequestGrammar", "SourceURLs",
        ]),
    .testTarget(
        name: "TracesTests",
        dependencies: [
            "RandomInputs", "TestSupport", "Traces",
            .product(name: "Tracing", package: "swift-distributed-tracing"),
        ]),
    .testTarget(
        name: "TelemetryTests", dependencies: ["RandomInputs", "RequestGrammar", "Telemetry", "Traces"]),
    .testTarget(
        name: "HTTPServerTests",
        dependencies: [
            "Clients", "CLinux", "HTTP1", "HTTPSemantics", "HTTPServer", "Kernel", "RandomInputs",
            "TestSupport",
        ]),
    .testTarget(
        name: "StoresTests",
        dependencies: [
            "Bytes", "CLinux", "Hashing", "HTTPCaching", "HTTPSemantics", "ImageHeaders", "Kernel",
            "Pipeline", "RandomInputs", "Recipes", "SourceURLs", "Stores", "TestSupport",
        ]),
    .testTarget(
        name: "OriginTests",
        dependencies: [
            "Bytes", "Clients", "Hashing", "HTTPSemantics", "Kernel", "Origin", "RandomInputs", "SourceURLs",
            "TestSupport",
        ]),
    .testTarget(
        name: "FleetTests",
        dependencies: [
            "Fleet", "FleetSupport", "HTTPSemantics", "Kernel", "Pipeline", "RandomInputs", "SourceURLs",
            "TestSupport",
        ]),
    .executableTarget(  // a scripted decoder process, for the pool's tests
        name: "decoder-double",
        dependencies: [
            "CSeccomp", "DecoderPool", "DecoderProtocol", "ImageHeaders", "Jail", "Kernel", "Recipes",
            "Worker",
        ],
        path: "Tests/DecoderDouble"),
    // The daemon with a decoder that has been taken over, for the tests of the jail.
    .target(name: "Mischief", path: "Tests/HostilePictor/Mischief"),
    .executableTarget(
        name: "hostile-pictor",
        dependencies: [
            "Daemon", "Decoder", "DecoderPool", "DecoderProtocol", "ImageHeaders", "Inspector", "Kernel",
            "Mischief", "Recipes", "Settings", "Worker",
        ],
        path: "Tests/HostilePictor/Program"),
    .testTarget(
        name: "DecoderPoolTests",
        dependencies: [
            "decoder-double", "DecoderPool", "DecoderProtocol", "HTTPSemantics", "ImageHeaders", "Jail",
            "Kernel", "Recipes",
        ]),
    .testTarget(
        name: "ImagingTests",
        dependencies: [
            "CEncoders", "CVips", "ImageHeaders", "Imaging", "LibJPEG", "PixelReference", "Planar",
            "RandomInputs", "Recipes", "RequestGrammar",
        ]),
    .testTarget(
        name: "AnswersTests",
        dependencies: [
            "Answers", "Bytes", "Clients", "HTTP1", "HTTPCaching", "HTTPSemantics", "HTTPServer",
            "ImageHeaders", "Kernel", "Pipeline", "Recipes", "RequestGrammar", "SourceURLs", "Stores",
        ]),
    .testTarget(
        name: "WebTests", dependencies: ["HTTP1", "HTTPSemantics", "HTTPServer", "Kernel", "Web"]),
    .testTarget(name: "SettingsTests", dependencies: ["Settings", "SettingsSupport", "TestSupport"]),
    .testTarget(
        name: "MonitoringTests",
        dependencies: [
            "Answers", "Kernel", "Monitoring", "Pipeline", "Settings", "SourceURLs", "Telemetry",
            "TestSupport",
            .product(name: "Logging", package: "swift-log"),
        ]),
    .testTarget(
        name: "EndpointsTests",
        dependencies: [
            "Answers", "Clients", "Dialects", "Endpoints", "Fleet", "FleetSupport", "HTTP1", "HTTPSemantics",
            "HTTPServer", "Kernel", "Origin", "Pipeline", "Platform", "RandomInputs", "RequestGrammar",
            "Settings", "Signatures", "SourceURLs", "Stores", "Telemetry", "TestSupport",
        ]),
    .testTarget(
        name: "DaemonTests",
        dependencies: [
            "Answers", "Bytes", "Clients", "CLinux", "Daemon", "DecoderPool", "Dialects", "Endpoints",
            "Hashing", "HTTP1", "HTTPCaching", "HTTPSemantics", "HTTPServer", "ImageHeaders", "Kernel",
            "Operator", "Origin", "Pipeline", "Recipes", "RequestGrammar", "Settings", "SettingsSupport",
            "Signatures", "SourceURLs", "Stores", "Telemetry", "TestSupport",
            .product(name: "Logging", package: "swift-log"),
        ]),
    .testTarget(
        name: "OperatorTests",
        dependencies: ["Endpoints", "ImageHeaders", "Kernel", "Operator", "RandomInputs", "TestSupport"]),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "CSQLite", "hostile-pictor", "HTTPSemantics", "ImageHeaders", "pictor", "RandomInputs",
            "RequestGrammar", "SourceURLs", "TestSupport",
        ]),
    // Settings loaded from each place where they can be set.
    .target(name: "SettingsSupport", dependencies: ["Settings"], path: "Tests/SettingsSupport"),
    // Nodes that are linked to a real Redis.
    .target(name: "FleetSupport", dependencies: ["Fleet", "TestSupport"], path: "Tests/FleetSupport"),
    // The daemon under test, a client, a scripted origin.
    .target(name: "TestSupport", dependencies: ["CZlib", "SourceURLs"], path: "Tests/TestSupport"),
]

// MARK: What strangers' bytes are read by, under a fuzzer: scripts/fuzz says where libFuzzer lies.

let libFuzzer = Context.environment["PICTOR_LIBFUZZER"]

let fuzzing: [Target] =
    [
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Answers", "Bytes", "Clients", "DecoderPool", "DecoderProtocol", "Dialects", "Endpoints",
                "Fleet", "HTTP1", "HTTPCaching", "HTTPSemantics", "ImageHeaders", "Imaging", "Kernel",
                "Origin", "Pipeline", "Planar", "Recipes", "RequestGrammar", "SourceURLs", "Stores",
            ], path: "Tests/Fuzz/Targets"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "RandomInputs"]),
    ]
    + (libFuzzer.map { library in
        [
            .systemLibrary(name: "LibFuzzer", path: "Tests/Fuzz/LibFuzzer"),
            .executableTarget(
                name: "fuzz", dependencies: ["FuzzTargets", "LibFuzzer"], path: "Tests/Fuzz/Program",
                linkerSettings: [.unsafeFlags([library, "-lstdc++"])]),
        ]
    } ?? [])

// MARK: What we stand on, each with its reason.

let libraries: [Package.Dependency] = [
    // Commands, flags and help in the form that people know from other tools.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // The log's levels, metadata and backends that the rest of the field uses.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    // Spans in the form that other Swift libraries join, and the task's value that carries them.
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    // Order of start and stop, and signals, in one well-tested place.
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Structured fields (RFC 9651) parsed and spelled as strictly as their authors wrote the rules.
    .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
    // YAML with line numbers, so that a slip in the file is named where it stands (a key-value reader over the
    // file would pass unknown keys in silence).
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
]

let package = Package(
    name: "pictor",
    products: [.executable(name: "pictor", targets: ["pictor"])],
    dependencies: libraries,
    targets: cModules + pure + adapters + service + roots + tests + fuzzing,
    swiftLanguageModes: [.v6]
)

// What runs at the start, or when somebody asks: small rather than fast.
let rare: Set = [
    "Curl", "Daemon", "Decoder", "DecoderPool", "DecoderProtocol", "Dialects", "Fleet", "Imaging",
    "Inspector", "JSON", "Jail", "Operator", "Origin", "Platform", "Recipes", "Settings", "Signatures", "Web",
    "Worker", "pictor",
]

// Those in C know no Swift settings.
let inC = Set(cModules.map(\.name) + ["LibJPEG", "Mischief"])
for target in package.targets where target.type != .system && !inC.contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
    if rare.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
    }
    // They compute each sample, and digests: without optimisation the tests take several times the processor time.
    if ["PixelReference", "Planar", "TestSupport"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
    }
    // The coverage that libFuzzer is led by.
    if libFuzzer != nil, Context.environment["PICTOR_FUZZ_BLIND"] == nil {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
    }
}
