import { component$ } from '@builder.io/qwik'
import { KeyValue, KeyValues } from '@svc/ui-kit'
import { PriceFacts } from './price-facts.tsx'
import type { useEstimate } from './use-estimate.ts'
import type { Candidate, DataSet } from './wizard-policy.ts'

interface ReviewStepProps {
  dataSet: DataSet
  chosen: Candidate | undefined
  estimate: ReturnType<typeof useEstimate>
}

/** What one confirmation authorises, and what it costs. */
export const ReviewStep = component$<ReviewStepProps>(({ dataSet, chosen, estimate }) => (
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
    <section aria-labelledby="replace-price" class="min-w-0">
      <h3 id="replace-price" class="mb-2 text-sm font-semibold">
        Price
      </h3>
      {estimate.hasCosts.value ? (
        <PriceFacts estimate={estimate.data} problem={estimate.problem} onRefresh$={estimate.refresh} />
      ) : (
        <p class="text-sm text-muted">The plugin costs is disabled, so no price is shown.</p>
      )}
    </section>
  </div>
))
