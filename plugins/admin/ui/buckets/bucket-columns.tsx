import { Ago, type Answer, Badge, Bytes, type Column, Count, HealthBadge, Icon, Link, type MenuItem } from '@svc/ui-kit'
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
    cell: ({ name }) => (
      <Link to={bucketHref(name)} title={name} class="inline-flex align-middle max-w-full items-center gap-2 font-medium hover:underline">
        <Icon name="database" class="text-muted" />
        <span class="truncate">{name}</span>
      </Link>
    ),
  },
  { id: 'access', label: 'Access', cell: (bucket) => <PublicBadge bucket={bucket} /> },
  { id: 'owner', label: 'Owner', cell: ({ owner_access_key }) => <OwnerBadge owner={owner_access_key} /> },
  {
    id: 'copies',
    label: 'Copies',
    cell: ({ default_copies, minimum_durable_copies }) => (
      <span title={`${default_copies} copies of each new upload; cached bytes may be removed when ${minimum_durable_copies} exist`}>
        {default_copies} <span class="text-muted">(min {minimum_durable_copies})</span>
      </span>
    ),
  },
  { id: 'health', label: 'Storage', cell: ({ storage_health }) => <HealthBadge health={storage_health} /> },
  {
    id: 'status',
    label: 'Status',
    wide: true,
    cell: ({ status }) => <Badge tone="success">{status === 'active' ? 'Active' : status}</Badge>,
  },
  { id: 'objects', label: 'Objects', align: 'end', cell: ({ object_count }) => <Count value={object_count} /> },
  { id: 'size', label: 'Size', align: 'end', cell: ({ total_size_bytes }) => <Bytes value={total_size_bytes} /> },
  { id: 'created', label: 'Created', align: 'end', wide: true, cell: ({ created_at }) => <Ago time={created_at} /> },
]

export const bucketMenu = ({ name }: Bucket): readonly MenuItem[] => [
  { id: 'open', label: 'Objects', icon: 'folder-open', to: bucketHref(name) },
  { id: 'trash', label: 'Trash', icon: 'trash', to: bucketHref(name, { tab: 'trash' }) },
  { id: 'details', label: 'Details and copy policy', icon: 'sliders-horizontal', to: bucketHref(name, { details: '1' }) },
  { id: 'owner', label: 'Change owner', icon: 'user', separated: true },
]
