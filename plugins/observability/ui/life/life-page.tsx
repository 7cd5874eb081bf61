import { component$ } from '@builder.io/qwik'
import {
  apiPath,
  Badge,
  Button,
  CopyButton,
  Empty,
  ErrorAlert,
  hrefOf,
  LinkButton,
  PageHeader,
  patchQueries,
  SkeletonLines,
  useEvent$,
  useParam,
  useParts,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { type Provenance, proofFileName, stateLook, toSlots } from './describe-life.ts'
import { FailuresCard } from './failures-card.tsx'
import { JourneyCard } from './journey-card.tsx'
import { takeVersionProgress } from './progress-policy.ts'
import { SlotCard } from './slot-card.tsx'
import { VerifyCard } from './verify-card.tsx'
import { VersionCard } from './version-card.tsx'

/** One version from its upload to its last proof. An address with the version id is permanent; without it, the page shows the current version. */
export const LifePage = component$(() => {
  const name = useParam('name')
  const key = useSearchParam('key')
  const asked = useSearchParam('version')
  const cards = useParts('versionCards')
  const proof = useQuery('GET /buckets/:name/objects/proof', () =>
    key.value === '' ? null : { params: { name }, query: { key: key.value, version_id: asked.value || undefined } },
  )
  const versionId = asked.value || (proof.data?.version_id ?? '')
  const provenance = useQuery('GET /buckets/:name/objects/provenance', () => {
    const version_id = asked.value || proof.data?.version_id
    return version_id === undefined ? null : { params: { name }, query: { version_id } }
  })
  useEvent$((event) => {
    patchQueries('GET /buckets/:name/objects/provenance', (shown) => takeVersionProgress(shown as Provenance, event))
  }, 'upload_progress_updated')
  const look = provenance.data && stateLook(provenance.data)
  const slots = toSlots(proof.data, provenance.data)
  return (
    <>
      <PageHeader
        title={key.value === '' ? 'Life of an object' : key.value}
        description="One version from its upload to its last proof."
        crumbs={[
          { label: 'Buckets', to: '/buckets' },
          { label: name, to: hrefOf('/buckets/:name', { name }) },
          { label: 'Life of an object' },
        ]}
      >
        {look && (
          <span q:slot="badge" class="inline-flex items-center gap-1">
            <Badge tone={look.tone}>{look.word}</Badge>
            <CopyButton
              text={location.origin + hrefOf('/buckets/:name/life', { name }, { key: key.value, version: versionId })}
              label="the permanent link"
            />
          </span>
        )}
        {proof.data && (
          <LinkButton
            q:slot="actions"
            icon="shield-check"
            download={proofFileName(proof.data)}
            href={apiPath('GET /buckets/:name/objects/proof', { params: { name }, query: { key: key.value, version_id: versionId } })}
          >
            Download the proof
          </LinkButton>
        )}
        {proof.data && (
          <LinkButton
            q:slot="actions"
            icon="download"
            download
            href={apiPath('GET /buckets/:name/objects/download', { params: { name }, query: { key: key.value, version_id: versionId } })}
          >
            Download
          </LinkButton>
        )}
        <Button q:slot="actions" icon="refresh-cw" pending={proof.isFetching && Boolean(proof.data)} onClick$={proof.refresh}>
          Read again
        </Button>
      </PageHeader>
      {key.value === '' ? (
        <Empty icon="file-x" title="No object is named" text="Choose an object in its bucket.">
          <LinkButton href={hrefOf('/buckets/:name', { name })}>Open the bucket</LinkButton>
        </Empty>
      ) : (
        <div class="flex flex-col gap-4">
          <ErrorAlert error={proof.error} title="The proof cannot be read" onRetry$={proof.refresh} />
          <ErrorAlert error={provenance.error} title="The copies cannot be read" onRetry$={provenance.refresh} />
          {!proof.data && !proof.error && <SkeletonLines lines={8} label="Loading the life of the object" />}
          {proof.data && <JourneyCard bucket={name} proof={proof.data} provenance={provenance.data} />}
          {slots.length > 0 && (
            <section aria-label="Copies" class="grid items-start gap-4 xl:grid-cols-2">
              {slots.map((slot) => (
                <SlotCard key={slot.copyIndex} bucket={name} slot={slot} issuedAt={proof.data?.issued_at} />
              ))}
            </section>
          )}
          {provenance.data && <FailuresCard copies={provenance.data.copies} />}
          {versionId !== '' && (
            <div class="grid items-start gap-4 xl:grid-cols-2">
              <VersionCard bucket={name} objectKey={key.value} versionId={versionId} />
              {cards.value.map(({ id, component: Part }) => (
                <Part key={id} bucket={name} objectKey={key.value} versionId={versionId} />
              ))}
            </div>
          )}
          {proof.data && <VerifyCard proof={proof.data} />}
        </div>
      )}
    </>
  )
})
