import { formatFacts, formatSize, formatTable } from '#cli'
import type { S3Credentials, S3UserItem } from '../user-api.ts'

export function formatUsers(users: readonly S3UserItem[]): string {
  const rows = users.map(({ access_key, role, usage, limits, owner_id }) => [
    access_key,
    role,
    used(usage.buckets, limits.buckets),
    used(usage.objects, limits.objects),
    used(usage.bytes, limits.bytes, formatSize),
    owner_id,
  ])
  return formatTable(['access_key', 'role', 'buckets', 'versions', 'size', 'owner_id'], rows)
}

/** Such as `3/10`, or `3` without a limit. */
const used = (value: number, limit: number | null, show: (value: number) => string = String): string =>
  limit === null ? show(value) : `${show(value)}/${show(limit)}`

export function formatLimits({ access_key, usage, limits, own_limits }: S3UserItem): string {
  const own = (name: (typeof own_limits)[number]) => (own_limits.includes(name) ? 'own limit' : 'from the settings')
  const limit = (name: keyof typeof limits) => `${limits[name] ?? 'none'} (${own(name)})`
  return formatFacts([
    ['Access key', access_key],
    ['Buckets', `${usage.buckets}, limit ${limit('buckets')}`],
    ['Object versions', `${usage.objects}, limit ${limit('objects')}`],
    ['Bytes', `${usage.bytes}, limit ${limit('bytes')}`],
    ['New data sets today', `${usage.data_sets_today}, limit ${limit('data_sets_per_day')}`],
  ])
}

export function formatCredentials(title: string, { access_key, secret_key, role }: S3Credentials): string {
  return [title, `Access key: ${access_key}`, `Secret key: ${secret_key}`, `Role: ${role}`].join('\n')
}
