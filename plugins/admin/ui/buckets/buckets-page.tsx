import { $, component$, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Button,
  Card,
  Empty,
  FilterBar,
  formatPlural,
  PageHeader,
  SearchField,
  setSearch,
  Table,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { bucketColumns, bucketMenu } from './bucket-columns.tsx'
import { ChangeOwnerDialog } from './change-owner-dialog.tsx'
import { CreateBucketDialog } from './create-bucket-dialog.tsx'
import { ownerName } from './owner-policy.ts'

/** All buckets. The filter and the open dialog are in the address. */
export const BucketsPage = component$(() => {
  const buckets = useQuery('GET /buckets')
  const filter = useSearchParam('q')
  const create = useSearchParam('create')
  const ownerOf = useSearchParam('owner')
  const isCreating = useSignal(false)
  const isChanging = useSignal(false)
  useTask$(({ track }) => {
    isCreating.value = track(() => create.value) !== ''
    isChanging.value = track(() => ownerOf.value) !== ''
  })
  const wanted = filter.value.toLowerCase()
  const all = buckets.data
  const shown = all?.filter(
    ({ name, owner_access_key, owner_name }) =>
      name.includes(wanted) || ownerName(owner_access_key, owner_name).toLowerCase().includes(wanted),
  )
  const changing = all?.find(({ name }) => name === ownerOf.value)
  return (
    <>
      <PageHeader title="Buckets" description="Each keeps every version of its objects, in the cache and as copies at providers.">
        <Button q:slot="actions" variant="primary" icon="plus" changes="POST /buckets" onClick$={() => setSearch({ create: '1' })}>
          Create bucket
        </Button>
      </PageHeader>
      {(all?.length ?? 0) > 0 && (
        <div class="mb-4">
          <FilterBar>
            <SearchField
              label="Filter by name or owner"
              value={filter.value}
              shortcut
              onValue$={(q) => setSearch({ q }, { replace: true })}
            />
            <span q:slot="actions" role="status" class="text-xs text-muted">
              {wanted === ''
                ? formatPlural(all?.length ?? 0, 'bucket')
                : `${shown?.length ?? 0} of ${formatPlural(all?.length ?? 0, 'bucket')}`}
            </span>
          </FilterBar>
        </div>
      )}
      <Card flush>
        <Table
          label="Buckets"
          columns={bucketColumns}
          rows={shown}
          rowKey={({ name }) => name}
          error={buckets.error?.message}
          onRetry$={buckets.refresh}
          menu={bucketMenu}
          onMenu$={$((_: string, name: string) => setSearch({ owner: name }))}
        >
          <div q:slot="empty">
            {wanted === '' ? (
              <Empty icon="database" title="No buckets yet" text="Create the first one here, or with any S3 client.">
                <Button variant="primary" icon="plus" changes="POST /buckets" onClick$={() => setSearch({ create: '1' })}>
                  Create bucket
                </Button>
              </Empty>
            ) : (
              <Empty icon="search" title="No bucket matches" text={`No name and no owner contains “${filter.value}”.`}>
                <Button onClick$={() => setSearch({ q: null })}>Clear the filter</Button>
              </Empty>
            )}
          </div>
        </Table>
      </Card>
      {create.value !== '' && <CreateBucketDialog open={isCreating} onClose$={() => setSearch({ create: null }, { replace: true })} />}
      {changing && (
        <ChangeOwnerDialog
          key={changing.name}
          open={isChanging}
          bucket={changing.name}
          current={changing.owner_access_key}
          onClose$={() => setSearch({ owner: null }, { replace: true })}
        />
      )}
    </>
  )
})
