import { $, component$, useSignal } from '@builder.io/qwik'
import { Alert, Card, go, hrefOf, invalidate, Stepper, toast, usePriceTerms, useQuery } from '@svc/ui-kit'
import type { Replacement } from '../words-policy.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { NotReplaceable } from './not-replaceable.tsx'
import { ReviewStep } from './review-step.tsx'
import { useConfirmation } from './use-confirmation.ts'
import { WhoStep } from './who-step.tsx'
import { WhyStep } from './why-step.tsx'
import { WizardFooter } from './wizard-footer.tsx'
import { chosenOf, type DataSet, type Mode, problemOf, type Step, stepperOf } from './wizard-policy.ts'

interface WizardProps {
  bucket: string
  dataSet: DataSet
  unfinished: Replacement | undefined
}

/** Why, who, review. Nothing is sent before the last question. */
export const Wizard = component$<WizardProps>((props) => {
  const step = useSignal<Step>('why')
  const mode = useSignal<Mode>('automatic')
  const provider = useSignal('')
  const isConfirming = useSignal(false)
  const terms = usePriceTerms()
  const candidates = useQuery('GET /buckets/:name/data-sets/:id/replacement/providers', () => ({
    params: { name: props.bucket, id: String(props.dataSet.id) },
  }))
  const { action, refused } = useConfirmation({
    bucket: props.bucket,
    dataSetId: props.dataSet.id,
    step,
    isOpen: isConfirming,
    renewCandidates: candidates.refresh,
  })
  const submit = $(async () => {
    const choice = mode.value === 'manual' ? { mode: mode.value, provider_id: provider.value } : { mode: mode.value }
    const made = await action.run(choice, terms.headers)
    if (!made) return
    invalidate(['GET /storage-replacements', 'GET /buckets/:name', 'GET /overview'])
    toast({ title: `Replacement ${made.id} is confirmed` })
    go(hrefOf('/replacements/:id', { id: String(made.id) }))
  })
  const ask = $(async () => {
    refused.value = undefined
    await action.reset()
    isConfirming.value = true
  })
  if (refused.value?.leadsTo === 'replica') return <NotReplaceable bucket={props.bucket} message={refused.value.message} />
  const choice = { mode: mode.value, provider: provider.value }
  const found = candidates.data?.providers
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <Stepper label="Steps" steps={stepperOf(step.value)} />
      <Card title={titles[step.value]}>
        {step.value === 'why' && <WhyStep dataSet={props.dataSet} unfinished={props.unfinished} />}
        {step.value === 'who' && refused.value && (
          <div class="mb-4">
            <Alert tone="danger" title="Nothing was changed" live>
              {refused.value.message}
            </Alert>
          </div>
        )}
        {step.value === 'who' && <WhoStep candidates={candidates} mode={mode} provider={provider} />}
        {step.value === 'review' && <ReviewStep dataSet={props.dataSet} chosen={chosenOf(choice, found)} isConfirming={isConfirming} />}
        <WizardFooter q:slot="footer" bucket={props.bucket} step={step} problem={problemOf(step.value, choice, found)} onConfirm$={ask} />
      </Card>
      <ConfirmDialog
        open={isConfirming}
        bucket={props.bucket}
        dataSet={props.dataSet}
        target={mode.value === 'manual' ? chosenOf(choice, found) : undefined}
        terms={terms}
        pending={action.isPending}
        error={action.error}
        onConfirm$={submit}
      />
    </div>
  )
})

const titles: Readonly<Record<Step, string>> = { why: 'What moves', who: 'The new provider', review: 'Review' }
