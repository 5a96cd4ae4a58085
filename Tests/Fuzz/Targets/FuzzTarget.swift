// SPDX-License-Identifier: Apache-2.0

/// What strangers' bytes are read by. Each target takes any bytes, and holds what was read to a promise: that it
/// means the same when it is read in pieces, or written and read again.
///
/// A broken promise traps, like any other error that the fuzzer is to find.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A client's request: head and body.
    case request
    /// What a proxy says before a connection's first request.
    case proxy
    /// What proxies say of the client of a request.
    case forwarded
    /// The query of a picture's URL.
    case query
    /// The path of a picture's URL that holds its options and its source.
    case path
    /// The form of a query that is signed.
    case signing
    /// A source URL, the lists that name some, and libcurl's opinion.
    case source
    /// Caching and content negotiation, by requests and responses.
    case fields
    /// The head of an origin's response.
    case reply
    /// The messages between daemon and decoder.
    case wire
    /// A picture's header, and what it says of itself beyond.
    case header
    /// A picture's containers, where a decoder takes them apart itself.
    case container
    /// A drawing that is passed on.
    case drawing
    /// A JPEG that is decoded without libvips.
    case planar
    /// The bodies and queries of the admin listener's orders, and JSON that a decoder wrote.
    case orders
    /// What the cache wrote beside a picture.
    case stored
    /// What Redis says of a fleet's purges, and what a node has written of them.
    case news

    // What follows is made by a grammar, which the fuzzer's bytes lead (see `Choices`).

    /// A picture's header and a query: all that is computed of the two.
    case chain
    /// As `header` and `container`.
    case pictures
    /// As `query` and `signing`.
    case queries
    /// As `fields`, and what a disk has kept of them.
    case caching
    /// As `reply`, with redirects and what is remembered of failures.
    case answers
    /// As `wire`.
    case messages
    /// As `request`.
    case requests
    /// As `source`.
    case sources
    /// As `forwarded` and `proxy`.
    case hops
    /// As `orders`.
    case bodies

    package func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .request: RequestTarget.run(bytes)
        case .proxy: ProxyTarget.run(bytes)
        case .forwarded: ForwardedTarget.run(bytes)
        case .query: QueryTarget.run(Array(bytes))
        case .path: PathTarget.run(Array(bytes))
        case .signing: SigningTarget.run(Array(bytes))
        case .source: SourceTarget.run(Array(bytes))
        case .fields: FieldsTarget.run(Array(bytes))
        case .reply: ReplyTarget.run(bytes)
        case .wire: WireTarget.run(Array(bytes))
        case .header: HeaderTarget.run(Array(bytes))
        case .container: ContainerTarget.run(bytes)
        case .drawing: DrawingTarget.run(bytes)
        case .planar: PlanarTarget.run(bytes)
        case .orders: OrdersTarget.run(Array(bytes))
        case .stored: StoredTarget.run(Array(bytes))
        case .news: NewsTarget.run(bytes)
        case .chain: ChainTarget.run(bytes)
        case .caching: CachingTarget.run(bytes)
        case .answers: AnswersTarget.run(bytes)
        case .messages: MessagesTarget.run(bytes)
        case .pictures, .queries, .requests, .sources, .hops, .bodies: runMade(bytes)
        }
    }

    private func runMade(_ bytes: UnsafeRawBufferPointer) {
        var choices = Choices(bytes)
        let made: [UInt8] =
            switch self {
            case .pictures: PictureGrammar.make(&choices)
            case .queries: OptionGrammar.query(&choices)
            case .requests: HTTPGrammar.request(&choices)
            case .sources: URLGrammar.url(&choices)
            case .hops: HTTPGrammar.hops(&choices)
            default: JSONGrammar.body(&choices)
            }
        let targets: [FuzzTarget] =
            switch self {
            case .pictures: [.header, .container]
            case .queries: [.query, .signing]
            case .requests: [.request]
            case .sources: [.source]
            case .hops: [.forwarded, .proxy]
            default: [.orders]
            }
        made.withUnsafeBytes { made in for target in targets { target.run(made) } }
    }
}

/// Traps in release builds too.
func expect(_ condition: Bool, _ promise: StaticString) {
    if !condition { fatalError("broken promise: \(promise)") }
}
