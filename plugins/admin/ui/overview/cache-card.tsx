import { component$ } from '@builder.io/qwik'
import { Badge, Bytes, Card, KeyValue, KeyValues, Meter, SkeletonLines, useQuery } from '@svc/ui-kit'

const policies = { lru: 'Least recently used', after_upload: 'After upload', none: 'Never' } as const

/** Fill of the local cache with the limits of eviction. */
export const CacheCard = component$(() => {
  const overview = useQuery('GET /overview')
  const cache = overview.data?.cache
  if (!cache) {
    return (
      <Card title="Cache fill">
        <SkeletonLines lines={5} label="Loading the cache" />
      </Card>
    )
  }
  const { used_bytes, max_bytes, reserved_bytes, high_watermark_bytes: high, low_watermark_bytes: low } = cache
  return (
    <Card title="Cache fill" note="now">
      <Meter
        label="Cache fill"
        used={used_bytes}
        max={max_bytes}
        parts={[{ label: 'Used', value: used_bytes, color: 'c1' }]}
        marks={[
          ...(low === undefined ? [] : [{ label: 'Eviction stops', value: low }]),
          ...(high === undefined ? [] : [{ label: 'Eviction starts', value: high }]),
        ]}
      />
      <KeyValues class="mt-3 border-t">
        <KeyValue label="Reserved for writes">
          <Bytes value={reserved_bytes} />
        </KeyValue>
        <KeyValue label="Eviction">
          {cache.eviction_paused ? <Badge tone="warning">Paused</Badge> : policies[cache.eviction_policy]}
        </KeyValue>
      </KeyValues>
    </Card>
  )
})
