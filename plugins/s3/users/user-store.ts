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
export const readUsers = async (read: Reader): Promise<S3Signer[]> => read.all<UserRow>(`SELECT ${columns} FROM s3_users`).map(toSigner)

export async function findUser(read: Reader, accessKey: string): Promise<S3Signer | undefined> {
  const row = read.get<UserRow>(`SELECT ${columns} FROM s3_users WHERE access_key = ?`, accessKey)
  return row && toSigner(row)
}

export async function insertUser(tx: Tx, { accessKey, secretKey, role, createdAtMs }: S3Signer): Promise<void> {
  tx.run(
    'INSERT INTO s3_users (access_key, secret_key, role, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    accessKey,
    secretKey,
    role,
    createdAtMs,
    createdAtMs,
  )
}

export async function updateUser(tx: Tx, { accessKey, secretKey, role }: S3Signer, nowMs: number): Promise<void> {
  tx.run('UPDATE s3_users SET secret_key = ?, role = ?, updated_at = ? WHERE access_key = ?', secretKey, role, nowMs, accessKey)
}

export async function deleteUser(tx: Tx, accessKey: string): Promise<void> {
  tx.run('DELETE FROM s3_users WHERE access_key = ?', accessKey)
}

const toSigner = ({ access_key, secret_key, role, created_at }: UserRow): S3Signer => ({
  accessKey: access_key,
  secretKey: secret_key,
  role,
  createdAtMs: created_at,
})
