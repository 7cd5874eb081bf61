import { $, component$, type Signal, useSignal } from '@builder.io/qwik'
import { Alert, ApiError, Button, Confirm, call, useAction$ } from '@svc/ui-kit'
import type { Settings } from './draft-policy.ts'

type Phase = 'asking' | 'waiting' | 'late'

const askMs = 1000
/** Time of a usual start, beside that of the stop. */
const startMs = 60_000

/** Restarts the service where a supervisor starts it again, and loads the page anew when its successor answers. */
export const RestartButton = component$<{ settings: Settings }>((props) => {
  const isOpen = useSignal(false)
  const phase = useSignal<Phase>('asking')
  const request = useAction$(() => call('POST /restart'))
  const confirm = $(async () => {
    const answer = await request.run()
    if (!answer) return
    phase.value = 'waiting'
    await waitForSuccessor(answer, phase)
    location.reload()
  })
  if (!props.settings.restart.supervised) return null
  const { pending = [], restart } = props.settings
  return (
    <>
      <Button
        size="sm"
        icon="rotate-ccw"
        changes="POST /restart"
        onClick$={() => {
          phase.value = 'asking'
          isOpen.value = true
        }}
      >
        Restart now
      </Button>
      <Confirm
        open={isOpen}
        level="review"
        changes="POST /restart"
        title="Restart the service?"
        description={`Requests and transfers that run have ${restart.stop_seconds} seconds to finish, then they are cut. S3 and this dashboard do not answer until the service is back.`}
        rows={[{ label: 'Settings that change', to: pending.length === 0 ? 'None' : String(pending.length) }]}
        confirmLabel={phase.value === 'waiting' ? 'Waiting for the service' : 'Restart now'}
        pending={request.isPending || phase.value === 'waiting'}
        error={request.error?.message}
        onConfirm$={confirm}
        onClose$={request.reset}
      >
        {pending.some(({ field }) => field === 'admin.addr') && (
          <Alert tone="warning" title="The dashboard moves">
            admin.addr changes: open the dashboard at its new address afterwards.
          </Alert>
        )}
        {phase.value === 'late' && (
          <Alert tone="danger" title="The service has not come back" live>
            Look at its log where it runs. This page continues when it answers.
          </Alert>
        )}
      </Confirm>
    </>
  )
})

interface Leaving {
  readonly started_at: string
  readonly stop_seconds: number
}

/** Never gives up: a late successor is welcome. */
async function waitForSuccessor({ started_at, stop_seconds }: Leaving, phase: Signal<Phase>): Promise<void> {
  const lateAtMs = Date.now() + stop_seconds * 1000 + startMs
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, askMs))
    const now = await readStart()
    if (now !== undefined && now !== started_at) return
    if (Date.now() > lateAtMs) phase.value = 'late'
  }
}

async function readStart(): Promise<string | undefined> {
  try {
    return (await call('GET /settings')).restart.started_at
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The successor ended the session: the page loads with the sign-in.
    return error.status === 401 ? '' : undefined
  }
}
