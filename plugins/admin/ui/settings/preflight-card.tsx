import { component$, useSignal } from '@builder.io/qwik'
import { Alert, type Answer, Badge, Button, Card, call, ErrorAlert, formatPlural, type Tone, useAction$ } from '@svc/ui-kit'
import { listChanges, preflightChanges, type Settings, toBody } from './draft-policy.ts'
import type { SettingsForm } from './settings-form.ts'

type Preflight = Answer<'POST /chain/readiness/preflight'>
type Check = Preflight['checks'][number]

/** The service gives the whole check 20 s. */
const preflightMs = 40_000
const words: Readonly<Record<Check['status'], readonly [tone: Tone, word: string]>> = {
  ready: ['success', 'Ready'],
  warning: ['warning', 'Warning'],
  blocked: ['danger', 'Blocked'],
  unknown: ['neutral', 'Unknown'],
}

/** Asks the service whether it could store objects with the draft, before it is saved. */
export const PreflightCard = component$<{ settings: Settings; form: SettingsForm }>((props) => {
  const found = useSignal<{ readonly of: string; readonly answer: Preflight }>()
  const check = useAction$(async () => {
    const body = draftBody(props.settings, props.form)
    const answer = await call('POST /chain/readiness/preflight', { body }, { deadlineMs: preflightMs })
    found.value = { of: JSON.stringify(body), answer }
  })
  const isOld = found.value !== undefined && found.value.of !== JSON.stringify(draftBody(props.settings, props.form))
  const answer = found.value?.answer
  return (
    <Card title="Readiness of this draft">
      <Button
        q:slot="actions"
        size="sm"
        icon="stethoscope"
        changes="POST /chain/readiness/preflight"
        pending={check.isPending}
        pendingLabel="Checking"
        onClick$={() => check.run()}
      >
        {answer ? 'Check again' : 'Check'}
      </Button>
      <div class="flex flex-col gap-3 text-sm" aria-live="polite">
        <ErrorAlert error={check.error} title="The draft could not be checked" />
        {!answer && !check.error && (
          <p class="text-muted">
            Connects to the chain node with these settings, saved or not, and looks at key, network, balances, providers and approval.
            Nothing is changed or paid. It takes up to 20 seconds.
          </p>
        )}
        {answer && isOld && <Alert tone="info">The draft has changed since this check.</Alert>}
        {answer && <PreflightResult answer={answer} />}
      </div>
    </Card>
  )
})

const draftBody = (settings: Settings, { drafts }: SettingsForm) => toBody(preflightChanges(listChanges(settings, drafts)))

const PreflightResult = component$<{ answer: Preflight }>(({ answer }) => {
  const [tone, word] = words[answer.status]
  const open = answer.checks.filter(({ status }) => status !== 'ready')
  const ready = answer.checks.length - open.length
  return (
    <>
      <p class="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{word}</Badge>
        <span class="text-muted">{`${formatPlural(ready, 'check')} of ${answer.checks.length} passed`}</span>
      </p>
      <ul class="flex flex-col gap-2 empty:hidden">
        {open.map(({ id, status, message, action }) => (
          <li key={id} class="flex min-w-0 items-start gap-2.5 rounded-md border px-3 py-2">
            <Badge tone={words[status][0]}>{words[status][1]}</Badge>
            <span class="min-w-0 flex-1 [overflow-wrap:anywhere]">
              {message}
              {action && <span class="mt-0.5 block text-muted">{action}</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
})
