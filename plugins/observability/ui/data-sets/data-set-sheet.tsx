import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, LinkButton, Sheet, SkeletonLines, setSearch, useSearchParam } from '@svc/ui-kit'
import { DataSetFacts } from './data-set-facts.tsx'
import { type DataSetPage, nameOfSet, slotText } from './describe-data-set.ts'

/** The data set that the address names, from the page of the list. */
export const DataSetSheet = component$<{ page: DataSetPage | undefined }>(({ page }) => {
  const asked = useSearchParam('set')
  const open = useSignal(false)
  useTask$(({ track }) => {
    open.value = track(() => asked.value) !== ''
  })
  const set = page?.items.find(({ facts }) => String(facts.local_data_set_id) === asked.value)
  return (
    <Sheet
      open={open}
      title={set ? nameOfSet(set.facts) : 'Data set'}
      description={set && `${slotText(set.facts)} of bucket ${set.facts.bucket_name}`}
      onClose$={() => setSearch({ set: null }, { replace: true })}
    >
      {asked.value !== '' && !page && <SkeletonLines lines={8} label="Loading the data set" />}
      {asked.value !== '' && page && !set && (
        <Alert tone="info" title="Not on this page of the list">
          The data set is gone, or it is on another page: filter by its bucket or provider.
        </Alert>
      )}
      {set && <DataSetFacts set={set} />}
      {set && (
        <LinkButton
          q:slot="footer"
          icon="waypoints"
          href={`/topology?${new URLSearchParams({ bucket: set.facts.bucket_name, node: `set:${set.facts.local_data_set_id}` })}`}
        >
          In the topology
        </LinkButton>
      )}
    </Sheet>
  )
})
