import type { Answer } from '@svc/ui-kit'

type Right = Answer<'GET /buckets'>[number]['public_access'][number]

const texts: Readonly<Record<Right, string>> = {
  list: 'list its keys',
  read: 'read objects in it',
  write: 'store and delete objects',
  read_acl: 'read its access control list',
  write_acl: 'change its access control list',
}

/** Returns a text such as "list its keys and read objects in it". */
export function describeRights(rights: readonly Right[]): string {
  const parts = rights.map((right) => texts[right])
  const last = parts.pop() ?? ''
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}
