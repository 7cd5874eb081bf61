import { component$ } from '@builder.io/qwik'
import { ChartFrame, formatCount, Link, Segments } from '@svc/ui-kit'
import { type Flow, openOf } from './task-flow-policy.ts'

const states = [
  { id: 'running', label: 'Running', fill: 'fill-c1' },
  { id: 'pending', label: 'Pending', fill: 'fill-c2' },
  { id: 'failed', label: 'Failed', fill: 'fill-danger-fill' },
] as const

/** A bar per type, all to one scale. */
export const TaskFlow = component$<{ flows: readonly Flow[] }>(({ flows }) => {
  const most = Math.max(1, ...flows.map(openOf))
  return (
    <ChartFrame
      label="Task flow"
      summary={flows.map((flow) => `${flow.operation}: ${textOf(flow)}`).join('. ')}
      legend={states.map(({ label, fill }) => ({ label, swatch: fill }))}
      table={{
        columns: ['Operation', ...states.map(({ label }) => label)],
        rows: flows.map((flow) => [flow.operation, ...states.map(({ id }) => formatCount(flow[id]))]),
      }}
    >
      <ul class="flex flex-col gap-3.5">
        {flows.map((flow) => (
          <li key={flow.type}>
            <div class="mb-1.5 flex items-baseline justify-between gap-3 text-sm">
              <Link to="/tasks" query={{ type: flow.type }} class="min-w-0 truncate rounded-sm hover:underline">
                {flow.operation}
              </Link>
              <span class={['text-xs whitespace-nowrap', flow.failed > 0 ? 'text-danger' : 'text-muted']}>{textOf(flow)}</span>
            </div>
            <Segments parts={states.map(({ id, fill }) => ({ value: flow[id], fill }))} total={most} height={8} />
          </li>
        ))}
      </ul>
    </ChartFrame>
  )
})

const textOf = ({ running, pending, failed }: Flow): string =>
  [`${formatCount(running)} running`, `${formatCount(pending)} pending`, ...(failed > 0 ? [`${formatCount(failed)} failed`] : [])].join(
    ', ',
  )
