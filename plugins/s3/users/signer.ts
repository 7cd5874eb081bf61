import type { S3User } from '../contract.ts'

/** A user with the secret key that verifies its signatures. Internal to this plugin. */
export interface S3Signer extends S3User {
  readonly secretKey: string
}
