/**
 * A release feed: `{"payload": …, "signature": …}`, both base64. The payload is JSON; the ed25519 signature is over its bytes. Nothing of the
 * payload is read before the signature is verified.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { CommandError } from '#kernel'
import { isVersion } from './version-policy.ts'

const format = 1
const releasesMax = 1000
/** Difference of clocks. */
const clockSkewMs = 24 * 60 * 60_000

export interface Release {
  readonly version: string
  /** RFC 3339. */
  readonly published_at: string
  readonly url?: string
  /** Whether it closes a hole of earlier releases. */
  readonly security?: boolean
}

export interface Feed {
  /** RFC 3339, as `expires_at`. */
  readonly issued_at: string
  readonly expires_at: string
  readonly releases: readonly Release[]
}

/** ed25519 public key: 32 bytes in base64, or PEM. */
export function readKey(text: string): KeyObject {
  try {
    const key = text.includes('-----BEGIN') ? createPublicKey(text) : rawKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Explained below, like another kind of key.
  }
  throw new CommandError('--key must be an ed25519 public key: 32 bytes in base64, or a file with it or with PEM', { exitCode: 2 })
}

const keyBytes = 32

function rawKey(text: string): KeyObject {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== keyBytes) throw new Error(`${bytes.length} bytes`)
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
}

interface Trust {
  readonly key: KeyObject
  readonly nowMs: number
  /** When the newest feed that was seen before was issued. */
  readonly seen: string | undefined
}

/** The feed, if it is signed with the key, has not expired and is not older than one that was seen before. Throws CommandError. */
export function openFeed(text: string, { key, nowMs, seen }: Trust): Feed {
  const feed = readPayload(verifiedPayload(text, key))
  const [issuedMs, expiresMs] = [Date.parse(feed.issued_at), Date.parse(feed.expires_at)]
  if (expiresMs <= nowMs) throw refused(`it expired at ${feed.expires_at}: newer feeds may be withheld, or the clock is wrong`)
  if (issuedMs > nowMs + clockSkewMs) throw refused(`it is of ${feed.issued_at}, which is in the future: check the clock`)
  if (seen !== undefined && issuedMs < Date.parse(seen))
    throw refused(`it is of ${feed.issued_at}, older than the one of ${seen} that was seen before`)
  return feed
}

const refused = (why: string, cause?: unknown): CommandError => new CommandError(`the release feed is refused: ${why}`, { cause })

function verifiedPayload(text: string, key: KeyObject): Buffer {
  const envelope = parse(text) as { readonly payload?: unknown; readonly signature?: unknown } | null
  const { payload, signature } = envelope ?? {}
  if (typeof payload !== 'string' || typeof signature !== 'string') throw refused('it has no signature')
  const bytes = Buffer.from(payload, 'base64')
  if (!verify(null, bytes, key, Buffer.from(signature, 'base64'))) throw refused('it is not signed with this key')
  return bytes
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refused('it is not JSON', cause)
  }
}

function readPayload(bytes: Buffer): Feed {
  const feed = parse(bytes.toString('utf8')) as Feed & { readonly format?: number }
  if (feed?.format !== format) throw refused(`its format ${feed?.format} is not known to this svc`)
  const isSound =
    isTime(feed.issued_at) &&
    isTime(feed.expires_at) &&
    Array.isArray(feed.releases) &&
    feed.releases.length <= releasesMax &&
    feed.releases.every(({ version, published_at: at }) => typeof version === 'string' && isVersion(version) && isTime(at))
  if (!isSound) throw refused('a time or a version in it is missing or wrong')
  return feed
}

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))
