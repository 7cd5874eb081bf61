import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, ApiError, Button, call } from '@svc/ui-kit'
import { listChanges, type Settings } from './draft-policy.ts'
import type { SettingsForm } from './settings-form.ts'

const askMs = 2000

/** Loads the whole dashboard when the service runs in full mode. A form that is not saved is kept until the operator agrees. */
export const SetupWatch = component$<{ form: SettingsForm; settings: Settings }>((props) => {
  const isFull = useSignal(false)
  useTask$(({ cleanup }) => {
    const timer = setInterval(async () => {
      if (document.visibilityState !== 'visible' || isFull.value || !(await runsInFullMode())) return
      if (listChanges(props.settings, props.form.drafts).length > 0) isFull.value = true
      else location.reload()
    }, askMs)
    cleanup(() => clearInterval(timer))
  })
  if (!isFull.value) return null
  return (
    <div class="mb-4">
      <Alert tone="success" title="The service has left setup mode" live>
        Loading the dashboard discards the changes on this page.
        <Button
          q:slot="actions"
          size="sm"
          onClick$={() => {
            props.form.drafts = {}
            location.reload()
          }}
        >
          Load the dashboard
        </Button>
      </Alert>
    </div>
  )
})

async function runsInFullMode(): Promise<boolean> {
  try {
    return (await call('GET /healthz')).status !== 'setup'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // An unhealthy service runs in full mode; without an answer it is still starting.
    return error.status === 503
  }
}
