import type { Answer } from '@svc/ui-kit'

export type S3User = Answer<'GET /s3-users'>[number]
export type Role = S3User['role']
export type Credentials = Answer<'POST /s3-users'>

export const roles: readonly { readonly value: Role; readonly label: string; readonly help: string }[] = [
  { value: 'user', label: 'user', help: 'Reads and writes buckets that others give to it. Cannot create buckets.' },
  { value: 'userplus', label: 'userplus', help: 'Also creates buckets and owns them.' },
  { value: 'admin', label: 'admin', help: 'Full access to every bucket of every owner.' },
]

export const helpOf = (role: Role): string => roles.find(({ value }) => value === role)?.help ?? ''

export const filterUsers = <U extends Pick<S3User, 'access_key' | 'name' | 'role'>>(users: readonly U[], text: string): readonly U[] =>
  users.filter(({ access_key, name, role }) => `${access_key} ${name ?? ''} ${role}`.toLowerCase().includes(text.trim().toLowerCase()))

/** The service refuses to delete an owner. */
export const whyNotDeleted = ({ bucket_count: owned }: Pick<S3User, 'bucket_count'>): string | undefined => {
  if (owned === 0) return undefined
  return `Owns ${owned === 1 ? '1 bucket' : `${owned} buckets`}. Change their owner first.`
}
