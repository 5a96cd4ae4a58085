// SPDX-License-Identifier: Apache-2.0
// Code that signs the current request, in four languages. The code reads the key from the environment.
import * as store from './state.js';

/// Python, JavaScript, PHP and a shell, one below the other.
export function signing() {
  const { url, options } = store.state();
  const all = Object.entries({ ...options, url }).sort(([a], [b]) => (a < b ? -1 : 1));
  const list = (open, arrow, close, quote) => open + all.map(([name, value]) => `${quote(name)}${arrow}${quote(value)}`).join(', ') + close;
  const json = (text) => JSON.stringify(text);
  const php = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const strict = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = all.map(([name, value]) => `${strict(name)}=${strict(value)}`).join('&');
  return `# Python
import base64, hashlib, hmac, os
from urllib.parse import quote
options = ${list('{', ': ', '}', json)}
query = '&'.join(f"{quote(n, safe='')}={quote(v, safe='')}" for n, v in sorted(options.items()))
code = hmac.new(os.environ['SIGNING_KEY'].encode(), f'/img?{query}'.encode(), hashlib.sha256).digest()
print(f"/img?{query}&sig={base64.urlsafe_b64encode(code).decode().rstrip('=')}")

// JavaScript (Node)
import { createHmac } from 'node:crypto'
const options = ${list('{ ', ': ', ' }', json)}
const escape = t => encodeURIComponent(t).replace(/[!'()*]/g, c => '%' + c.charCodeAt(0).toString(16).toUpperCase())
const query = Object.keys(options).sort().map(n => \`\${escape(n)}=\${escape(options[n])}\`).join('&')
console.log(\`/img?\${query}&sig=\${createHmac('sha256', process.env.SIGNING_KEY).update(\`/img?\${query}\`).digest('base64url')}\`)

// PHP
$options = ${list('[', ' => ', ']', php)};
ksort($options, SORT_STRING);
$text = '/img?' . http_build_query($options, '', '&', PHP_QUERY_RFC3986);
echo $text, '&sig=', rtrim(strtr(base64_encode(hash_hmac('sha256', $text, getenv('SIGNING_KEY'), true)), '+/', '-_'), '=');

# sh
query='${query}'
sig=$(printf %s "/img?$query" | openssl dgst -sha256 -hmac "$SIGNING_KEY" -binary | openssl base64 -A | tr +/ -_ | tr -d =)
echo "/img?$query&sig=$sig"`;
}
