import { component$, useSignal } from '@builder.io/qwik'
import { Badge, Button, Card, ErrorAlert, KeyValue, KeyValues, Link, SkeletonLines, useIsEnabled, useParts, useQuery } from '@svc/ui-kit'
import { ChangeOwnerDialog } from '../buckets/change-owner-dialog.tsx'
import { CopyPolicyForm } from '../buckets/copy-policy-form.tsx'
import { bucketHref } from '../buckets/links.ts'
import { OwnerBadge } from '../buckets/owner-badge.tsx'
import { AccessCard } from './access-card.tsx'
import { CorsCard } from './cors-card.tsx'
import { DeleteCard } from './delete-card.tsx'
import { LifecycleCard } from './lifecycle-card.tsx'
import { QuotaCard } from './quota-card.tsx'
import { SizeCard } from './size-card.tsx'
import { TagsCard } from './tags-card.tsx'
import { UploadsCard } from './uploads-card.tsx'

/** Everything that can be set for one bucket, in one place. */
export const SettingsTab = component$<{ bucket: string }>(({ bucket }) => {
  const found = useQuery('GET /buckets/:name', () => ({ params: { name: bucket } }))
  const hasS3 = useIsEnabled('s3')
  const hasPacking = useParts('bucketTabs').value.some(({ id }) => id === 'packs')
  const s3 = useQuery('GET /buckets/:name/s3-settings', () => (hasS3.value ? { params: { name: bucket } } : null))
  const isChanging = useSignal(false)
  if (!found.data) return found.error ? <ErrorAlert error={found.error} onRetry$={found.refresh} /> : <SkeletonLines lines={8} />
  const { owner_access_key, owner_name, default_copies, minimum_durable_copies } = found.data
  return (
    <div class="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Copies">
        <CopyPolicyForm key={`${default_copies}/${minimum_durable_copies}`} bucket={found.data} />
      </Card>
      <SizeCard bucket={bucket} version={found.fetchedAtMs} />
      {hasS3.value && s3.error && !s3.data && <ErrorAlert error={s3.error} onRetry$={s3.refresh} />}
      {s3.data && <AccessCard bucket={found.data} access={s3.data.access} />}
      <Card title="Owner and versioning">
        <KeyValues>
          <KeyValue label="Owner">
            <span class="inline-flex flex-wrap items-center justify-end gap-2">
              <OwnerBadge owner={owner_access_key} name={owner_name} />
              <Button
                size="sm"
                icon="user"
                changes="PUT /buckets/:name/owner"
                orHidden
                onClick$={() => {
                  isChanging.value = true
                }}
              >
                Change owner
              </Button>
            </span>
          </KeyValue>
          <KeyValue label="Versioning" help="Every upload adds a version; a deletion adds a delete marker.">
            <Badge tone="success">Enabled, always</Badge>
          </KeyValue>
          {hasPacking && (
            <KeyValue label="Packing">
              <Link to={bucketHref(bucket, { tab: 'packs' })} class="text-accent hover:underline">
                On the tab Packs
              </Link>
            </KeyValue>
          )}
        </KeyValues>
      </Card>
      {s3.data && <QuotaCard key={`${s3.data.quota.objects}/${s3.data.quota.bytes}`} bucket={bucket} quota={s3.data.quota} />}
      {s3.data && <TagsCard key={JSON.stringify(s3.data.tags)} bucket={bucket} tags={s3.data.tags} />}
      {s3.data && <CorsCard key={JSON.stringify(s3.data.cors_rules)} bucket={bucket} rules={s3.data.cors_rules} />}
      {s3.data && <LifecycleCard key={JSON.stringify(s3.data.lifecycle_rules)} bucket={bucket} settings={s3.data} />}
      {hasS3.value && <UploadsCard bucket={bucket} />}
      <DeleteCard bucket={found.data} />
      {isChanging.value && (
        <ChangeOwnerDialog
          open={isChanging}
          bucket={bucket}
          current={owner_access_key}
          onClose$={() => {
            isChanging.value = false
          }}
        />
      )}
    </div>
  )
})
