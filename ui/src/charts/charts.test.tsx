import { $, component$, useSignal } from '@builder.io/qwik'
import { describe, expect, test } from 'vitest'
import { all, createScreen, find } from '../kit/testing/dom.ts'
import {
  FlowBars,
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
} from './index.ts'

const rowsOf = (screen: ParentNode) => all(screen, 'tr').map((row) => Array.from(row.children).map((cell) => cell.textContent))

const data: LanesData = {
  buckets: [{ id: 'm', label: 'media', tone: 'success', state: 'healthy' }],
  sets: [{ id: '1', bucket: 'm', provider: '9', label: 'Data set 1', tone: 'danger', state: 'lost', retired: true }],
  providers: [{ id: '9', label: '<b>north</b>', tone: 'warning', state: 'slow' }],
}

describe('each picture has the same facts as text and as table', () => {
  const pictures = [
    {
      name: 'bars',
      picture: (
        <StackedBar
          label="Copies"
          parts={[
            { label: 'Copied', value: 3, color: 'success' },
            { label: 'Failed', value: 1, color: 'danger' },
          ]}
        />
      ),
      summary: 'Copies. Copied: 3, Failed: 1',
      rows: [
        ['Part', 'Count', 'Share'],
        ['Copied', '3', '75.0%'],
        ['Failed', '1', '25.0%'],
      ],
    },
    {
      name: 'task flow',
      picture: <FlowBars label="Tasks" rows={[{ id: 's', label: 'Store', running: 1, queued: 2, waiting: 3, failed: 4 }]} />,
      summary: 'Tasks. Store: 6 open, 4 failed',
      rows: [
        ['Operation', 'Running', 'Queued', 'Waiting', 'Failed'],
        ['Store', '1', '2', '3', '4'],
      ],
    },
    {
      name: 'meter',
      picture: (
        <Meter
          label="Cache"
          used={1024}
          max={4096}
          parts={[{ label: 'Pinned', value: 1024, color: 'c3' }]}
          marks={[{ label: 'Full at', value: 2048 }]}
        />
      ),
      summary: 'Cache. 1.0 KiB of 4.0 KiB used, 25.0%. Full at at 2.0 KiB',
      rows: [
        ['What', 'Size', 'Share'],
        ['Pinned', '1.0 KiB', '25.0%'],
        ['Used', '1.0 KiB', '25.0%'],
        ['Full at', '2.0 KiB', '50.0%'],
        ['Limit', '4.0 KiB', '100%'],
      ],
    },
    {
      name: 'lines',
      picture: <TimeChart label="Load" unit="bytes" times={[0, 20]} series={[{ label: 'Up', values: [1024, null] }]} />,
      summary: 'Load. Up: 1.0 KiB to 1.0 KiB, last 1.0 KiB.',
      rows: [
        ['Time', 'Up'],
        ['1970-01-01 00:00:20', '—'],
        ['1970-01-01 00:00:00', '1.0 KiB'],
      ],
    },
    {
      name: 'map',
      picture: <Lanes label="Map" data={data} />,
      summary: 'Map. 1 bucket on 1 data set of 1 provider. Data set 1: lost, <b>north</b>: slow',
      rows: [
        ['Bucket', 'Data set', 'Provider', 'State'],
        ['media', 'Data set 1', '<b>north</b>', 'lost, retired'],
      ],
    },
    {
      name: 'runway',
      picture: <Runway label="Runway" balance="10000000000000000000" lockup="0" perDay="1000000000000000000" />,
      summary: 'Runway. 10 days left. Deposit 10 USDFC, of which 0 USDFC are locked; 1 USDFC per day.',
      rows: [
        ['Runway', 'Top-up needed'],
        ['now: 10 days left', '0 USDFC'],
        ['30 days', '20 USDFC'],
        ['90 days', '80 USDFC'],
        ['180 days', '170 USDFC'],
      ],
    },
  ]

  test.each(pictures)('$name', async ({ picture, summary, rows }) => {
    const { screen, render, userEvent } = await createScreen()
    await render(picture)
    expect(find(screen, 'figure > div').textContent).toBe(summary)
    expect(all(screen, 'table')).toEqual([])
    await userEvent('[aria-label$="as table"]', 'click')
    expect(rowsOf(screen)).toEqual(rows)
    await userEvent('[aria-label$="as table"]', 'click')
    expect(all(screen, 'table')).toEqual([])
  })
})

test('a strip of copies names each state', async () => {
  const { screen, render } = await createScreen()
  await render(<ReplicaStrip slots={[{ state: 'stored', name: 'north' }, { state: 'failed' }]} text />)
  expect(find(screen, '[role=img]').getAttribute('aria-label')).toBe('1 of 2 copies stored. north: stored, Copy 2: failed')
  expect(screen.textContent).toBe('1 of 2')
})

test('an old measurement is said to be out of date', async () => {
  const { screen, render } = await createScreen()
  await render(<Sparkline label="Speed" unit="count" values={[1, null, 3]} stale />)
  expect(find(screen, 'svg').getAttribute('aria-label')).toBe('Speed: 1 to 3, last 3, out of date')
})

test('a node of the map can be chosen, and its text is never markup', async () => {
  const Chosen = component$(() => {
    const chosen = useSignal<NodeRef>()
    return (
      <>
        <Lanes
          label="Map"
          data={data}
          selected={chosen.value}
          onSelect$={$((node: NodeRef) => {
            chosen.value = node
          })}
        />
        <output>{chosen.value}</output>
      </>
    )
  })
  const { screen, render, userEvent } = await createScreen()
  await render(<Chosen />)
  expect(all(screen, 'b')).toEqual([])
  await userEvent('[title="<b>north</b>: slow"]', 'click')
  expect([find(screen, 'output').textContent, find(screen, '[aria-pressed=true] bdi').textContent]).toEqual(['provider:9', '<b>north</b>'])
})

test('versions stand from old to new, with markers and restores in words', async () => {
  const { screen, render } = await createScreen()
  await render(
    <VersionTimeline
      label="Versions"
      versions={[
        { id: 'v3', kind: 'version', time: 0, size: 2048, current: true, restoredFrom: 'v1' },
        { id: 'v2', kind: 'delete-marker', time: 0 },
        { id: 'v1', kind: 'version', time: 0, size: 2048 },
      ]}
    />,
  )
  expect(all(screen, 'ol .sr-only').map((element) => element.textContent)).toEqual([
    'version of 2.0 KiB',
    'delete marker',
    'version of 2.0 KiB, current, restored from v1',
  ])
})
