import { Badge, Copyable, CopyButton, KeyText } from '@svc/ui-kit'
import { isUnassigned } from './owner-policy.ts'

/** The S3 user that a bucket belongs to: the name, or the access key of one without a name. */
export const OwnerBadge = ({ owner, name }: { owner: string | null; name: string | undefined }) => {
  if (isUnassigned(owner)) {
    return (
      <Badge tone="warning" icon="user" title="No S3 user can use this bucket until it has an owner.">
        Unassigned
      </Badge>
    )
  }
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
