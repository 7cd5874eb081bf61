import { component$, type Signal } from '@builder.io/qwik'
import { ActionPrice, KeyValue, KeyValues, usePriceTerms } from '@svc/ui-kit'
import { NoPrice } from './no-price.tsx'
import type { Candidate, DataSet } from './wizard-policy.ts'

interface ReviewStepProps {
  dataSet: DataSet
  chosen: Candidate | undefined
  /** The dialog shows the price then: it may be another one by now. */
  isConfirming: Signal<boolean>
}

/** What one confirmation authorises, and what it costs. */
export const ReviewStep = component$<ReviewStepProps>(({ dataSet, chosen, isConfirming }) => {
  const terms = usePriceTerms()
  return (
    <div class="grid min-w-0 gap-6 md:grid-cols-2">
      <section aria-labelledby="replace-what" class="min-w-0">
        <h3 id="replace-what" class="mb-2 text-sm font-semibold">
          One confirmation covers all of this
        </h3>
        <ul class="flex list-disc flex-col gap-1.5 ps-5 text-sm">
          <li>A new paid service is created at the new provider.</li>
          <li>New uploads of replica {dataSet.copy_index + 1} go there.</li>
          <li>The existing contents are copied from other replicas or from the cache.</li>
          <li>The old service is ended when the new provider has every retained version.</li>
        </ul>
        <p class="mt-2 text-sm text-muted">
          A content that neither another replica nor the cache has cannot be copied: then the old service is kept until it can.
        </p>
        <KeyValues class="mt-3">
          <KeyValue label="From" value={`Provider ${dataSet.provider_id}`} />
          <KeyValue
            label="To"
            value={chosen ? `${chosen.provider_identity.name} · provider ${chosen.provider_id}` : 'A provider that svc chooses'}
          />
        </KeyValues>
      </section>
      <div class="min-w-0">
        <h3 class="mb-2 text-sm font-semibold">Price</h3>
        {!isConfirming.value && (
          <ActionPrice action={{ kind: 'replacement', data_set_id: dataSet.id }} terms={terms}>
            <NoPrice />
          </ActionPrice>
        )}
      </div>
    </div>
  )
})
