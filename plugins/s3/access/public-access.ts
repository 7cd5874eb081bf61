import type { Database } from '#kernel'
import type { PublicAccess, PublicRight } from '../contract.ts'
import type { Permission } from '../wire/access-list-policy.ts'
import type { AccessLists } from './access-lists.ts'
import type { BucketRules } from './access-rules-policy.ts'
import { findPublished } from './object-access-store.ts'

const rights: Readonly<Record<Exclude<Permission, 'FULL_CONTROL'>, PublicRight>> = {
  READ: 'list',
  WRITE: 'write',
  READ_ACP: 'read_acl',
  WRITE_ACP: 'write_acl',
}

const ofList = ({ grants }: Pick<BucketRules, 'grants'>): readonly PublicRight[] =>
  grants.flatMap(({ grantee, permission }) => {
    if (grantee !== 'everyone') return []
    return permission === 'FULL_CONTROL' ? Object.values(rights) : [rights[permission]]
  })

const inOrder: readonly PublicRight[] = ['list', 'read', 'write', 'read_acl', 'write_acl']

interface PublicAccessDeps {
  readonly database: Pick<Database, 'read'>
  readonly accessLists: Pick<AccessLists, 'rulesOf'>
}

export const createPublicAccess = ({ database, accessLists }: PublicAccessDeps): PublicAccess => ({
  async of(buckets) {
    const open = buckets
      .map((bucket) => ({ id: bucket.id, rules: accessLists.rulesOf(bucket) }))
      .filter(({ rules }) => rules.hasLists && !rules.ignoresPublicGrants)
    const published =
      open.length === 0
        ? new Set()
        : await findPublished(
            database.read,
            open.map(({ id }) => id),
          )
    const found = open.map(({ id, rules }) => {
      const given = new Set<PublicRight>([...ofList(rules), ...(published.has(id) ? (['read'] as const) : [])])
      return [id, inOrder.filter((right) => given.has(right))] as const
    })
    return new Map(found.filter(([, given]) => given.length > 0))
  },
})
