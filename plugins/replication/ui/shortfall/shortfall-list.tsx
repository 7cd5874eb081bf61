import { component$ } from '@builder.io/qwik'
import {
  type ActiveFilter,
  Ago,
  Badge,
  Bytes,
  Card,
  type Column,
  Empty,
  FilterBar,
  formatPlural,
  hrefOf,
  KeyText,
  Pager,
  Select,
  setSearch,
  Table,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { readWork, reasonText, type Shortfall, works, workTones, workWords } from './describe-shortfall.ts'

/** Objects with too few copies, of one bucket or of all. Filters and cursor are in the address. */
export const ShortfallList = component$<{ bucket?: string | undefined }>((props) => {
  const work = useSearchParam('work')
  const provider = useSearchParam('provider')
  const cursor = useSearchParam('cursor')
  const page = useQuery('GET /below-target', () => ({
    query: {
      bucket: props.bucket,
      work: readWork(work.value),
      provider_id: provider.value === '' ? undefined : provider.value,
      cursor: cursor.value === '' ? undefined : cursor.value,
    },
  }))
  const chosen = readWork(work.value)
  const objects = page.data?.objects
  const next = page.data?.next_cursor
  const active: readonly ActiveFilter[] = [
    ...(chosen ? [{ id: 'work', label: `What happens: ${workWords[chosen]}` }] : []),
    ...(provider.value === '' ? [] : [{ id: 'provider', label: `Failed at: provider ${provider.value}` }]),
  ]
  return (
    <Card flush>
      <div class="border-b px-4 py-3">
        <FilterBar
          active={active}
          onRemove$={(id) => setSearch({ [id]: null, cursor: null })}
          onClear$={() => setSearch({ work: null, provider: null, cursor: null })}
        >
          <span class="w-44">
            <Select
              aria-label="What happens"
              value={chosen ?? ''}
              onValue$={(value) => setSearch({ work: value, cursor: null })}
              options={[{ value: '', label: 'All below target' }, ...works.map((value) => ({ value, label: workWords[value] }))]}
            />
          </span>
        </FilterBar>
      </div>
      <Table
        label="Objects below target"
        columns={columns(props.bucket === undefined)}
        rows={objects}
        rowKey={({ bucket, version_id }: Shortfall) => `${bucket} ${version_id}`}
        rowName={({ key }: Shortfall) => key}
        error={page.error?.message}
        onRetry$={page.refresh}
      >
        <Empty
          q:slot="empty"
          icon="shield-check"
          title={next === undefined ? 'No object matches' : 'No object on this page'}
          text={next === undefined ? 'Objects that have all their copies are not listed.' : 'Look at the next page.'}
        />
      </Table>
      {(next !== undefined || cursor.value !== '') && (
        <Pager
          first={cursor.value === ''}
          more={next !== undefined}
          pending={page.isFetching && !page.data}
          summary={objects && `${formatPlural(objects.length, 'object')} on this page`}
          onFirst$={() => setSearch({ cursor: null })}
          onNext$={() => setSearch({ cursor: page.data?.next_cursor ?? null })}
        />
      )}
    </Card>
  )
})

const columns = (hasBucket: boolean): readonly Column<Shortfall>[] => [
  {
    id: 'key',
    label: 'Object',
    title: true,
    cell: ({ bucket, key, objects }) => (
      <span>
        <a
          href={hrefOf('/buckets/:name', { name: bucket }, { prefix: folderOf(key), object: key })}
          class="inline-block max-w-80 truncate align-bottom font-medium hover:underline"
        >
          <KeyText text={key} />
        </a>
        {objects > 1 && <span class="text-xs text-muted"> and {objects - 1} with the same bytes</span>}
      </span>
    ),
  },
  ...(hasBucket ? [{ id: 'bucket', label: 'Bucket', cell: ({ bucket }: Shortfall) => bucket }] : []),
  { id: 'copies', label: 'Copies', cell: ({ stored_copies, target_copies }) => `${stored_copies} of ${target_copies}` },
  { id: 'work', label: 'What happens', cell: ({ work }) => <Badge tone={workTones[work]}>{workWords[work]}</Badge> },
  {
    id: 'why',
    label: 'Why',
    grow: true,
    cell: (object) => <KeyText text={reasonText(object)} />,
  },
  {
    id: 'until',
    label: 'Runs again',
    wide: true,
    align: 'end',
    cell: ({ work, wait_until }) => (work === 'waiting' && wait_until !== undefined ? <Ago time={wait_until} /> : null),
  },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => <Bytes value={size} /> },
]

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1)
