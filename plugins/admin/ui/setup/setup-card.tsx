import { component$, type Signal, useSignal } from '@builder.io/qwik'
import { Button, Card, Copyable, Icon, setSearch } from '@svc/ui-kit'
import type { Settings } from '../settings/draft-policy.ts'
import { RestartButton } from '../settings/restart-button.tsx'
import { listSteps, type SetupStep } from './setup-steps-policy.ts'
import { WalletKeyForm } from './wallet-key-form.tsx'

const words = { done: 'Done', current: 'To do', waiting: 'Later' } as const
const marks = { done: 'text-success', current: 'text-warning', waiting: 'text-muted' } as const
const icons = { done: 'circle-check', current: 'circle-alert', waiting: 'circle' } as const

/** Leads through setup mode: what the service lacks, and what to do about each. */
export const SetupCard = component$<{ settings: Settings }>(({ settings }) => {
  /** Belongs to the key that was stored on this page. */
  const address = useSignal('')
  const isComplete = settings.mode === 'ready'
  return (
    <Card title={isComplete ? 'The settings are complete: restart the service' : 'Setup mode: the service lacks settings that it needs'}>
      <ol aria-label="Steps of the setup" class="flex flex-col divide-y text-sm">
        {listSteps(settings).map((step) => (
          <li key={step.id} class="flex min-w-0 gap-3 py-3">
            <Icon name={icons[step.state]} size={18} class={`mt-px shrink-0 ${marks[step.state]}`} />
            <div class="min-w-0 flex-1">
              <p class="font-medium">
                {step.label} <span class="sr-only">{words[step.state]}</span>
              </p>
              <p class="mt-0.5 max-w-160 text-muted [overflow-wrap:anywhere]">{step.text}</p>
              <StepAction step={step} settings={settings} address={address} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
})

const StepAction = component$<{ step: SetupStep; settings: Settings; address: Signal<string> }>(({ step, settings, address }) => {
  const isCorrecting = useSignal(false)
  if (step.id === 'restart') {
    return step.state === 'current' ? (
      <div class="mt-2 empty:hidden">
        <RestartButton settings={settings} />
      </div>
    ) : null
  }
  if (step.id === 'key') {
    const isAsked = step.state === 'current' || (isCorrecting.value && address.value !== '')
    return (
      <div class="mt-2 flex flex-col gap-2">
        {address.value !== '' && (
          <p>
            Wallet <Copyable text={address.value} label="address of the wallet" keep={42} />
          </p>
        )}
        {isAsked && <WalletKeyForm address={address} />}
        {!isAsked && address.value !== '' && (
          <div>
            <Button
              size="sm"
              onClick$={() => {
                isCorrecting.value = true
              }}
            >
              Paste another key
            </Button>
          </div>
        )}
        {step.state === 'current' && (
          <p class="text-xs text-muted">
            Or write it to {settings.config_path} or to {settings.manual.chain_private_key.env} where the service runs.
          </p>
        )}
      </div>
    )
  }
  const { tab } = step
  return tab === undefined ? null : (
    <div class="mt-2">
      <Button size="sm" onClick$={() => setSearch({ tab, q: null })}>
        Show the settings
      </Button>
    </div>
  )
})
