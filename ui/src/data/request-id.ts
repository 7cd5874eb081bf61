/** A new `client_request_id`: kept through retries of one dialog, so that a request takes effect once. */
export function newRequestId(): string {
  // crypto.randomUUID is absent on plain http away from localhost.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
