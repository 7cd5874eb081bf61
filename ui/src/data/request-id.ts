/**
 * Returns an id for one request that pays. A repeat with the same id is never a second payment. `crypto.randomUUID` is absent on plain http
 * other than loopback.
 */
export const newRequestId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
