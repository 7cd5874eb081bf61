import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Card, Empty, PageHeader, SearchField, setSearch, Table, useQuery, useSearchParam } from '@svc/ui-kit'
import { CreateDialog } from './create-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { DisableDialog } from './disable-dialog.tsx'
import { LimitsDialog } from './limits-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import { RoleDialog } from './role-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { actionsOf, userColumns } from './user-columns.tsx'
import { type Credentials, filterUsers, type S3User } from './user-policy.ts'

type Dialogs = 'name' | 'role' | 'limits' | 'disable' | 'rotate' | 'delete'

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
        <Button
          q:slot="actions"
          variant="primary"
          icon="user-plus"
          data-shortcut="c"
          changes="POST /s3-users"
          onClick$={() => setSearch({ create: '1' })}
        >
          Create user
        </Button>
      </PageHeader>
      <div class="mb-3">
        <SearchField
          label="Filter by access key, name or role"
          placeholder="Key, name or role"
          shortcut
          value={filter.value}
          onValue$={(text: string) => setSearch({ q: text }, { replace: true })}
        />
      </div>
      <Card flush>
        <Table
          label="S3 users"
          columns={userColumns}
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
                <Button variant="primary" icon="user-plus" changes="POST /s3-users" onClick$={() => setSearch({ create: '1' })}>
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
      <LimitsDialog user={chosen.value} dialog={dialog} />
      <DisableDialog user={chosen.value} dialog={dialog} />
      <RotateDialog user={chosen.value} dialog={dialog} secret={secret} />
      <DeleteDialog user={chosen.value} dialog={dialog} />
      <SecretDialog secret={secret} />
    </>
  )
})
