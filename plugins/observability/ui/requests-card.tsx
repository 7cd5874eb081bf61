import { $, component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { Card, ErrorAlert, TimeChart, useObservable } from '@svc/ui-kit'
import { recordRequests, requestHistory } from './request-history.ts'
import { type RequestCounts, sampleMs } from './request-rates-policy.ts'

const series: readonly { readonly label: string; readonly of: keyof RequestCounts }[] = [
  { label: 'Reads', of: 'reads' },
  { label: 'Writes', of: 'writes' },
  { label: 'Failures', of: 'failures' },
]

/** S3 operations on objects per second, while the card is in view. */
export const RequestsCard = component$(() => {
  const history = useObservable(requestHistory)
  const error = useSignal<{ readonly message: string }>()
  const sample = $(async (signal: AbortSignal) => {
    try {
      await recordRequests(signal)
      error.value = undefined
    } catch (failure) {
      if (!signal.aborted) error.value = { message: (failure as Error).message }
    }
  })
  // biome-ignore lint/correctness/noQwikUseVisibleTask: samples are taken while the card is shown
  useVisibleTask$(({ cleanup }) => {
    const abort = new AbortController()
    void sample(abort.signal)
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void sample(abort.signal)
    }, sampleMs)
    cleanup(() => {
      clearInterval(timer)
      abort.abort()
    })
  })
  const drawn = history.value.slice(1)
  return (
    <Card title="S3 operations" note="per second, in this tab">
      <ErrorAlert error={error.value} onRetry$={() => sample(AbortSignal.timeout(sampleMs))} class="mb-3" />
      <TimeChart
        label="S3 operations per second seen in this tab"
        times={drawn.map(({ atMs }) => atMs / 1000)}
        series={series.map(({ label, of }) => ({ label, values: drawn.map(({ rates }) => rates?.[of] ?? null) }))}
        unit="rate"
        height={168}
        emptyText={`A rate needs two readings of the counters. The first one follows in ${sampleMs / 1000} s.`}
      />
    </Card>
  )
})
