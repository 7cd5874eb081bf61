import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { BoundedMap } from '#kernel'
import { hmacSha256 } from './hmac.ts'

/** Names Signature Version 4. */
export const algorithm = 'AWS4-HMAC-SHA256'

const cachedKeysMax = 1024

const cachedKeys = new BoundedMap<string, KeyObject>(cachedKeysMax)

/** Signing key of Signature Version 4, cached per secret key, day and region. */
export function signingKey(secretKey: string, date: string, region: string): KeyObject {
  const id = `${date}/${region}/${secretKey}`
  const known = cachedKeys.get(id)
  if (known !== undefined) return known
  const key = deriveKey(secretKey, date, region)
  cachedKeys.set(id, key)
  return key
}

function deriveKey(secretKey: string, date: string, region: string): KeyObject {
  let key = createHmac('sha256', `AWS4${secretKey}`).update(date).digest()
  for (const part of [region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest()
  return createSecretKey(key)
}

export interface Signing {
  readonly key: KeyObject
  /** yyyymmddThhmmssZ */
  readonly amzDate: string
  readonly scope: string
}

/** `canonicalRequest`: latin1 text. */
export function stringToSign(signing: Pick<Signing, 'amzDate' | 'scope'>, canonicalRequest: string): string {
  return `${algorithm}\n${signing.amzDate}\n${signing.scope}\n${hash('sha256', Buffer.from(canonicalRequest, 'latin1'))}`
}

export function sign(key: KeyObject, text: string): string {
  return hmacSha256(key, text)
}
