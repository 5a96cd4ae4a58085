// SPDX-License-Identifier: Apache-2.0

/// Where a bucket's name is in a store's URLs.
package enum StoreStyle: String, SettingValue, CaseIterable {
    case path, host
}
