import { randomBytes, randomUUID } from 'node:crypto'

/** 16 upper-case hexadecimal digits. Node makes many UUIDs with one system call; their first and last 8 digits are random. */
export function newRequestId(): string {
  const id = randomUUID()
  return (id.slice(0, 8) + id.slice(-8)).toUpperCase()
}

/** Identifies this process; sent as x-amz-id-2. */
export const hostId = randomBytes(24).toString('base64url')
