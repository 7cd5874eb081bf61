import { $, component$, useSignal } from '@builder.io/qwik'
import {
  Ago,
  Badge,
  Button,
  Bytes,
  Card,
  type Column,
  Copyable,
  CopyButton,
  Count,
  Empty,
  KeyText,
  Link,
  type MenuItem,
  PageHeader,
  SearchField,
  setSearch,
  Table,
  type Tone,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { CreateDialog } from './create-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { DisableDialog } from './disable-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import { RoleDialog } from './role-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { type Credentials, filterUsers, helpOf, type Role, type S3User, whyNotDeleted } from './user-policy.ts'

const roleTones: Readonly<Record<Role, Tone>> = { user: 'neutral', userplus: 'info', admin: 'warning' }

const limitText = (limit: number | null) => limit !== null && <span class="text-muted"> of {limit}</span>

const columns: readonly Column<S3User>[] = [
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

type Dialogs = 'name' | 'role' | 'disable' | 'rotate' | 'delete'

/** The users of the S3 API, with their roles. Secret keys are shown once, when they are made. */
export const UsersPage = component$(() => {
  const users = useQuery('GET /s3-users')
  const filter = useSearchParam('q')
  const creating = useSearchParam('create')
  const chosen = useSignal<S3User>()
  const dialog = useSignal<Dialogs>()
  const secret = useSignal<Credentials>()
  const rows = users.data && filterUsers(users.data, filter.value)
  return (
    <>
      <PageHeader
        title="S3 users"
        description="Who may use the S3 API. A secret key is shown once, when it is made; the service never shows it again."
      >
        <Button q:slot="actions" variant="primary" icon="user-plus" data-shortcut="c" onClick$={() => setSearch({ create: '1' })}>
          Create user
        </Button>
      </PageHeader>
      <div class="mb-3">
        <SearchField
          label="Filter by access key, name or role"
          shortcut
          value={filter.value}
          onValue$={(text: string) => setSearch({ q: text }, { replace: true })}
        />
      </div>
      <Card flush>
        <Table
          label="S3 users"
          columns={columns}
          rows={rows}
          rowKey={({ access_key }) => access_key}
          skeletonRows={3}
          error={users.error?.message}
          onRetry$={users.refresh}
          menu={actionsOf}
          onMenu$={$((action: string, key: string) => {
            chosen.value = users.data?.find(({ access_key }) => access_key === key)
            dialog.value = action as Dialogs
          })}
        >
          <div q:slot="empty">
            {users.data?.length === 0 ? (
              <Empty icon="users" title="No S3 user yet" text="Create one to get an access key and a secret key for S3 clients.">
                <Button variant="primary" icon="user-plus" onClick$={() => setSearch({ create: '1' })}>
                  Create user
                </Button>
              </Empty>
            ) : (
              <Empty icon="search" title="No user matches the filter" text="Access keys, names and roles are searched.">
                <Button onClick$={() => setSearch({ q: null })}>Clear the filter</Button>
              </Empty>
            )}
          </div>
        </Table>
      </Card>
      <CreateDialog isOpen={creating.value === '1'} secret={secret} />
      <NameDialog user={chosen.value} dialog={dialog} />
      <RoleDialog user={chosen.value} dialog={dialog} />
      <DisableDialog user={chosen.value} dialog={dialog} />
      <RotateDialog user={chosen.value} dialog={dialog} secret={secret} />
      <DeleteDialog user={chosen.value} dialog={dialog} />
      <SecretDialog secret={secret} />
    </>
  )
})

const actionsOf = (user: S3User): readonly MenuItem[] => [
  { id: 'name', label: 'Rename', icon: 'pencil' },
  { id: 'role', label: 'Change role', icon: 'shield' },
  { id: 'disable', label: user.is_disabled ? 'Enable' : 'Disable', icon: user.is_disabled ? 'play' : 'ban' },
  { id: 'rotate', label: 'Rotate secret key', icon: 'rotate-ccw' },
  { id: 'delete', label: 'Delete', icon: 'trash', danger: true, separated: true, lockedReason: whyNotDeleted(user) },
]
