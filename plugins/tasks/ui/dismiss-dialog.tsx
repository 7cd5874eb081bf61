import { $, component$, type Signal, useTask$ } from '@builder.io/qwik'
import { Confirm, call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { LeftShort } from './left-short.tsx'
import { messageOf, type Task } from './task-status-policy.ts'

/** Dismisses one failure. */
export const DismissDialog = component$<{ open: Signal<boolean>; retrying: Signal<boolean>; task: Task | undefined }>((props) => {
  const dismiss = useAction$(async (id: number) => call('POST /tasks/:id/acknowledge', { params: { id: String(id) } }))
  useTask$(({ track }) => {
    if (track(() => props.open.value)) void dismiss.reset()
  })
  const confirm = $(async () => {
    const { task } = props
    if (!task || !(await dismiss.run(task.id))) return
    props.open.value = false
    toast({ title: `Failure of task ${task.id} dismissed` })
    invalidate(['GET /tasks', 'GET /tasks/stats', 'GET /overview'])
  })
  const { task } = props
  const failure = task && messageOf(task)
  return (
    <Confirm
      open={props.open}
      level="review"
      changes="POST /tasks/:id/acknowledge"
      title="Dismiss this failure?"
      description="It no longer counts as something that needs attention. The task stays in the list as dismissed until its retention ends."
      rows={
        task && [
          { label: 'Task', to: `${task.operation} #${task.id}` },
          ...(failure === undefined ? [] : [{ label: 'Failure', to: failure }]),
        ]
      }
      confirmLabel="Dismiss"
      pending={dismiss.isPending}
      error={dismiss.error?.message}
      onConfirm$={confirm}
    >
      {task?.retryable && props.open.value && (
        <LeftShort
          onRetry$={() => {
            props.open.value = false
            props.retrying.value = true
          }}
        />
      )}
    </Confirm>
  )
})
