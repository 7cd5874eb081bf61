import { randomBytes } from 'node:crypto'

const ownerIdBytes = 32

/** ID of a user as an owner, in the format of S3: 64 hexadecimal digits. Tells nothing about the user, unlike its access key. */
export const newOwnerId = (): string => randomBytes(ownerIdBytes).toString('hex')

/** Owner of the buckets of the internal account, which is no S3 user and sends no requests. */
export const rootOwnerId = '0'.repeat(2 * ownerIdBytes)
