import { component$, type QRL, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Badge,
  Boundary,
  Button,
  Card,
  Empty,
  HealthBadge,
  LinkButton,
  PageHeader,
  setSearch,
  TabLinks,
  useParam,
  useParts,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { BulkProgress } from '../bulk/bulk-progress.tsx'
import { BucketFacts } from './bucket-facts.tsx'
import { BucketSheet } from './bucket-sheet.tsx'
import { ChangeOwnerDialog } from './change-owner-dialog.tsx'
import { describeBelowTarget } from './describe-below-target.ts'
import { isObserved } from './health-policy.ts'
import { bucketHref } from './links.ts'
import { PublicBadge, PublicNote } from './public-badge.tsx'

/** One bucket, with the tabs that plugins add. Tab, folder, cursors and open panels are in the address. */
export const BucketPage = component$(() => {
  const name = useParam('name')
  const bucket = useQuery('GET /buckets/:name', () => ({ params: { name } }))
  const tabs = useParts('bucketTabs')
  const wanted = useSearchParam('tab')
  const details = useSearchParam('details')
  const isDetailed = useSignal(false)
  const isChanging = useSignal(false)
  useTask$(({ track }) => {
    isDetailed.value = track(() => details.value) !== ''
  })
  useTask$(() => {
    document.title = `${name} · svc`
  })
  if (bucket.error && !bucket.data)
    return <NoBucket name={name} isMissing={bucket.error?.status === 404} message={bucket.error?.message ?? ''} onRetry$={bucket.refresh} />
  const below = bucket.data?.below_target && describeBelowTarget(bucket.data.below_target)
  const tab = tabs.value.find(({ id }) => id === wanted.value) ?? tabs.value[0]
  const Content = tab?.component
  return (
    <>
      <PageHeader title={name} crumbs={[{ label: 'Buckets', to: '/buckets' }, { label: name }]}>
        <span q:slot="badge" class="inline-flex flex-wrap gap-2">
          {bucket.data && isObserved(bucket.data.storage_health) && <HealthBadge health={bucket.data.storage_health} />}
          {below && below.tone !== 'success' && <Badge tone={below.tone}>{`Below target: ${below.text}`}</Badge>}
          {bucket.data && <PublicBadge bucket={bucket.data} />}
        </span>
        <Button q:slot="actions" icon="sliders-horizontal" onClick$={() => setSearch({ details: '1' })}>
          Details
        </Button>
      </PageHeader>
      <BucketFacts bucket={bucket.data} />
      {bucket.data && <PublicNote bucket={bucket.data} />}
      <BulkProgress bucket={name} running={bucket.data?.bulk_action_id} />
      <div class="mt-5">
        <TabLinks
          label="Parts of the bucket"
          current={tab?.id ?? ''}
          tabs={tabs.value.map(({ id, label }, at) => ({ id, label, to: bucketHref(name, at === 0 ? {} : { tab: id }) }))}
        />
        <div class="pt-4">
          {Content && (
            <Boundary key={tab?.id} what="tab">
              <Content bucket={name} />
            </Boundary>
          )}
        </div>
      </div>
      {details.value !== '' && bucket.data && (
        <BucketSheet
          open={isDetailed}
          bucket={bucket.data}
          onRefresh$={bucket.refresh}
          onOwner$={() => {
            isChanging.value = true
          }}
          onClose$={() => setSearch({ details: null }, { replace: true })}
        />
      )}
      {isChanging.value && bucket.data && (
        <ChangeOwnerDialog
          open={isChanging}
          bucket={name}
          current={bucket.data.owner_access_key}
          onClose$={() => {
            isChanging.value = false
          }}
        />
      )}
    </>
  )
})

interface NoBucketProps {
  name: string
  isMissing: boolean
  message: string
  onRetry$: QRL<() => Promise<void>>
}

const NoBucket = component$<NoBucketProps>(({ name, isMissing, message, onRetry$ }) => (
  <>
    <PageHeader title={name} crumbs={[{ label: 'Buckets', to: '/buckets' }, { label: name }]} />
    <Card>
      <Empty
        icon={isMissing ? 'database' : 'octagon-alert'}
        title={isMissing ? 'There is no such bucket' : 'The bucket cannot be read'}
        text={message}
      >
        {!isMissing && (
          <Button icon="refresh-cw" onClick$={onRetry$}>
            Try again
          </Button>
        )}
        <LinkButton href="/buckets">Go to the buckets</LinkButton>
      </Empty>
    </Card>
  </>
))
