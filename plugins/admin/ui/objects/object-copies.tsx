import { component$ } from '@builder.io/qwik'
import { Alert, Badge, Copyable, copyLooks, HealthBadge, ReplicaStrip, SkeletonLines, useQuery } from '@svc/ui-kit'
import { bestCopies } from './state-policy.ts'

export const ObjectCopies = component$<{ bucket: string; versionId: string }>(({ bucket, versionId }) => {
  const provenance = useQuery('GET /buckets/:name/objects/provenance', () => ({
    params: { name: bucket },
    query: { version_id: versionId },
  }))
  const copies = provenance.data?.copies
  return (
    <section aria-labelledby="panel-copies">
      <div class="mb-2 flex items-center justify-between gap-3">
        <h3 id="panel-copies" class="text-sm font-semibold">
          Copies
        </h3>
        {provenance.data && <ReplicaStrip copies={bestCopies(provenance.data.copies)} requested={provenance.data.requested_copies} text />}
      </div>
      {provenance.error && <Alert tone="danger">{provenance.error.message}</Alert>}
      {!copies && !provenance.error && <SkeletonLines lines={3} label="Loading the copies" />}
      {copies?.length === 0 && <p class="text-sm text-muted">No copy has been started. The bytes are in the cache.</p>}
      {copies && copies.length > 0 && (
        <ul class="divide-y rounded-md border">
          {[...copies]
            .sort((a, b) => a.copy_index - b.copy_index)
            .map((copy, at) => (
              <li key={`${copy.copy_index} ${at}`} class="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-3.5 py-2 text-sm">
                <span>
                  Replica {copy.copy_index + 1}
                  {copy.provider_id !== undefined && (
                    <span class="text-muted"> at provider {copy.provider_identity?.registry_provider_id ?? copy.provider_id}</span>
                  )}
                </span>
                <span class="flex flex-wrap gap-1.5">
                  <Badge tone={copyLooks[copy.status].tone}>{copyLooks[copy.status].word}</Badge>
                  {copy.status === 'committed' && <HealthBadge health={copy.health} />}
                </span>
                {copy.piece_id !== undefined && (
                  <span class="flex basis-full items-center gap-1 text-xs text-muted">
                    piece <Copyable text={copy.piece_id} label="the piece id" /> in data set{' '}
                    <Copyable text={copy.data_set_id} label="the id of the data set" />
                  </span>
                )}
              </li>
            ))}
        </ul>
      )}
    </section>
  )
})
