import { formatTable } from '#cli'
import type { S3Credentials, S3UserItem } from '../user-api.ts'

export function formatUsers(users: readonly S3UserItem[]): string {
  const rows = users.map(({ access_key, role, bucket_count, owner_id }) => [access_key, role, String(bucket_count), owner_id])
  return formatTable(['access_key', 'role', 'buckets', 'owner_id'], rows)
}

export function formatCredentials(title: string, { access_key, secret_key, role }: S3Credentials): string {
  return [title, `Access key: ${access_key}`, `Secret key: ${secret_key}`, `Role: ${role}`].join('\n')
}
