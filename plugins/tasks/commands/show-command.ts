import { type AdminCall, formatFacts, openAdminClient } from '#cli'
import { CommandError } from '#kernel'
import { listTasks, type Task } from '../api.ts'
import { readTaskId } from './read-task-id-policy.ts'

export async function run(call: AdminCall<{ id: string }>): Promise<undefined> {
  const id = readTaskId(call.parameters.id)
  const client = await openAdminClient(call)
  // The list has the tasks below its cursor, newest first: the first one below the next id is the task itself, if it is listed.
  const page = await client.call(listTasks, { query: { cursor: String(id + 1), limit: '1' } })
  const task = page.tasks.find((listed) => listed.id === id)
  if (!task) throw new CommandError(`there is no task ${id}, or it is a healthy recurring one; svc admin task list shows the tasks`)
  call.out.result(task, taskText(task))
}

function taskText(task: Task): string {
  const { subject, retry_count, retry_limit } = task
  return formatFacts([
    ['Task', task.id],
    ['Type', task.type],
    ['Operation', task.operation],
    ['Status', task.presentation_status],
    ['Subject', `${subject.type}:${subject.key}`],
    ['Bucket', subject.bucket],
    ['Wait reason', task.wait_reason],
    ['Message', task.status_message],
    ['Failure reason', task.failure_reason],
    ['Last error', task.last_error],
    ['Retries', retry_limit === undefined ? retry_count : `${retry_count} of ${retry_limit}`],
    ['Next step', nextStep(task)],
    ['Retry', task.retry_effect?.text],
    ['Available', task.available_at],
    ['Started', task.started_at],
    ['Finished', task.finished_at],
    ['Acknowledged', task.acknowledged_at],
    ['Created', task.created_at],
    ['Updated', task.updated_at],
  ])
}

function nextStep({ id, retryable, acknowledgeable }: Task): string | undefined {
  const steps = [...(retryable ? [`svc admin task retry ${id}`] : []), ...(acknowledgeable ? [`svc admin task acknowledge ${id}`] : [])]
  return steps.join(' or ') || undefined
}
