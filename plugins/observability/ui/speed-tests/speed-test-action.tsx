import { $, component$, useSignal, useTask$ } from '@builder.io/qwik'
import { ActionPrice, Button, Confirm, call, formatBytes, invalidate, toast, useAction$, usePriceTerms, useQuery } from '@svc/ui-kit'
import { lockedReason, sampleBytes } from './describe-speed-test.ts'

const route = 'POST /observability/providers/:provider_id/upload-speed-test'

/** Starts the speed test of a provider, after it said what the test does. */
export const SpeedTestAction = component$<{ providerId: string; serviceUrl?: string | undefined }>((props) => {
  const open = useSignal(false)
  const terms = usePriceTerms()
  const found = useQuery('GET /observability/providers', () => ({ query: { provider_id: props.providerId } }))
  const provider = found.data?.items[0]
  const start = useAction$(async (providerId: string) => call(route, { params: { provider_id: providerId } }, { headers: terms.headers }))
  useTask$(({ track }) => {
    if (track(() => open.value)) void start.reset()
  })
  const confirm = $(async () => {
    const started = await start.run(props.providerId)
    // The list has changed since it was read, also after a refusal.
    invalidate(['GET /observability/providers', 'GET /tasks'])
    if (!started) return
    open.value = false
    toast({
      title: 'The speed test runs',
      text: `Task ${started.task_id} sends ${formatBytes(sampleBytes)} to provider ${props.providerId}`,
    })
  })
  return (
    <>
      <Button
        icon="gauge"
        changes={route}
        lockedReason={provider && lockedReason(provider)}
        disabled={!provider}
        onClick$={() => {
          open.value = true
        }}
      >
        Test upload speed
      </Button>
      <Confirm
        open={open}
        level="review"
        changes={route}
        title={`Test the upload speed of provider ${props.providerId}?`}
        rows={[
          { label: 'To', to: props.serviceUrl ?? '—' },
          { label: 'Traffic', to: `${formatBytes(sampleBytes)} of random bytes from this service, once` },
          { label: 'Lasts', to: 'At most two minutes; one test runs at a time' },
        ]}
        confirmLabel="Start the test"
        pending={start.isPending}
        lockedReason={terms.lockedReason}
        onConfirm$={confirm}
      >
        <p class="text-sm text-muted">
          The test shares the bandwidth with uploads of objects. Its result is a single sample. The bytes get no name, so the provider
          discards them.
        </p>
        {open.value && <ActionPrice action={{ kind: 'speed_test' }} terms={terms} error={start.error} />}
      </Confirm>
    </>
  )
})
