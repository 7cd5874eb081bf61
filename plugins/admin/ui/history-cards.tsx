import { component$ } from '@builder.io/qwik'
import { Card, type ChartUnit, formatExactTime, TimeChart, useObservable } from '@svc/ui-kit'
import type { Sample } from './overview/history-policy.ts'
import { overviewHistory } from './overview/overview-history.ts'

interface HistoryProps {
  title: string
  /** Its name for screen readers. */
  label: string
  unit: ChartUnit
  series: readonly { readonly label: string; readonly of: keyof Omit<Sample, 'atMs'> }[]
}

/** Figures of the overview since the tab was opened. */
const HistoryCard = component$<HistoryProps>(({ title, label, unit, series }) => {
  const samples = useObservable(overviewHistory).value
  const first = samples[0]
  // One point is no line.
  const drawn = samples.length > 1 ? samples : []
  return (
    <Card title={title} note={first ? `in this tab since ${formatExactTime(first.atMs).slice(11)}` : 'in this tab'}>
      <TimeChart
        label={label}
        times={drawn.map(({ atMs }) => atMs / 1000)}
        series={series.map(({ label, of }) => ({ label, values: drawn.map((sample) => sample[of]) }))}
        unit={unit}
        height={168}
        emptyText="This tab has one measurement. The line starts with the next one."
      />
    </Card>
  )
})

export const WorkHistoryCard = component$(() => (
  <HistoryCard
    title="Open tasks"
    label="Open tasks seen in this tab"
    unit="count"
    series={[
      { label: 'Running', of: 'running' },
      { label: 'Pending', of: 'pending' },
    ]}
  />
))

export const ObjectHistoryCard = component$(() => (
  <HistoryCard
    title="Objects"
    label="Objects seen in this tab"
    unit="count"
    series={[
      { label: 'All', of: 'objects' },
      { label: 'With all copies', of: 'stored' },
    ]}
  />
))

export const ByteHistoryCard = component$(() => (
  <HistoryCard
    title="Bytes"
    label="Bytes seen in this tab"
    unit="bytes"
    series={[
      { label: 'Current versions', of: 'bytes' },
      { label: 'Cache', of: 'cacheUsedBytes' },
    ]}
  />
))
