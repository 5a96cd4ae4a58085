// SPDX-License-Identifier: Apache-2.0

package func big32(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
}
package func big16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
}
package func little32(_ value: Int) -> [UInt8] { big32(value).reversed() }
package func little16(_ value: Int) -> [UInt8] { big16(value).reversed() }
