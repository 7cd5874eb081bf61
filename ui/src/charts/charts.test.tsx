import { describe, expect, test } from 'vitest'
import { all, createScreen, find } from '../kit/testing/dom.ts'
import { Meter } from './meter.tsx'
import { StackedBar } from './stacked-bar.tsx'
import { TimeChart } from './time-chart.tsx'
import { VersionTimeline } from './version-timeline.tsx'

const rowsOf = (screen: ParentNode) => all(screen, 'tr').map((row) => Array.from(row.children).map((cell) => cell.textContent))

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
