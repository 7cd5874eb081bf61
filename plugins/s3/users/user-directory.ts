// The S3 users of this server, held in memory because every request asks, and written through to the database.
import { type Clock, defineService, newToken } from '#kernel'
import type { CreatedS3User, S3User, S3Users } from '../contract.ts'
import type { S3Signer } from './signer.ts'
import type { UserStore } from './user-store.ts'

const accessKeyBytes = 16
const secretKeyBytes = 32

/** What only this plugin may know: the secrets that verify signatures. */
export interface UserDirectory extends S3Users {
  findSigner(accessKey: string): S3Signer | undefined
}

export const userDirectory = defineService<UserDirectory>('s3.user-directory')

export function createUserDirectory({ store, clock }: { readonly store: UserStore; readonly clock: Clock }): UserDirectory {
  const signers = new Map(store.readAll().map((signer) => [signer.accessKey, signer]))
  return {
    findSigner: (accessKey) => signers.get(accessKey),
    find(accessKey) {
      const signer = signers.get(accessKey)
      return signer && withoutSecret(signer)
    },
    list: () => [...signers.values()].map(withoutSecret).sort((left, right) => (left.accessKey < right.accessKey ? -1 : 1)),
    async create(role): Promise<CreatedS3User> {
      const signer: S3Signer = { accessKey: newToken(accessKeyBytes), secretKey: newToken(secretKeyBytes), role, createdAtMs: clock.now() }
      await store.insert(signer)
      // Only a durable user may sign: a key that works and is gone after a restart would lock its owner out.
      signers.set(signer.accessKey, signer)
      return signer
    },
  }
}

function withoutSecret({ accessKey, role, createdAtMs }: S3Signer): S3User {
  return { accessKey, role, createdAtMs }
}
