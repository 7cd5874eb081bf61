// S3 users in the database. Secrets are kept as they are: verifying a signature needs the secret itself.
import type { Database } from '#kernel'
import type { S3Role } from '../contract.ts'
import type { S3Signer } from './signer.ts'

export interface UserStore {
  /** In no particular order. */
  readAll(): S3Signer[]
  /** Resolves when durable. */
  insert(signer: S3Signer): Promise<void>
}

interface UserRow {
  readonly access_key: string
  readonly secret_key: string
  readonly role: S3Role
  readonly created_at: number
}

export function openUserStore(database: Database): UserStore {
  return {
    readAll: () =>
      database.read
        .all<UserRow>('SELECT access_key, secret_key, role, created_at FROM s3_users')
        .map(({ access_key, secret_key, role, created_at }) => ({
          accessKey: access_key,
          secretKey: secret_key,
          role,
          createdAtMs: created_at,
        })),
    insert: ({ accessKey, secretKey, role, createdAtMs }) =>
      database.write((tx) => {
        tx.run(
          'INSERT INTO s3_users (access_key, secret_key, role, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
          accessKey,
          secretKey,
          role,
          createdAtMs,
          createdAtMs,
        )
      }),
  }
}
