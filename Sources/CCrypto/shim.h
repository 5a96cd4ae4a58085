// SPDX-License-Identifier: Apache-2.0
// What Swift needs of libcrypto: SHA-256, HMAC and AES. libcurl loads libcrypto anyway, so this adds no library to the process.
#pragma once
#include <stddef.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
