import { Ago, Bytes, type Column, Icon, Link, type MenuItem, ReplicaStrip, shortenKey, showHidden } from '@svc/ui-kit'
import { downloadHref, folderHref, lifeHref, versionsHref } from '../buckets/links.ts'
import { changeSearch } from './change-search-policy.ts'
import { nameIn } from './keys-policy.ts'
import { LocationBadges } from './location-badges.tsx'
import { ObjectLink } from './object-link.tsx'
import { StateMark } from './state-mark.tsx'
import type { ObjectItem } from './state-policy.ts'

export type ObjectRow =
  | { readonly kind: 'folder'; readonly id: string; readonly prefix: string }
  | { readonly kind: 'object'; readonly id: string; readonly item: ObjectItem }

interface Shown {
  readonly folder: string
  /** Address of the page that is shown. */
  readonly address: string
  /** The plugin replication is enabled. */
  readonly hasCopies: boolean
}

export const objectColumns = (bucket: string, { folder, address, hasCopies }: Shown): readonly Column<ObjectRow>[] => [
  {
    id: 'name',
    label: 'Name',
    grow: true,
    title: true,
    cell: (row) =>
      row.kind === 'folder' ? (
        <Link
          to={folderHref(bucket, row.prefix)}
          title={showHidden(row.prefix)}
          class="inline-flex align-middle max-w-full items-center gap-2 hover:underline"
        >
          <Icon name="folder" class="text-accent" />
          <bdi class="truncate whitespace-pre">{showHidden(shortenKey(nameIn(folder, row.prefix)))}</bdi>
        </Link>
      ) : (
        <ObjectLink objectKey={row.item.key} folder={folder} href={changeSearch(address, { object: row.item.key })} />
      ),
  },
  { id: 'state', label: 'State', phone: true, cell: (row) => (row.kind === 'folder' ? null : <StateMark item={row.item} />) },
  ...(hasCopies ? [copiesColumn] : []),
  {
    id: 'location',
    label: 'Bytes at',
    wide: true,
    cell: (row) => (row.kind === 'folder' ? null : <LocationBadges location={row.item.location} />),
  },
  { id: 'size', label: 'Size', align: 'end', phone: true, cell: (row) => (row.kind === 'folder' ? null : <Bytes value={row.item.size} />) },
  {
    id: 'type',
    label: 'Type',
    wide: true,
    cell: (row) =>
      row.kind === 'folder' ? null : (
        <span title={showHidden(row.item.content_type)} class="inline-block max-w-36 truncate align-bottom text-muted">
          {showHidden(row.item.content_type)}
        </span>
      ),
  },
  { id: 'updated', label: 'Uploaded', align: 'end', cell: (row) => (row.kind === 'folder' ? null : <Ago time={row.item.created_at} />) },
]

const copiesColumn: Column<ObjectRow> = {
  id: 'copies',
  label: 'Copies',
  phone: true,
  cell: (row) => {
    if (row.kind === 'folder' || !row.item.copies) return null
    const { slots, target, work } = row.item.copies
    return <ReplicaStrip copies={slots} requested={target} work={work} text />
  },
}

const deletion = 'POST /buckets/:name/bulk-actions'

export const objectMenu =
  (bucket: string, hasLife: boolean) =>
  (row: ObjectRow): readonly MenuItem[] => {
    if (row.kind === 'folder') {
      return [
        { id: 'open', label: 'Open', icon: 'folder-open', to: folderHref(bucket, row.prefix) },
        { id: 'delete', label: 'Delete its objects', icon: 'trash', danger: true, separated: true, changes: deletion },
      ]
    }
    const { key, current_version_id } = row.item
    return [
      { id: 'details', label: 'Details', icon: 'info' },
      { id: 'download', label: 'Download', icon: 'download', to: downloadHref(bucket, key), download: true },
      { id: 'versions', label: 'Versions', icon: 'clock', to: versionsHref(bucket, key) },
      ...(hasLife
        ? [{ id: 'life', label: 'Life and proofs', icon: 'shield-check', to: lifeHref(bucket, key, current_version_id) } as const]
        : []),
      { id: 'delete', label: 'Delete', icon: 'trash', danger: true, separated: true, changes: deletion },
    ]
  }
