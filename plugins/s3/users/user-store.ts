/** S3 users in the database. Secret keys are stored in plain text: verifying a Signature Version 4 needs the key itself. */
import type { Reader, Tx } from '#kernel'
import type { S3Role } from '../contract.ts'
import type { S3Signer } from './signer.ts'

interface UserRow {
  readonly access_key: string
  readonly secret_key: string
  readonly role: S3Role
  readonly created_at: number
}

const columns = 'access_key, secret_key, role, created_at'

/** Unordered. */
export const readUsers = (read: Reader): S3Signer[] => read.all<UserRow>(`SELECT ${columns} FROM s3_users`).map(toSigner)

export function findUser(read: Reader, accessKey: string): S3Signer | undefined {
  const row = read.get<UserRow>(`SELECT ${columns} FROM s3_users WHERE access_key = ?`, accessKey)
  return row && toSigner(row)
}

export function insertUser(tx: Tx, { accessKey, secretKey, role, createdAtMs }: S3Signer): void {
  tx.run(
    'INSERT INTO s3_users (access_key, secret_key, role, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    accessKey,
    secretKey,
    role,
    createdAtMs,
    createdAtMs,
  )
}

export function updateUser(tx: Tx, { accessKey, secretKey, role }: S3Signer, nowMs: number): void {
  tx.run('UPDATE s3_users SET secret_key = ?, role = ?, updated_at = ? WHERE access_key = ?', secretKey, role, nowMs, accessKey)
}

export function deleteUser(tx: Tx, accessKey: string): void {
  tx.run('DELETE FROM s3_users WHERE access_key = ?', accessKey)
}

const toSigner = ({ access_key, secret_key, role, created_at }: UserRow): S3Signer => ({
  accessKey: access_key,
  secretKey: secret_key,
  role,
  createdAtMs: created_at,
})
