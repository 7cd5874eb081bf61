import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, LinkButton, Sheet, setSearch, showHidden, useSearchParam } from '@svc/ui-kit'
import { DataSetFacts } from '../data-sets/data-set-facts.tsx'
import { type DataSet, nameOfSet, slotText } from '../data-sets/describe-data-set.ts'
import { nameOf, type Provider } from '../providers/describe-provider.ts'
import { type Bucket, readNode } from './describe-topology.ts'
import { BucketFacts, ProviderSummary } from './node-facts.tsx'

interface NodeSheetProps {
  buckets: readonly Bucket[]
  sets: readonly DataSet[]
  providers: readonly Provider[]
}

/** The details of the node that the address names. */
export const NodeSheet = component$<NodeSheetProps>(({ buckets, sets, providers }) => {
  const asked = useSearchParam('node')
  const open = useSignal(false)
  useTask$(({ track }) => {
    open.value = readNode(track(() => asked.value)) !== undefined
  })
  const node = readNode(asked.value)
  const { bucket, set, provider } = findNode(node, { buckets, sets, providers })
  return (
    <Sheet
      open={open}
      title={titleOf({ bucket, set, provider })}
      description={describe({ bucket, set, provider })}
      onClose$={() => setSearch({ node: null }, { replace: true })}
    >
      {node && !bucket && !set && !provider && (
        <Alert tone="info" title="Not in this picture">
          The {node.kind === 'set' ? 'data set' : node.kind} is gone, or a filter hides it.
        </Alert>
      )}
      {bucket && <BucketFacts bucket={bucket} sets={sets.filter(({ facts }) => facts.bucket_name === bucket.name)} />}
      {set && <DataSetFacts set={set} />}
      {provider && (
        <ProviderSummary provider={provider} sets={sets.filter(({ facts }) => facts.provider_id === provider.facts.provider_id)} />
      )}
      {bucket && (
        <LinkButton q:slot="footer" icon="database" href={`/buckets/${encodeURIComponent(bucket.name)}`}>
          Open the bucket
        </LinkButton>
      )}
      {provider && (
        <LinkButton q:slot="footer" icon="server" href={`/providers/${provider.facts.provider_id}`}>
          Open the provider
        </LinkButton>
      )}
    </Sheet>
  )
})

interface Found {
  readonly bucket: Bucket | undefined
  readonly set: DataSet | undefined
  readonly provider: Provider | undefined
}

const findNode = (node: ReturnType<typeof readNode>, { buckets, sets, providers }: NodeSheetProps): Found => ({
  bucket: buckets.find(({ name }) => node?.kind === 'bucket' && name === node.id),
  set: sets.find(({ facts }) => node?.kind === 'set' && String(facts.local_data_set_id) === node.id),
  provider: providers.find(({ facts }) => node?.kind === 'provider' && facts.provider_id === node.id),
})

function titleOf({ bucket, set, provider }: Found): string {
  if (set) return nameOfSet(set.facts)
  return bucket?.name ?? (provider ? nameOf(provider) : 'Not shown')
}

function describe({ bucket, set, provider }: Found): string | undefined {
  if (set) return `${slotText(set.facts)} of bucket ${showHidden(set.facts.bucket_name)}`
  if (bucket) return 'Bucket'
  return provider && `Provider ${provider.facts.provider_id}`
}
