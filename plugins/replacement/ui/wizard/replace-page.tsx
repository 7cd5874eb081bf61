import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { Card, ErrorAlert, hrefOf, PageHeader, SkeletonLines, useParam, useQuery } from '@svc/ui-kit'
import { isEnded, readId } from '../words-policy.ts'
import { NotReplaceable } from './not-replaceable.tsx'
import { Wizard } from './wizard.tsx'

/** Moves a replica to another provider: why, who, review. */
export const ReplacePage = component$(() => {
  const name = useParam('name')
  const param = useParam('id')
  const bucket = useQuery('GET /buckets/:name', () => ({ params: { name } }))
  const history = useQuery('GET /storage-replacements', () => ({ query: { bucket: name } }))
  // A confirmed replacement makes the data set one that cannot be replaced: the wizard stays until it is left.
  const isOpen = useSignal(false)
  const dataSet = bucket.data?.data_sets.find(({ id }) => String(id) === readId(param))
  useTask$(({ track }) => {
    if (track(() => bucket.data?.data_sets.some(({ id, replaceable }) => replaceable && String(id) === param))) isOpen.value = true
  })
  useTask$(() => {
    document.title = `Replace a provider · ${name} · svc`
  })
  const unfinished = history.data?.replacements.find((one) => one.copy_index === dataSet?.copy_index && !isEnded(one))
  return (
    <>
      <PageHeader
        title="Replace a provider"
        crumbs={[
          { label: 'Buckets', to: '/buckets' },
          { label: name, to: hrefOf('/buckets/:name', { name }, { tab: 'replacements' }) },
          { label: 'Replace a provider' },
        ]}
      />
      <ErrorAlert error={bucket.error} onRetry$={bucket.refresh} />
      {!bucket.data && !bucket.error && (
        <Card>
          <SkeletonLines lines={6} label="Loading the bucket" />
        </Card>
      )}
      {bucket.data && dataSet && (dataSet.replaceable || isOpen.value) && (
        <Wizard bucket={name} dataSet={dataSet} unfinished={unfinished} />
      )}
      {bucket.data && !(dataSet && (dataSet.replaceable || isOpen.value)) && <NotReplaceable bucket={name} />}
    </>
  )
})
