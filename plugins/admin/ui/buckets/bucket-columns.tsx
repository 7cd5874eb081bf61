import { Ago, type Answer, Bytes, type Column, Count, HealthBadge, Icon, Link, type MenuItem } from '@svc/ui-kit'
import { BelowTarget } from './below-target.tsx'
import { isObserved } from './health-policy.ts'
import { bucketHref } from './links.ts'
import { OwnerBadge } from './owner-badge.tsx'
import { PublicBadge } from './public-badge.tsx'

type Bucket = Answer<'GET /buckets'>[number]

export const bucketColumns: readonly Column<Bucket>[] = [
  {
    id: 'name',
    label: 'Name',
    grow: true,
    title: true,
    sort: ({ name }) => name,
    cell: ({ name }) => (
      <Link to={bucketHref(name)} title={name} class="inline-flex align-middle max-w-full items-center gap-2 font-medium hover:underline">
        <Icon name="database" class="text-muted" />
        <span class="truncate">{name}</span>
      </Link>
    ),
  },
  { id: 'access', label: 'Access', cell: (bucket) => <PublicBadge bucket={bucket} /> },
  { id: 'owner', label: 'Owner', cell: ({ owner_access_key, owner_name }) => <OwnerBadge owner={owner_access_key} name={owner_name} /> },
  {
    id: 'copies',
    label: 'Copies',
    cell: ({ default_copies, minimum_durable_copies }) => (
      <span title={`${default_copies} copies of each new upload; cached bytes may be removed when ${minimum_durable_copies} exist`}>
        {default_copies} <span class="text-muted">(min {minimum_durable_copies})</span>
      </span>
    ),
  },
  {
    id: 'below-target',
    label: 'Below target',
    phone: 'below target',
    sort: ({ below_target: { stuck, waiting, working } = noWork }) => stuck * 1e12 + waiting * 1e6 + working,
    cell: (bucket) => <BelowTarget bucket={bucket} />,
  },
  {
    id: 'health',
    label: 'Storage',
    cell: ({ storage_health }) => (isObserved(storage_health) ? <HealthBadge health={storage_health} /> : null),
  },
  {
    id: 'objects',
    label: 'Objects',
    align: 'end',
    phone: 'objects',
    sort: ({ object_count }) => object_count,
    cell: ({ object_count }) => <Count value={object_count} />,
  },
  {
    id: 'size',
    label: 'Size',
    align: 'end',
    phone: true,
    sort: ({ total_size_bytes }) => total_size_bytes,
    cell: ({ total_size_bytes }) => <Bytes value={total_size_bytes} />,
  },
  {
    id: 'created',
    label: 'Created',
    align: 'end',
    wide: true,
    sort: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
]

const noWork = { stuck: 0, waiting: 0, working: 0 }

export const bucketMenu = ({ name }: Bucket): readonly MenuItem[] => [
  { id: 'open', label: 'Objects', icon: 'folder-open', to: bucketHref(name) },
  { id: 'trash', label: 'Trash', icon: 'trash', to: bucketHref(name, { tab: 'trash' }) },
  { id: 'details', label: 'Details and copy policy', icon: 'sliders-horizontal', to: bucketHref(name, { details: '1' }) },
  { id: 'owner', label: 'Change owner', icon: 'user', separated: true, changes: 'PUT /buckets/:name/owner' },
]
