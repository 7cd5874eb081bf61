import { $, component$, useSignal } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Badge,
  Card,
  type Column,
  Confirm,
  call,
  Empty,
  invalidate,
  PageHeader,
  Table,
  toast,
  useAction$,
  useQuery,
  useRefusal,
} from '@svc/ui-kit'
import { SecondFactorCard } from './second-factor/second-factor-card.tsx'

type Session = Answer<'GET /auth/sessions'>['sessions'][number]

const rowId = ({ id }: Session) => id

export const SessionsPage = component$(() => {
  const refused = useRefusal()('GET /auth/sessions')
  return (
    <>
      <PageHeader
        title="Sessions"
        description="Browsers that are signed in and sent a request since the service started. Scripts with HTTP Basic have no session."
      />
      {refused ? (
        <Card>
          <Empty icon="lock" title="Sessions are for admins" text={refused} />
        </Card>
      ) : (
        <SessionsBody />
      )}
    </>
  )
})

const SessionsBody = component$(() => {
  const sessions = useQuery('GET /auth/sessions')
  const chosen = useSignal<Session>()
  const isEnding = useSignal(false)
  const end = useAction$(async (id: string) => {
    await call('DELETE /auth/sessions/:id', { params: { id } })
    return true
  })
  const ask = $((_action: string, key: string) => {
    chosen.value = sessions.data?.sessions.find(({ id }) => id === key)
    void end.reset()
    isEnding.value = chosen.value !== undefined
  })
  const confirm = $(async () => {
    const session = chosen.value
    if (!session || !(await end.run(session.id))) return
    isEnding.value = false
    toast({ title: `The session of ${session.username} has ended` })
    invalidate(['GET /auth/sessions'])
  })
  return (
    <>
      <Card flush>
        <Table
          label="Sessions"
          columns={columns}
          rows={sessions.data?.sessions}
          rowKey={rowId}
          rowName={({ username, client }: Session) => `the session of ${username} from ${client}`}
          error={sessions.error?.message}
          onRetry$={sessions.refresh}
          menu={({ current }: Session) => [
            {
              id: 'end',
              label: 'End the session',
              icon: 'log-out',
              changes: 'DELETE /auth/sessions/:id',
              lockedReason: current ? 'This is your own session: sign out instead.' : undefined,
            },
          ]}
          onMenu$={ask}
        >
          <div q:slot="empty">
            <Empty icon="log-in" title="No browser is signed in" text="A session appears here with its first request." />
          </div>
        </Table>
      </Card>
      <SecondFactorCard />
      <Confirm
        open={isEnding}
        level="review"
        changes="DELETE /auth/sessions/:id"
        title="End this session?"
        description="The browser must sign in again. Running requests finish."
        rows={
          chosen.value && [
            { label: 'User', to: chosen.value.username },
            { label: 'Role', to: chosen.value.role },
            { label: 'Address', to: chosen.value.client },
          ]
        }
        confirmLabel="End the session"
        pending={end.isPending}
        error={end.error?.message}
        onConfirm$={confirm}
      />
    </>
  )
})

const columns: readonly Column<Session>[] = [
  {
    id: 'user',
    label: 'User',
    title: true,
    grow: true,
    cell: ({ username, current }) => (
      <span>
        <bdi>{username}</bdi> {current && <Badge tone="info">This browser</Badge>}
      </span>
    ),
  },
  { id: 'role', label: 'Role', cell: ({ role }) => <Badge>{role}</Badge> },
  { id: 'how', label: 'Signed in by', wide: true, cell: ({ how }) => (how === 'password' ? 'Password' : 'Identity provider') },
  { id: 'client', label: 'Address', cell: ({ client }) => <span class="font-mono text-xs">{client}</span> },
  { id: 'since', label: 'Since', align: 'end', wide: true, cell: ({ signed_in_at }) => <Ago time={signed_in_at} /> },
  { id: 'seen', label: 'Last request', align: 'end', cell: ({ seen_at }) => <Ago time={seen_at} /> },
  { id: 'expires', label: 'Expires', align: 'end', wide: true, cell: ({ expires_at }) => <Ago time={expires_at} /> },
]
