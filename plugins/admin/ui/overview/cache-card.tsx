import { component$ } from '@builder.io/qwik'
import { Card, formatBytes, formatPercent, KeyValue, KeyValues, Progress, SkeletonLines, useQuery } from '@svc/ui-kit'

const policies = { lru: 'Least recently used', after_upload: 'After upload', none: 'Never' } as const

/** Use of the local cache. */
export const CacheCard = component$(() => {
  const overview = useQuery('GET /overview')
  const cache = overview.data?.cache
  return (
    <Card title="Cache" note={cache ? `${formatPercent(cache.used_bytes, cache.max_bytes)} full` : undefined}>
      {cache ? (
        <div class="flex flex-col gap-4">
          <Progress
            label="Cache in use"
            value={cache.used_bytes}
            max={cache.max_bytes}
            text={`${formatBytes(cache.used_bytes)} of ${formatBytes(cache.max_bytes)}`}
          />
          <KeyValues>
            <KeyValue label="Reserved for writes">{formatBytes(cache.reserved_bytes)}</KeyValue>
            <KeyValue label="Eviction">{cache.eviction_paused ? 'Paused' : policies[cache.eviction_policy]}</KeyValue>
            {cache.high_watermark_bytes !== undefined && (
              <KeyValue label="Starts / stops at">
                {formatBytes(cache.high_watermark_bytes)} / {formatBytes(cache.low_watermark_bytes)}
              </KeyValue>
            )}
          </KeyValues>
        </div>
      ) : (
        <SkeletonLines lines={4} label="Loading the cache" />
      )}
    </Card>
  )
})
