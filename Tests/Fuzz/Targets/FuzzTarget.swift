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
    /// The bodies and queries of the admin listener's orders, and JSON that a decoder wrote.
    case orders
    /// What the cache wrote beside a picture.
    case stored

    package func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .request: RequestTarget.run(bytes)
        case .proxy: ProxyTarget.run(bytes)
        case .forwarded: ForwardedTarget.run(bytes)
        case .query: QueryTarget.run(Array(bytes))
        case .signing: SigningTarget.run(Array(bytes))
        case .source: SourceTarget.run(Array(bytes))
        case .fields: FieldsTarget.run(Array(bytes))
        case .reply: ReplyTarget.run(bytes)
        case .wire: WireTarget.run(Array(bytes))
        case .header: HeaderTarget.run(Array(bytes))
        case .container: ContainerTarget.run(bytes)
        case .orders: OrdersTarget.run(Array(bytes))
        case .stored: StoredTarget.run(Array(bytes))
        }
    }
}

/// Traps in release builds too.
func expect(_ condition: Bool, _ promise: StaticString) {
    if !condition { fatalError("broken promise: \(promise)") }
}
