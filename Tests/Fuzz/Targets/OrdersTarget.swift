// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Endpoints
internal import Kernel

/// An order means the same when it is written again.
enum OrdersTarget {
    static func run(_ bytes: [UInt8]) {
        if let body = try? PurgeBody.read(bytes) {
            let again = try? PurgeBody.read(Array(ControlJSON.text(body).utf8))
            expect((try? again?.order) == (try? body.order), "an order survives its spelling")
        }
        if let query = try? ListQuery(bytes) {
            expect((1...ListQuery.limit).contains(query.count), "a list has its limit")
        }
        _ = PixelFacts(.bytes(ImmutableBytes(bytes)))
    }
}
