import { Alert, type Answer, Badge } from '@svc/ui-kit'
import { describeRights } from './public-policy.ts'

type Rights = Pick<Answer<'GET /buckets'>[number], 'public_access'>

/** Marks a bucket that callers without a signature may use; nothing for others. */
export const PublicBadge = ({ bucket: { public_access: rights } }: { bucket: Rights }) =>
  rights.length === 0 ? null : (
    <Badge tone="warning" icon="globe" title={`Anyone who reaches the S3 API may ${describeRights(rights)}, without a signature.`}>
      Public: {rights.map((right) => right.replace('_', ' ')).join(', ')}
    </Badge>
  )

/** What is public, what it can cost, and how to end it. */
export const PublicNote = ({ bucket: { public_access: rights } }: { bucket: Rights }) =>
  rights.length === 0 ? null : (
    <div class="mt-4">
      <Alert tone="warning" title="This bucket is public">
        Anyone who reaches the S3 API may {describeRights(rights)}, without a signature.
        {rights.includes('write') && ' What strangers store fills the cache and causes payments to storage providers.'} Its owner ends that
        with a public access block or with private lists: docs/guide/public-buckets.md describes both.
      </Alert>
    </div>
  )
