import { invalidArgument } from '../../wire/s3-error.ts'

/** Continuation token: the last key of the page. Opaque to clients. */
export function encodeToken(lastKey: string): string {
  return Buffer.from(lastKey, 'utf8').toString('base64url')
}

/** Throws InvalidArgument for a malformed token. */
export function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8')
  // No key has NUL, and PostgreSQL has no text with it.
  if (encodeToken(key) !== token || key.includes('\0')) {
    throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect.')
  }
  return key
}
