import { component$ } from '@builder.io/qwik'
import {
  apiPath,
  Button,
  Empty,
  ErrorAlert,
  hrefOf,
  LinkButton,
  PageHeader,
  patchQueries,
  useEvent$,
  useParam,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import type { Provenance } from '../state-policy.ts'
import { CopiesCard } from './copies-card.tsx'
import { FailuresCard } from './failures-card.tsx'
import { takeVersionProgress } from './progress-policy.ts'
import { StatusCard } from './status-card.tsx'
import { VersionCard } from './version-card.tsx'

/** Where the bytes of one version are. */
export const ProvenancePage = component$(() => {
  const name = useParam('name')
  const key = useSearchParam('key')
  const version = useSearchParam('version')
  const provenance = useQuery('GET /buckets/:name/objects/provenance', () =>
    version.value === '' ? null : { params: { name }, query: { version_id: version.value } },
  )
  useEvent$((event) => {
    patchQueries('GET /buckets/:name/objects/provenance', (shown) => takeVersionProgress(shown as Provenance, event))
  }, 'upload_progress_updated')
  const versionId = version.value
  return (
    <>
      <PageHeader
        title="Provenance"
        description="The copies of one version, and why any of them is missing."
        crumbs={[{ label: 'Buckets', to: '/buckets' }, { label: name, to: hrefOf('/buckets/:name', { name }) }, { label: 'Provenance' }]}
      >
        {versionId !== '' && key.value !== '' && (
          <LinkButton
            q:slot="actions"
            icon="download"
            download
            href={apiPath('GET /buckets/:name/objects/download', { params: { name }, query: { key: key.value, version_id: versionId } })}
          >
            Download
          </LinkButton>
        )}
        <Button
          q:slot="actions"
          icon="refresh-cw"
          pending={provenance.isFetching && Boolean(provenance.data)}
          onClick$={provenance.refresh}
        >
          Refresh
        </Button>
      </PageHeader>
      {versionId === '' ? (
        <Empty icon="file-x" title="No version is named" text="Choose a version of an object in its bucket.">
          <LinkButton href={hrefOf('/buckets/:name', { name })}>Open the bucket</LinkButton>
        </Empty>
      ) : (
        <div class="flex flex-col gap-4">
          <ErrorAlert
            error={provenance.error}
            title={provenance.data ? 'The copies cannot be read again' : 'The copies of this version cannot be read'}
            onRetry$={provenance.refresh}
          />
          <div class="grid gap-4 lg:grid-cols-2">
            <StatusCard bucket={name} versionId={versionId} provenance={provenance.data} isFailed={provenance.error !== undefined} />
            <VersionCard bucket={name} objectKey={key.value} versionId={versionId} />
          </div>
          {(provenance.data || !provenance.error) && <CopiesCard provenance={provenance.data} />}
          {provenance.data && <FailuresCard copies={provenance.data.copies} />}
        </div>
      )}
    </>
  )
})
