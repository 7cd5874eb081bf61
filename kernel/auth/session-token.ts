import { createHmac, timingSafeEqual } from 'node:crypto'
import { type } from '../schema.ts'

const claimsType = type({
  username: 'string > 0',
  /** Unix seconds. */
  issued_at: 'number.integer > 0',
  expires_at: 'number.integer > 0',
  csrf_token: 'string > 0',
  /** The login family: kept through renewals. */
  session_id: 'string > 0',
  'remember?': 'true',
  /** Role of a person who signed in at an identity provider; absent for the local admin. */
  'role?': "'admin' | 'operator' | 'read-only'",
  /** The identity provider; absent for the local admin. */
  'realm?': 'string > 0',
  /** Time of the sign-in, kept through renewals; absent in tokens of earlier versions. */
  'signed_in_at?': 'number.integer > 0',
  /** No renewal reaches beyond it; absent for the local admin. */
  'ends_at?': 'number.integer > 0',
})

/** The signed content of a session cookie. The server stores nothing. */
export type SessionClaims = typeof claimsType.infer

/** `base64url(JSON) "." base64url(HMAC-SHA256(secret, first part))`. */
export function sealSession(claims: SessionClaims, secret: string): string {
  const content = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${content}.${sign(content, secret).toString('base64url')}`
}

/** The claims of a token with a valid signature, without a check of the expiry; undefined for any other text. */
export function unsealSession(token: string, secret: string): SessionClaims | undefined {
  const [content = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !isSignature(signature, sign(content, secret))) return undefined
  const claims = claimsType(JSON.parse(Buffer.from(content, 'base64url').toString('utf8')))
  return claims instanceof type.errors ? undefined : claims
}

const sign = (content: string, secret: string): Buffer => createHmac('sha256', secret).update(content, 'ascii').digest()

function isSignature(text: string, expected: Buffer): boolean {
  const given = Buffer.from(text, 'base64url')
  // Base64 has several spellings of one value: accept only the one of sealSession.
  return given.length === expected.length && timingSafeEqual(given, expected) && given.toString('base64url') === text
}
