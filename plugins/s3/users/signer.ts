import type { S3User } from '../contract.ts'

/** A user with what verifies its signatures. Never leaves this plugin. */
export interface S3Signer extends S3User {
  readonly secretKey: string
}
