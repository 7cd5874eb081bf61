import type { QRL } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Button,
  Bytes,
  type Column,
  Copyable,
  CopyButton,
  Icon,
  Link,
  type MenuItem,
  shortenKey,
  showHidden,
} from '@svc/ui-kit'
import { versionsHref } from '../buckets/links.ts'

export type DeletedObject = Answer<'GET /buckets/:name/objects/deleted'>['objects'][number]

type OnAction = QRL<(action: string, key: string) => void>

/** `onAction$` is absent for a role that may not restore. */
export const trashColumns = (bucket: string, onAction$: OnAction | undefined): readonly Column<DeletedObject>[] => [
  {
    id: 'key',
    label: 'Key',
    grow: true,
    title: true,
    cell: ({ key }) => (
      <span class="inline-flex align-middle max-w-full min-w-0 items-center gap-2">
        <Icon name="file-x" class="text-muted" />
        <Link to={versionsHref(bucket, key)} title={showHidden(key)} class="min-w-0 truncate font-medium hover:underline">
          <bdi class="whitespace-pre">{showHidden(shortenKey(key))}</bdi>
        </Link>
        <CopyButton text={key} label="the key" />
      </span>
    ),
  },
  {
    id: 'version',
    label: 'Restores version',
    wide: true,
    cell: ({ restore_version_id }) => <Copyable text={restore_version_id} label="the version id" />,
  },
  { id: 'size', label: 'Size', align: 'end', cell: ({ restore_size }) => <Bytes value={restore_size} /> },
  {
    id: 'type',
    label: 'Type',
    wide: true,
    cell: ({ restore_content_type: type }) => (
      <span title={showHidden(type)} class="inline-block max-w-44 truncate align-bottom text-muted">
        {showHidden(type)}
      </span>
    ),
  },
  { id: 'deleted', label: 'Deleted', align: 'end', cell: ({ deleted_at }) => <Ago time={deleted_at} /> },
  ...(onAction$ ? [restoreColumn(onAction$)] : []),
]

const restoreColumn = (onAction$: OnAction): Column<DeletedObject> => ({
  id: 'restore',
  label: 'Restore',
  align: 'end',
  cell: ({ key }) => (
    <Button
      size="sm"
      variant="ghost"
      aria-label={`Restore ${showHidden(key)}`}
      changes="POST /buckets/:name/objects/restore"
      onClick$={() => onAction$('restore', key)}
    >
      Restore
    </Button>
  ),
})

export const trashMenu =
  (bucket: string) =>
  ({ key }: DeletedObject): readonly MenuItem[] => [
    { id: 'restore', label: 'Restore', icon: 'archive-restore', changes: 'POST /buckets/:name/objects/restore' },
    { id: 'versions', label: 'Versions', icon: 'clock', to: versionsHref(bucket, key) },
    {
      id: 'purge',
      label: 'Delete permanently',
      icon: 'trash',
      danger: true,
      separated: true,
      changes: 'POST /buckets/:name/objects/deleted/permanent-delete',
    },
  ]
