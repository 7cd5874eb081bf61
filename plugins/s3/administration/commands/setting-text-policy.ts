/** Access, CORS rules, tags and the quota of a bucket as text. */
import { formatFacts, formatSize, formatTable, onOneLine } from '#cli'
import type { ShownAccess, ShownCorsRule, ShownQuota } from '../bucket-setting-api.ts'

type Grant = ShownAccess['grants'][number]

export function accessText(access: ShownAccess): string {
  const facts = formatFacts([
    ['Object ownership', access.ownership],
    ['Public access block', blockText(access.block)],
    ['Public lists', access.is_public_access_on ? 'allowed by the settings (s3.public_access)' : 'off in the settings (s3.public_access)'],
  ])
  const grants = access.grants.map((grant) => `  ${onOneLine(grantText(grant, access))}`)
  return [facts, 'Grants of the bucket; objects have lists of their own', ...grants].join('\n')
}

function blockText(block: ShownAccess['block']): string {
  const members = Object.entries(block)
  const on = members.flatMap(([name, isOn]) => (isOn ? [name] : []))
  if (on.length === 0) return 'off'
  return on.length === members.length ? 'on' : `partly on: ${on.join(', ')}`
}

const grantees: Readonly<Record<string, string>> = {
  owner: 'The owner',
  'bucket-owner': 'The owner of the bucket',
  everyone: 'Everyone, without a signature,',
  users: 'Every S3 user',
}
const rights: Readonly<Record<Grant['permission'], string>> = {
  READ: 'may list the keys',
  WRITE: 'may store and delete objects',
  READ_ACP: 'may read this list',
  WRITE_ACP: 'may change this list',
  FULL_CONTROL: 'has full control',
}

function grantText({ grantee, permission }: Grant, access: ShownAccess): string {
  const who = grantees[grantee] ?? `The user with the owner ID ${grantee.replace(/^id:/, '')}`
  const cause = causeOfNoEffect(grantee, access)
  return `${who} ${rights[permission]}${cause === undefined ? '' : ` (no effect: ${cause})`}`
}

function causeOfNoEffect(grantee: string, { has_lists, is_public_access_on, block }: ShownAccess): string | undefined {
  if (grantee === 'owner' || grantee === 'bucket-owner') return undefined
  if (!has_lists) return 'the object ownership disables lists'
  if (grantee !== 'everyone' && grantee !== 'users') return undefined
  if (!is_public_access_on) return 's3.public_access is off'
  return block.ignore_public_acls ? 'the public access block ignores it' : undefined
}

export function corsText(rules: readonly ShownCorsRule[]): string {
  if (rules.length === 0) return 'No CORS rules: browsers let no page of another origin read the bucket.'
  const rows = rules.map(({ id = '', allowed_origins, allowed_methods, allowed_headers, expose_headers, max_age_seconds: maxAge }) => [
    id,
    allowed_origins.join(','),
    allowed_methods.join(','),
    allowed_headers.join(','),
    expose_headers.join(','),
    maxAge === undefined ? '' : `${maxAge} s`,
  ])
  return formatTable(['id', 'origins', 'methods', 'headers', 'exposed', 'max_age'], rows)
}

export function tagsText(tags: readonly { readonly key: string; readonly value: string }[]): string {
  if (tags.length === 0) return 'No tags.'
  return formatTable(
    ['key', 'value'],
    tags.map(({ key, value }) => [key, value]),
  )
}

export const quotaText = ({ objects, bytes, usage }: ShownQuota): string =>
  formatFacts([
    ['Object versions', `${usage.objects}, ${objects === null ? 'no limit' : `limit ${objects}`}`],
    ['Size', `${formatSize(usage.bytes)}, ${bytes === null ? 'no limit' : `limit ${formatSize(bytes)}`}`],
  ])
