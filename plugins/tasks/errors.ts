import { defineErrors } from '#kernel'

export const taskErrors = defineErrors({
  unknown_task_type: { status: 400, message: 'There is no task type with this name.' },
  task_retry_unsupported: { status: 409, message: 'This task cannot be retried.' },
  task_not_acknowledgeable: { status: 409, message: 'This task is not a failure that can be dismissed.' },
})
