import { component$, type Signal } from '@builder.io/qwik'
import { type Answer, ErrorAlert, formatBytes, type Query, RadioGroup, SkeletonLines } from '@svc/ui-kit'
import { automaticChoice, type Mode, optionOf } from './wizard-policy.ts'

interface WhoStepProps {
  candidates: Query<Answer<'GET /buckets/:name/data-sets/:id/replacement/providers'>>
  mode: Signal<Mode>
  provider: Signal<string>
}

/** Automatic or one of the available providers; those that cannot take the replica say why. */
export const WhoStep = component$<WhoStepProps>(({ candidates, mode, provider }) => {
  const found = candidates.data?.providers
  if (!found) {
    if (candidates.error) return <ErrorAlert error={candidates.error} onRetry$={candidates.refresh} />
    return <SkeletonLines lines={4} label="Loading the providers" />
  }
  const best = automaticChoice(found)
  return (
    <div class="flex flex-col gap-5">
      <RadioGroup
        label="Who chooses the provider?"
        value={mode.value}
        onValue$={(value) => {
          mode.value = value as Mode
        }}
        options={[
          {
            value: 'automatic',
            label: 'svc chooses',
            help: best && `A provider that this bucket never used: now ${best.provider_identity.name} · provider ${best.provider_id}.`,
            lockedReason: best ? undefined : 'No available provider is left that this bucket never used.',
          },
          { value: 'manual', label: 'I choose', help: 'One of the providers that answer now, also one that this bucket used and retired.' },
        ]}
      />
      {mode.value === 'manual' && found.length > 0 && (
        <RadioGroup label="Provider" value={provider} options={found.map((candidate) => optionOf(candidate, formatBytes))} />
      )}
      {mode.value === 'manual' && found.length === 0 && <p class="text-sm text-muted">No provider answers now.</p>}
    </div>
  )
})
