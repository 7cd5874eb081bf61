import { component$ } from '@builder.io/qwik'
import { Alert, Card, Empty, Link, PageHeader, SkeletonLines, useParam, useQuery } from 'svc/ui-kit'
import { HoldTab } from './hold-tab.tsx'

export const LegalHoldsPage = component$(() => {
  const buckets = useQuery('GET /buckets')
  return (
    <>
      <PageHeader title="Legal holds" description="Objects under the prefix of the setting legal_hold.prefix stay in the cache." />
      {buckets.error && <Alert tone="danger">{buckets.error.message}</Alert>}
      {!buckets.data && !buckets.error && <SkeletonLines label="Loading the buckets" />}
      {buckets.data?.length === 0 && <Empty icon="database" title="No buckets" text="Create a bucket; its hold appears here." />}
      <div class="grid gap-4 lg:grid-cols-2">
        {buckets.data?.map(({ name }) => (
          <Card key={name} title={name}>
            <Link
              q:slot="actions"
              to="/legal-holds/:bucket"
              params={{ bucket: name }}
              class="text-accent hover:underline"
              aria-label={`Open the hold of ${name}`}
            >
              Open
            </Link>
            <HoldTab bucket={name} />
          </Card>
        ))}
      </div>
    </>
  )
})

/** The address names the bucket. */
export const BucketHoldPage = component$(() => {
  const bucket = useParam('bucket')
  return (
    <>
      <PageHeader title={bucket} crumbs={[{ label: 'Legal holds', to: '/legal-holds' }, { label: bucket }]} />
      <Card title="Legal hold">
        <HoldTab bucket={bucket} />
      </Card>
    </>
  )
})
