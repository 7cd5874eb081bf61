import { type Answer, Badge, Copyable, CopyButton, KeyText, type Query, useIsEnabled, useQuery } from '@svc/ui-kit'
import { isUnassigned } from './owner-policy.ts'

/** Access keys and the names of their users. */
export type OwnerNames = ReadonlyMap<string, string>

export const namesOf = (users: Answer<'GET /s3-users'> | undefined): OwnerNames =>
  new Map((users ?? []).flatMap(({ access_key, name }) => (name === null ? [] : [[access_key, name]])))

/** The S3 users, none while the S3 API is off: one request for all owners of a page. */
export function useOwners(): Query<Answer<'GET /s3-users'>> {
  const hasUsers = useIsEnabled('s3')
  return useQuery('GET /s3-users', () => (hasUsers.value ? {} : null))
}

/** The names of the S3 users that have one. */
export const useOwnerNames = (): OwnerNames => namesOf(useOwners().data)

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
