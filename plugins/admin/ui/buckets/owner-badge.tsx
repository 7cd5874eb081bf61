import { Badge, Copyable, CopyButton, KeyText, useIsEnabled, useQuery } from '@svc/ui-kit'
import { isUnassigned } from './owner-policy.ts'

/** Access keys and the names of their users. */
export type OwnerNames = ReadonlyMap<string, string>

/** The names of the S3 users that have one: one request for all owners of a page. */
export function useOwnerNames(): OwnerNames {
  const hasUsers = useIsEnabled('s3')
  const users = useQuery('GET /s3-users', () => (hasUsers.value ? {} : null))
  return new Map((users.data ?? []).flatMap(({ access_key, name }) => (name === null ? [] : [[access_key, name]])))
}

/** The S3 user that a bucket belongs to: the name, or the access key of one without a name. */
export const OwnerBadge = ({ owner, names }: { owner: string | null; names: OwnerNames }) => {
  if (isUnassigned(owner)) {
    return (
      <Badge tone="warning" icon="user" title="No S3 user can use this bucket until it has an owner.">
        Unassigned
      </Badge>
    )
  }
  const name = names.get(owner)
  if (name === undefined) return <Copyable text={owner} label="the access key of the owner" keep={8} />
  return (
    <span class="inline-flex min-w-0 max-w-full items-center gap-0.5" title={`Access key ${owner}`}>
      <span class="inline-flex max-w-40 min-w-0">
        <KeyText text={name} />
      </span>
      <CopyButton text={owner} label="the access key of the owner" />
    </span>
  )
}
