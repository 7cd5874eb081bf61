import { $, component$, type QRL, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, Badge, Button, ErrorAlert, Sheet, SkeletonLines, setSearch, useQuery, useSearchParam } from '@svc/ui-kit'
import { TaskFacts } from './task-facts.tsx'
import { messageOf, readTaskId, statusLabels, statusSentences, statusTones, type Task } from './task-status-policy.ts'
import { UploadBar } from './upload-bar.tsx'
import { type Uploads, uploadOf } from './upload-progress-policy.ts'

interface TaskSheetProps {
  uploads: Uploads
  onAct$: QRL<(action: string, task: Task) => void>
}

/** Diagnostics of the task in the query, read again while it is open. */
export const TaskSheet = component$<TaskSheetProps>(({ uploads, onAct$ }) => {
  const asked = useSearchParam('task')
  const open = useSignal(false)
  useTask$(({ track }) => {
    open.value = readTaskId(track(() => asked.value)) !== undefined
  })
  // The newest task below the next id is the task itself, while it exists.
  const found = useQuery('GET /tasks', () => {
    const id = readTaskId(asked.value)
    return id === undefined ? null : { query: { cursor: String(id + 1), limit: '1' } }
  })
  const id = readTaskId(asked.value)
  const task = found.data?.tasks.find((candidate) => candidate.id === id)
  const act = $((action: string) => task && onAct$(action, task))
  return (
    <Sheet
      open={open}
      title={task?.operation ?? 'Task'}
      description={id === undefined ? undefined : `Task ${id}`}
      onClose$={() => setSearch({ task: null }, { replace: true })}
    >
      <ErrorAlert error={found.error} />
      {id !== undefined && !found.data && !found.error && <SkeletonLines lines={6} label="Loading the task" />}
      {found.data && !task && (
        <Alert tone="info" title="This task is not listed">
          It was removed after its retention time, or it is healthy recurring work.
        </Alert>
      )}
      {task && <Diagnosis task={task} uploads={uploads} />}
      <Button q:slot="footer" icon="refresh-cw" pending={found.isFetching && Boolean(found.data)} onClick$={found.refresh}>
        Check again
      </Button>
      {task?.acknowledgeable && (
        <Button q:slot="footer" icon="check" changes="POST /tasks/:id/acknowledge" orHidden onClick$={() => act('dismiss')}>
          Dismiss
        </Button>
      )}
      {task?.status === 'failed' && (
        <Button
          q:slot="footer"
          variant="primary"
          icon="rotate-ccw"
          changes="POST /tasks/:id/retry"
          orHidden
          lockedReason={task.retryable ? undefined : 'This failure cannot be retried.'}
          onClick$={() => act('retry')}
        >
          Retry
        </Button>
      )}
    </Sheet>
  )
})

const Diagnosis = component$<{ task: Task; uploads: Uploads }>(({ task, uploads }) => {
  const { presentation_status: status } = task
  const upload = uploadOf(uploads, task)
  const message = messageOf(task)
  return (
    <div class="flex flex-col gap-4">
      <p class="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge>
        <span>{statusSentences[status]}</span>
      </p>
      {upload && <UploadBar upload={upload} />}
      {message !== undefined && (
        <Alert tone={task.status === 'failed' ? 'danger' : 'info'} title={task.failure_reason ?? task.wait_reason}>
          <bdi class="whitespace-pre-wrap">{message}</bdi>
        </Alert>
      )}
      <TaskFacts task={task} />
    </div>
  )
})
