import { component$, type QRL } from '@builder.io/qwik'
import { Ago, Alert, type Answer, Button, HealthBadge, healthReasons, KeyValue, KeyValues, LinkButton } from '@svc/ui-kit'
import { describeAffected, isObserved } from './health-policy.ts'
import { riskHref } from './links.ts'

interface BucketHealthProps {
  bucket: Answer<'GET /buckets/:name'>
  onRefresh$: QRL<() => Promise<void>>
}

/** Whether the copies of the bucket can be read, by the newest observations. */
export const BucketHealth = component$<BucketHealthProps>(({ bucket, onRefresh$ }) => {
  const { storage_health: health, name } = bucket
  if (!isObserved(health)) return null
  return (
    <section aria-labelledby="sheet-health">
      <div class="mb-1 flex flex-wrap items-center justify-between gap-2">
        <h3 id="sheet-health" class="text-sm font-semibold">
          Storage health
        </h3>
        <Button size="sm" icon="refresh-cw" onClick$={onRefresh$}>
          Refresh
        </Button>
      </div>
      <KeyValues>
        <KeyValue label="State">
          <HealthBadge health={health} />
        </KeyValue>
        {health.reason_codes.length > 0 && <KeyValue label="Why" value={healthReasons(health.reason_codes)} />}
        <KeyValue label="Data sets that are not healthy" value={health.abnormal_data_sets} />
        <KeyValue label="Versions with a copy on one of them">
          <span class="inline-flex flex-wrap items-center justify-end gap-2">
            {describeAffected(health)}
            {health.affected_versions_capped > 0 && (
              <LinkButton size="sm" href={riskHref(name)}>
                Review
              </LinkButton>
            )}
          </span>
        </KeyValue>
        {health.last_checked_at !== undefined && (
          <KeyValue label="Observed">
            <Ago time={health.last_checked_at} />
          </KeyValue>
        )}
      </KeyValues>
      {health.last_error !== undefined && (
        <div class="mt-2">
          <Alert tone="warning" title="The last observation failed">
            {health.last_error}
          </Alert>
        </div>
      )}
    </section>
  )
})
