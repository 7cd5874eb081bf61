/**
 * `node tools/run.mjs tools/sign-feed.ts --private-key key.pem releases.json > feed.json`: signs the payload of a release feed. A key is made
 * with `openssl genpkey -algorithm ed25519`. The payload: `{"format": 1, "issued_at", "expires_at", "releases": [{"version", "published_at",
 * "url", "security"}]}`.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

export function signFeed(payload: Uint8Array, key: KeyObject): string {
  return `${JSON.stringify({ payload: Buffer.from(payload).toString('base64'), signature: sign(null, payload, key).toString('base64') })}\n`
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { 'private-key': { type: 'string' } }, allowPositionals: true })
  const [path] = positionals
  if (values['private-key'] === undefined || path === undefined) throw new Error('name the private key and the payload')
  process.stdout.write(signFeed(readFileSync(path), createPrivateKey(readFileSync(values['private-key'], 'utf8'))))
}
