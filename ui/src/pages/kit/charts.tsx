import { $, component$, useSignal } from '@builder.io/qwik'
import {
  FlowBars,
  Gauge,
  Lanes,
  type LanesData,
  Meter,
  type NodeRef,
  ReplicaStrip,
  Runway,
  Sparkline,
  StackedBar,
  TimeChart,
  VersionTimeline,
} from '../../charts/index.ts'
import { Button, Card } from '../../kit/index.ts'
import { hostileNames } from './hostile.ts'
import { Part, Row } from './part.tsx'

const mib = 1024 ** 2
const start = 1_795_000_000
const times = Array.from({ length: 90 }, (_, index) => start + index * 20)
const wave = (index: number, size: number, shift: number) => size * (1.2 + Math.sin(index / 9 + shift) + 0.4 * Math.sin(index / 3.1))
const uploads = times.map((_, index) => (index > 40 && index < 46 ? null : Math.max(0, wave(index, 20 * mib, 0))))
const downloads = times.map((_, index) => Math.max(0, wave(index, 28 * mib, 2)))

export const Lines = component$(() => {
  const more = useSignal(0)
  const grown = times.concat(Array.from({ length: more.value }, (_, index) => start + (90 + index) * 20))
  const added = Array.from({ length: more.value }, (_, index) => wave(index, 40 * mib, 1))
  return (
    <Part title="Time charts" wide>
      <div class="grid min-w-0 gap-4 lg:grid-cols-[2fr_1fr]">
        <Card title="S3 throughput" note="last 30 min">
          <Button
            q:slot="actions"
            size="sm"
            onClick$={() => {
              more.value += 5
            }}
          >
            Measure
          </Button>
          <TimeChart
            label="S3 throughput"
            unit="byte-rate"
            times={grown}
            series={[
              { label: 'Upload', values: [...uploads, ...added] },
              { label: 'Download', values: [...downloads, ...added] },
            ]}
          />
        </Card>
        <Card title="Requests">
          <TimeChart label="Requests per second" unit="rate" times={[]} series={[{ label: 'Requests', values: [] }]} />
        </Card>
      </div>
    </Part>
  )
})

export const Bars = component$(() => (
  <Part title="Bars and gauges" wide>
    <div class="grid min-w-0 gap-4 lg:grid-cols-3">
      <Card title="Task flow" note="now">
        <FlowBars
          label="Task flow"
          rows={[
            { id: 'store', label: 'Store', to: '#store', running: 8, queued: 21, waiting: 6, failed: 1 },
            { id: 'commit', label: 'Commit', running: 3, queued: 4, waiting: 9, failed: 0 },
            { id: 'replicate', label: 'Replicate', running: 2, queued: 5, waiting: 0, failed: 1 },
            { id: 'evict', label: 'Evict', running: 1, queued: 3, waiting: 0, failed: 0 },
            { id: 'clean', label: 'Clean up', running: 0, queued: 0, waiting: 0, failed: 0 },
          ]}
        />
      </Card>
      <Card title="Cache">
        <Meter
          label="Cache"
          used={62 * 1024 ** 3}
          max={100 * 1024 ** 3}
          parts={[
            { label: 'Not yet stored', value: 11 * 1024 ** 3, color: 'c3' },
            { label: 'Can be evicted', value: 51 * 1024 ** 3, color: 'c1' },
          ]}
          marks={[
            { label: 'Eviction stops', value: 70 * 1024 ** 3 },
            { label: 'Eviction starts', value: 85 * 1024 ** 3 },
          ]}
        />
      </Card>
      <Card title="Replacement">
        <StackedBar
          label="Replacement"
          parts={[
            { label: 'Copied', value: 812, color: 'success' },
            { label: 'Active', value: 24, color: 'c1' },
            { label: 'Waiting for a source', value: 7, color: 'warning' },
            { label: 'Attention', value: 2, color: 'danger' },
          ]}
        />
        <div class="mt-4 grid grid-cols-2 gap-3">
          <Gauge label="Healthy" value={2} max={3} tone="warning" text="2 of 3 providers" />
          <Gauge label="Stored" value={100} max={100} tone="success" text="all versions" />
        </div>
      </Card>
    </div>
    <Row>
      <ReplicaStrip
        slots={[{ state: 'stored' }, { state: 'committing' }, { state: 'parked' }, { state: 'pending' }, { state: 'failed' }]}
        text
      />
      <Sparkline label="Speed of north-1" unit="byte-rate" values={downloads.slice(0, 24)} />
      <Sparkline label="Speed of lake" unit="byte-rate" values={uploads.slice(30, 60)} stale />
    </Row>
  </Part>
))

const map: LanesData = {
  buckets: [
    { id: 'media', label: 'media-archive', tone: 'success', state: 'healthy' },
    { id: 'backups', label: 'backups', tone: 'warning', state: 'one copy at risk' },
    { id: 'hostile', label: hostileNames[0] ?? '', tone: 'danger', state: 'a copy is lost' },
  ],
  sets: [
    { id: '4101', bucket: 'media', provider: '101', label: 'Data set 4101', note: 'Replica 1', tone: 'success', state: 'healthy' },
    { id: '4102', bucket: 'media', provider: '102', label: 'Data set 4102', note: 'Replica 2', tone: 'success', state: 'healthy' },
    { id: '4111', bucket: 'backups', provider: '102', label: 'Data set 4111', note: 'Replica 1', tone: 'success', state: 'healthy' },
    { id: '4117', bucket: 'backups', provider: '104', label: 'Data set 4117', note: 'Replica 2', tone: 'warning', state: 'degraded' },
    {
      id: '4130',
      bucket: 'backups',
      provider: '103',
      label: 'Data set 4130',
      note: 'Replica 2',
      tone: 'info',
      state: 'copying',
      replacing: true,
    },
    {
      id: '4090',
      bucket: 'hostile',
      provider: '101',
      label: 'Data set 4090',
      note: 'Replica 1',
      tone: 'neutral',
      state: 'ended',
      retired: true,
    },
    { id: '4121', bucket: 'hostile', provider: '104', label: 'Data set 4121', note: 'Replica 2', tone: 'danger', state: 'lost' },
  ],
  providers: [
    { id: '101', label: 'north-1.example', tone: 'success', state: 'available' },
    { id: '102', label: 'west-2.example', tone: 'success', state: 'available' },
    { id: '103', label: 'lake.example', tone: 'success', state: 'available' },
    { id: '104', label: 'harbor.example', tone: 'warning', state: 'slow' },
  ],
}

export const Maps = component$(() => {
  const selected = useSignal<NodeRef>()
  const day = 86_400_000
  const now = Date.now()
  return (
    <Part title="Maps" wide>
      <div class="grid min-w-0 gap-4 lg:grid-cols-[2fr_1fr]">
        <Card title="Replica map" note={selected.value ?? `${map.sets.length} data sets`}>
          <Lanes
            label="Replica map"
            data={map}
            selected={selected.value}
            onSelect$={$((node: NodeRef) => {
              selected.value = node
            })}
          />
        </Card>
        <Card title="Runway">
          <Runway label="Runway" balance="142000000000000000000" lockup="51000000000000000000" perDay="1940000000000000001" />
        </Card>
      </div>
      <Card title="Versions of report.pdf">
        <VersionTimeline
          label="Versions of report.pdf"
          versions={[
            { id: 'v5f3a9c1d', kind: 'version', time: now - 60_000, size: 4096, current: true, restoredFrom: 'v2b7e4a90' },
            { id: 'v4d11e0aa', kind: 'delete-marker', time: now - 0.4 * day },
            { id: 'v3c0ffee1', kind: 'version', time: now - 2 * day, size: 5120 },
            { id: 'v2b7e4a90', kind: 'version', time: now - 5 * day, size: 4096 },
            { id: 'v1a2b3c4d', kind: 'version', time: now - 30 * day, size: 2048 },
          ]}
        />
      </Card>
    </Part>
  )
})
