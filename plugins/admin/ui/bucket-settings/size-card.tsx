import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Card,
  call,
  ErrorAlert,
  formatBytes,
  formatExactCount,
  KeyValue,
  KeyValues,
  SkeletonLines,
  useAction$,
  useIsEnabled,
  useQuery,
} from '@svc/ui-kit'
import type { BulkPreview } from '../bulk/bulk-texts.ts'

interface Sums {
  readonly all: BulkPreview
  readonly trash: BulkPreview
}

const recountMs = 60_000

/** What the bucket holds and pays for: current objects, older versions, and trash. */
export const SizeCard = component$<{ bucket: string; version: number | undefined }>((props) => {
  const sums = useSignal<Sums>()
  const countedAtMs = useSignal(0)
  const isPacked = useIsEnabled('packs')
  const found = useQuery('GET /buckets/:name', () => ({ params: { name: props.bucket } }))
  const count = useAction$(async () => {
    const preview = (action: 'delete_bucket' | 'delete_permanently') =>
      call('POST /buckets/:name/bulk-actions/preview', { params: { name: props.bucket }, body: { action, targets: [{ prefix: '' }] } })
    const [all, trash] = await Promise.all([preview('delete_bucket'), preview('delete_permanently')])
    sums.value = { all, trash }
  })
  useTask$(({ track, cleanup }) => {
    track(() => props.version)
    const recount = () => {
      countedAtMs.value = Date.now()
      void count.run()
    }
    // Each count reads all versions of the bucket.
    const waitMs = countedAtMs.value + recountMs - Date.now()
    if (waitMs <= 0) return recount()
    const timer = setTimeout(recount, waitMs)
    cleanup(() => clearTimeout(timer))
  })
  return (
    <Card title="Size">
      <ErrorAlert error={count.error} onRetry$={count.run} />
      {!sums.value && !count.error && <SkeletonLines lines={4} label="Counting" />}
      {sums.value && found.data && (
        <>
          <KeyValues>{rowsOf(sums.value, found.data.object_count, found.data.total_size_bytes)}</KeyValues>
          <p class="mt-2 text-xs text-muted">
            All of it is paid for, once for each copy{isPacked.value ? '; packs add a little to small objects' : ''}.
          </p>
        </>
      )}
    </Card>
  )
})

function rowsOf({ all, trash }: Sums, objects: number, bytes: number) {
  const older = all.versions - objects - trash.versions
  const olderBytes = BigInt(all.bytes) - BigInt(bytes) - BigInt(trash.bytes)
  const row = (label: string, versions: number, size: bigint | number) => (
    <KeyValue key={label} label={label} value={`${formatBytes(Math.max(0, Number(size)))} in ${formatExactCount(Math.max(0, versions))}`} />
  )
  return [
    row('Current objects', objects, bytes),
    row('Older versions', older, olderBytes),
    row('Trash', trash.versions, BigInt(trash.bytes)),
    row('All versions', all.versions, BigInt(all.bytes)),
  ]
}
