import { Ago, Badge, Bytes, type Column, Copyable, CopyButton, Count, KeyText, Link, type MenuItem, type Tone } from '@svc/ui-kit'
import { helpOf, type Role, type S3User, whyNotDeleted } from './user-policy.ts'

const roleTones: Readonly<Record<Role, Tone>> = { user: 'neutral', userplus: 'info', admin: 'warning' }

const limitText = (limit: number | null) =>
  limit !== null && (
    <span class="text-muted">
      {' of '}
      <Count value={limit} />
    </span>
  )

export const userColumns: readonly Column<S3User>[] = [
  {
    id: 'key',
    label: 'Access key',
    title: true,
    grow: true,
    cell: ({ access_key }) => (
      <span class="inline-flex min-w-0 max-w-full items-center gap-1">
        <code class="truncate font-mono text-xs">
          <bdi>{access_key}</bdi>
        </code>
        <CopyButton text={access_key} label={`access key ${access_key}`} />
      </span>
    ),
  },
  { id: 'name', label: 'Name', cell: ({ name }) => (name === null ? null : <KeyText text={name} />) },
  {
    id: 'role',
    label: 'Role',
    cell: ({ role, is_disabled }) => (
      <span class="inline-flex flex-wrap gap-1">
        <Badge tone={roleTones[role]} title={helpOf(role)}>
          {role}
        </Badge>
        {is_disabled && (
          <Badge tone="danger" icon="ban">
            Disabled
          </Badge>
        )}
      </span>
    ),
  },
  {
    id: 'buckets',
    label: 'Buckets',
    align: 'end',
    cell: ({ bucket_count, limits }) => (
      <>
        {bucket_count === 0 ? (
          <span class="text-muted">0</span>
        ) : (
          <Link to="/buckets" class="text-accent hover:underline">
            {bucket_count}
          </Link>
        )}
        {limitText(limits.buckets)}
      </>
    ),
  },
  {
    id: 'objects',
    label: 'Versions',
    align: 'end',
    cell: ({ usage, limits }) => (
      <>
        <Count value={usage.objects} />
        {limitText(limits.objects)}
      </>
    ),
  },
  {
    id: 'bytes',
    label: 'Size',
    align: 'end',
    cell: ({ usage, limits }) => (
      <>
        <Bytes value={usage.bytes} />
        {limits.bytes !== null && (
          <span class="text-muted">
            {' of '}
            <Bytes value={limits.bytes} />
          </span>
        )}
      </>
    ),
  },
  {
    id: 'used',
    label: 'Last used',
    align: 'end',
    cell: ({ last_used_at }) => (last_used_at === null ? <span class="text-muted">Never seen</span> : <Ago time={last_used_at} />),
  },
  { id: 'created', label: 'Created', align: 'end', wide: true, cell: ({ created_at }) => <Ago time={created_at} /> },
  {
    id: 'owner',
    label: 'Owner ID',
    wide: true,
    cell: ({ owner_id }) => <Copyable text={owner_id} label={`owner ID ${owner_id}`} keep={8} />,
  },
]

const profile = 'PUT /s3-users/:accessKey/profile'

export const actionsOf = (user: S3User): readonly MenuItem[] => [
  { id: 'name', label: 'Rename', icon: 'pencil', changes: profile },
  { id: 'role', label: 'Change role', icon: 'shield', changes: 'PUT /s3-users/:accessKey' },
  { id: 'limits', label: 'Change limits', icon: 'sliders-horizontal', changes: 'PUT /s3-users/:accessKey/limits' },
  { id: 'disable', label: user.is_disabled ? 'Enable' : 'Disable', icon: user.is_disabled ? 'play' : 'ban', changes: profile },
  { id: 'rotate', label: 'Rotate secret key', icon: 'rotate-ccw', changes: 'POST /s3-users/:accessKey/secret' },
  {
    id: 'delete',
    label: 'Delete',
    icon: 'trash',
    danger: true,
    separated: true,
    changes: 'DELETE /s3-users/:accessKey',
    lockedReason: whyNotDeleted(user),
  },
]
