import { $, component$, type QRL } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Badge,
  type Column,
  Empty,
  hrefOf,
  KeyText,
  Link,
  LinkButton,
  type MenuItem,
  type Query,
  Table,
  useAddress,
} from '@svc/ui-kit'
import { changeSearch } from './task-link-policy.ts'
import { folderOf, messageOf, providerText, retriesText, statusLabels, statusTones, subjectName, type Task } from './task-status-policy.ts'
import { UploadBar } from './upload-bar.tsx'
import { type Uploads, uploadOf } from './upload-progress-policy.ts'

interface TaskTableProps {
  query: Query<Answer<'GET /tasks'>>
  uploads: Uploads
  isFiltered: boolean
  onAct$: QRL<(action: string, task: Task) => void>
}

export const TaskTable = component$<TaskTableProps>(({ query, uploads, isFiltered, onAct$ }) => {
  const address = useAddress()
  const choose = $((action: string, key: string) => {
    const task = query.data?.tasks.find(({ id }) => String(id) === key)
    return task && onAct$(action, task)
  })
  return (
    <Table
      label="Tasks"
      columns={columns(address.value, uploads)}
      rows={query.data?.tasks}
      rowKey={({ id }: Task) => String(id)}
      rowName={({ id }: Task) => `task ${id}`}
      error={query.error?.message}
      onRetry$={query.refresh}
      menu={actionsOf}
      onMenu$={choose}
      skeletonRows={8}
    >
      <div q:slot="empty">
        {isFiltered ? (
          <Empty icon="list-filter" title="No task matches" text="No task has this type and status.">
            <LinkButton href="/tasks">Show all tasks</LinkButton>
          </Empty>
        ) : (
          <Empty icon="list-checks" title="No tasks yet" text="Upload an object: the work to store and copy it appears here.">
            <LinkButton href="/buckets">Open the buckets</LinkButton>
          </Empty>
        )}
      </div>
    </Table>
  )
})

const columns = (address: string, uploads: Uploads): readonly Column<Task>[] => [
  {
    id: 'task',
    label: 'Task',
    title: true,
    cell: ({ id, operation }) => (
      <Link to={changeSearch(address, { task: String(id) })} class="hover:underline">
        {operation} <span class="text-muted">#{id}</span>
      </Link>
    ),
  },
  {
    id: 'status',
    label: 'Status',
    phone: true,
    cell: ({ presentation_status: status }) => <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge>,
  },
  {
    id: 'message',
    label: 'Progress or message',
    grow: true,
    cell: (task) => {
      const upload = uploadOf(uploads, task)
      const message = messageOf(task)
      if (upload) return <UploadBar upload={upload} />
      return message === undefined ? <span class="text-muted">—</span> : <KeyText text={message} />
    },
  },
  { id: 'subject', label: 'Subject', phone: true, cell: ({ subject }) => <Subject subject={subject} /> },
  { id: 'retries', label: 'Retries', align: 'end', wide: true, cell: (task) => retriesText(task) },
  {
    id: 'when',
    label: 'When',
    align: 'end',
    phone: true,
    cell: ({ presentation_status: status, available_at, updated_at }) => (
      <Ago time={status === 'scheduled' || status === 'waiting' ? available_at : updated_at} />
    ),
  },
]

/** The object or data set that a task concerns, by its names where they are known. */
const Subject = ({ subject }: { subject: Task['subject'] }) => {
  const { bucket, object_key: key } = subject
  if (bucket !== undefined && key !== undefined) {
    return (
      <a
        href={hrefOf('/buckets/:name', { name: bucket }, { prefix: folderOf(key), object: key })}
        class="inline-flex max-w-64 align-bottom hover:underline"
      >
        <span class="text-muted">{bucket}/</span>
        <KeyText text={key} />
      </a>
    )
  }
  const provider = providerText(subject)
  return (
    <span>
      {bucket !== undefined ? (
        <Link to="/buckets/:name" params={{ name: bucket }} class="hover:underline">
          {bucket}
        </Link>
      ) : (
        `${subjectName(subject.type)} ${subject.key}`
      )}
      {provider !== undefined && <span class="text-muted"> at {provider}</span>}
    </span>
  )
}

/** The API says what can be done; a failure that cannot be retried says so. */
function actionsOf({ status, retryable, acknowledgeable }: Task): readonly MenuItem[] {
  return [
    { id: 'details', label: 'Details', icon: 'info' },
    ...(status === 'failed'
      ? [
          {
            id: 'retry',
            label: 'Retry',
            icon: 'rotate-ccw',
            changes: 'POST /tasks/:id/retry',
            lockedReason: retryable ? undefined : 'This failure cannot be retried.',
          } as const,
        ]
      : []),
    ...(acknowledgeable ? [{ id: 'dismiss', label: 'Dismiss', icon: 'check', changes: 'POST /tasks/:id/acknowledge' } as const] : []),
  ]
}
