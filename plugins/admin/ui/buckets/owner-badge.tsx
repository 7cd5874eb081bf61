import { Badge, Copyable } from '@svc/ui-kit'
import { isUnassigned } from './owner-policy.ts'

/** The S3 user that a bucket belongs to. */
export const OwnerBadge = ({ owner }: { owner: string | null }) =>
  isUnassigned(owner) ? (
    <Badge tone="warning" icon="user" title="No S3 user can use this bucket until it has an owner.">
      Unassigned
    </Badge>
  ) : (
    <Copyable text={owner} label="the access key of the owner" keep={8} />
  )
