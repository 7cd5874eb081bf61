import { component$ } from '@builder.io/qwik'
import { Card, Empty, formatCount, Progress, SkeletonLines, useQuery } from '@svc/ui-kit'

/** Pending and running tasks by type. */
export const WorkCard = component$(() => {
  const overview = useQuery('GET /overview')
  const work = overview.data?.tasks.active_pipeline
  const longest = Math.max(1, ...(work ?? []).map(({ total }) => total))
  return (
    <Card title="Work in progress" note="now">
      {!work && <SkeletonLines lines={4} label="Loading the work in progress" />}
      {work?.length === 0 && (
        <Empty icon="circle-check" title="No work in progress" text="Uploads, copies and evictions appear here while they run." />
      )}
      {work && work.length > 0 && (
        <ul class="flex flex-col gap-3.5">
          {work.map(({ operation, by_status, total }) => (
            <li key={operation}>
              <div class="mb-1.5 flex justify-between gap-4 text-sm">
                <span class="min-w-0 truncate">{operation}</span>
                <span class="text-muted">
                  {formatCount(by_status.running)} running, {formatCount(by_status.pending)} waiting
                </span>
              </div>
              <Progress label={`${operation}: ${total} tasks`} value={total} max={longest} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
})
