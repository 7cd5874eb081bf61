import { component$ } from '@builder.io/qwik'
import { Card, Empty, ErrorAlert, Link, SkeletonLines, useQuery } from '@svc/ui-kit'
import { TaskFlow } from './task-flow.tsx'
import { flowsOf, openOf } from './task-flow-policy.ts'

/** Open and failed tasks by type. */
export const TaskFlowCard = component$(() => {
  const stats = useQuery('GET /tasks/stats')
  const flows = stats.data && flowsOf(stats.data).filter((flow) => openOf(flow) > 0)
  return (
    <Card title="Task flow" note="now">
      <Link q:slot="actions" to="/tasks" class="text-accent hover:underline">
        All tasks
      </Link>
      <ErrorAlert error={stats.error} onRetry$={stats.refresh} />
      {!flows && !stats.error && <SkeletonLines lines={4} label="Loading the task flow" />}
      {flows?.length === 0 && (
        <Empty icon="circle-check" title="No open tasks" text="Uploads, copies and evictions appear here while they run." />
      )}
      {flows && flows.length > 0 && <TaskFlow flows={flows} />}
    </Card>
  )
})
