import { component$ } from '@builder.io/qwik'
import { Card, formatExactTime, TimeChart, useObservable } from '@svc/ui-kit'
import { overviewHistory } from './overview-history.ts'

/** Open tasks since the tab was opened. */
export const WorkHistoryCard = component$(() => {
  const history = useObservable(overviewHistory)
  const samples = history.value
  const first = samples[0]
  // One point is no line.
  const drawn = samples.length > 1 ? samples : []
  return (
    <Card title="Open work" note={first ? `seen in this tab since ${formatExactTime(first.atMs).slice(11)}` : 'seen in this tab'}>
      <TimeChart
        label="Open tasks seen in this tab"
        times={drawn.map(({ atMs }) => atMs / 1000)}
        series={[
          { label: 'Running', values: drawn.map(({ running }) => running) },
          { label: 'Pending', values: drawn.map(({ pending }) => pending) },
        ]}
        unit="count"
        height={196}
        emptyText="The picture starts with what this tab sees. It draws the next change."
      />
    </Card>
  )
})
