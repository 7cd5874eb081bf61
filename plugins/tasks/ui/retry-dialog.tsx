import { $, component$, type Signal, useTask$ } from '@builder.io/qwik'
import { Alert, Confirm, call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { messageOf, retriesText, subjectName, type Task } from './task-status-policy.ts'

/** Says what the retry does before it starts. */
export const RetryDialog = component$<{ open: Signal<boolean>; task: Task | undefined }>((props) => {
  const retry = useAction$(async (id: number) => call('POST /tasks/:id/retry', { params: { id: String(id) } }))
  useTask$(({ track }) => {
    if (track(() => props.open.value)) void retry.reset()
  })
  const confirm = $(async () => {
    const { task } = props
    if (!task || !(await retry.run(task.id))) return
    props.open.value = false
    toast({ title: `Task ${task.id} runs again`, text: task.operation })
    invalidate(['GET /tasks', 'GET /tasks/stats', 'GET /overview'])
  })
  const { task } = props
  const effect = task?.retry_effect
  return (
    <Confirm
      open={props.open}
      level={effect?.level ?? 'review'}
      changes="POST /tasks/:id/retry"
      title="Retry this task?"
      rows={task ? rowsOf(task) : undefined}
      confirmLabel="Retry"
      pending={retry.isPending}
      error={retry.error?.message}
      onConfirm$={confirm}
    >
      {effect && <Alert tone={effect.level === 'danger' ? 'danger' : 'warning'}>{effect.text}</Alert>}
    </Confirm>
  )
})

function rowsOf(task: Task) {
  const { id, operation, subject } = task
  const failure = messageOf(task)
  return [
    { label: 'Task', to: `${operation} #${id}` },
    { label: subjectName(subject.type), to: subject.key },
    ...(subject.bucket === undefined ? [] : [{ label: 'Bucket', to: subject.bucket }]),
    { label: 'Retries so far', to: retriesText(task) },
    ...(failure === undefined ? [] : [{ label: 'Failure', to: failure }]),
  ]
}
