import { component$, type QRL, type Signal } from '@builder.io/qwik'
import { Button, hrefOf, LinkButton } from '@svc/ui-kit'
import type { Step } from './wizard-policy.ts'

const route = 'POST /buckets/:name/data-sets/:id/replacement'

interface WizardFooterProps {
  bucket: string
  step: Signal<Step>
  /** Why the step cannot be left forwards. */
  problem: string | undefined
  onConfirm$: QRL<() => void>
}

export const WizardFooter = component$<WizardFooterProps>(({ bucket, step, problem, onConfirm$ }) => (
  <div class="flex flex-wrap justify-between gap-2 border-t px-4 py-3">
    {step.value === 'why' ? (
      <LinkButton href={hrefOf('/buckets/:name', { name: bucket }, { tab: 'replacements' })}>Cancel</LinkButton>
    ) : (
      <Button
        icon="arrow-left"
        onClick$={() => {
          step.value = step.value === 'review' ? 'who' : 'why'
        }}
      >
        Back
      </Button>
    )}
    {step.value === 'review' ? (
      <Button variant="danger" icon="replace" changes={route} lockedReason={problem} onClick$={onConfirm$}>
        Replace the provider
      </Button>
    ) : (
      <Button
        variant="primary"
        changes={route}
        lockedReason={problem}
        onClick$={() => {
          step.value = step.value === 'why' ? 'who' : 'review'
        }}
      >
        Continue
      </Button>
    )}
  </div>
))
