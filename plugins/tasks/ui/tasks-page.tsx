import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Card, formatPlural, PageHeader, Pager, setSearch, useEvent$, useQuery, useSearchParam } from '@svc/ui-kit'
import { BulkDismissDialog } from './bulk-dismiss-dialog.tsx'
import { BulkRetryDialog } from './bulk-retry-dialog.tsx'
import { DismissDialog } from './dismiss-dialog.tsx'
import { RetryDialog } from './retry-dialog.tsx'
import { TaskFilters } from './task-filters.tsx'
import { failedOf, flowsOf } from './task-flow-policy.ts'
import { TaskSheet } from './task-sheet.tsx'
import { readStatus, readTaskId, type Task } from './task-status-policy.ts'
import { TaskTable } from './task-table.tsx'
import { takeProgress, type Uploads } from './upload-progress-policy.ts'

const pageSize = 50

export const TasksPage = component$(() => {
  const type = useSearchParam('type')
  const status = useSearchParam('status')
  const cursor = useSearchParam('cursor')
  const tasks = useQuery('GET /tasks', () => ({
    query: {
      limit: String(pageSize),
      type: type.value === '' ? undefined : type.value,
      status: readStatus(status.value),
      cursor: readTaskId(cursor.value)?.toString(),
    },
  }))
  const stats = useQuery('GET /tasks/stats')
  const uploads = useSignal<Uploads>({})
  useEvent$((event) => {
    uploads.value = takeProgress(uploads.value, event)
  }, 'upload_progress_updated')
  const isRetrying = useSignal(false)
  const isDismissing = useSignal(false)
  const isBulkOpen = useSignal(false)
  const isBulkRetryOpen = useSignal(false)
  const chosen = useSignal<Task>()
  const act = $((action: string, task: Task) => {
    chosen.value = task
    if (action === 'retry') isRetrying.value = true
    else if (action === 'dismiss') isDismissing.value = true
    else setSearch({ task: String(task.id) })
  })
  const flows = stats.data && flowsOf(stats.data)
  const next = tasks.data?.next_cursor
  return (
    <>
      <PageHeader
        title="Tasks"
        description="Background work: storing, copying, confirming, cleaning up. Newest first; healthy recurring work is left out."
      >
        <Button
          q:slot="actions"
          variant="primary"
          icon="rotate-ccw"
          changes="POST /tasks/retry"
          lockedReason={flows && failedOf(flows) === 0 ? 'Nothing failed.' : undefined}
          onClick$={() => {
            isBulkRetryOpen.value = true
          }}
        >
          Retry failures
        </Button>
        <Button
          q:slot="actions"
          icon="check"
          changes="POST /tasks/acknowledge"
          lockedReason={flows && failedOf(flows) === 0 ? 'No failure waits to be dismissed.' : undefined}
          onClick$={() => {
            isBulkOpen.value = true
          }}
        >
          Dismiss failures
        </Button>
      </PageHeader>
      <Card flush>
        <TaskFilters flows={flows} />
        <TaskTable query={tasks} uploads={uploads.value} isFiltered={type.value !== '' || status.value !== ''} onAct$={act} />
        {(next !== undefined || cursor.value !== '') && (
          <Pager
            first={cursor.value === ''}
            more={next !== undefined}
            pending={tasks.isFetching && !tasks.data}
            summary={tasks.data && `${formatPlural(tasks.data.tasks.length, 'task')} on this page`}
            onFirst$={() => setSearch({ cursor: null })}
            onNext$={() => setSearch({ cursor: String(tasks.data?.next_cursor ?? '') })}
          />
        )}
      </Card>
      <TaskSheet uploads={uploads.value} onAct$={act} />
      <RetryDialog open={isRetrying} task={chosen.value} />
      <DismissDialog open={isDismissing} retrying={isRetrying} task={chosen.value} />
      <BulkRetryDialog open={isBulkRetryOpen} />
      <BulkDismissDialog open={isBulkOpen} retrying={isBulkRetryOpen} flows={flows} />
    </>
  )
})
