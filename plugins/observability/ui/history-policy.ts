/** The pictures of the history card: which series they have, and over which time. Pure. */
import type { PropsOf } from '@builder.io/qwik'
import type { Answer, TimeChart } from '@svc/ui-kit'

export const ranges = [
  { id: '1h', label: '1 hour', from: '-1h', step: '20' },
  { id: '24h', label: '24 hours', from: '-24h', step: '300' },
  { id: '7d', label: '7 days', from: '-7d', step: '3600' },
  { id: '30d', label: '30 days', from: '-30d', step: '10800' },
  { id: '90d', label: '90 days', from: '-90d', step: '21600' },
] as const

interface Line {
  readonly label: string
  /** Series of the API, which are added up. */
  readonly of: readonly string[]
  /** Each value is multiplied by it; 1 by default. */
  readonly scale?: number
}

interface Picture {
  readonly title: string
  readonly unit: PropsOf<typeof TimeChart>['unit']
  readonly lines: readonly Line[]
}

export const pictures: readonly Picture[] = [
  {
    title: 'S3 throughput',
    unit: 'byte-rate',
    lines: [
      { label: 'Received', of: ['bytes_in'] },
      { label: 'Sent', of: ['bytes_out'] },
    ],
  },
  {
    title: 'S3 operations',
    unit: 'rate',
    lines: [
      { label: 'Reads', of: ['requests_get', 'requests_head', 'requests_list'] },
      { label: 'Writes', of: ['requests_put', 'requests_copy', 'requests_multipart', 'requests_delete'] },
      { label: 'Failures', of: ['request_errors'] },
    ],
  },
  {
    title: 'S3 latency, slowest 1 %',
    unit: 'seconds',
    lines: [
      { label: 'Reads', of: ['latency_get_p99'] },
      { label: 'Writes', of: ['latency_put_p99'] },
    ],
  },
  {
    title: 'Backlog',
    unit: 'count',
    lines: [
      { label: 'Objects below target', of: ['objects_under_target'] },
      { label: 'Open tasks', of: ['tasks_pending', 'tasks_running'] },
      { label: 'Failed tasks', of: ['tasks_failed'] },
    ],
  },
  {
    title: 'Cache fill over time',
    unit: 'bytes',
    lines: [
      { label: 'Used', of: ['cache_used'] },
      { label: 'Pinned', of: ['cache_pinned'] },
      { label: 'Capacity', of: ['cache_capacity'] },
    ],
  },
  // An approximate rate: amounts that are paid are exact on the page of costs.
  { title: 'Spending each day', unit: 'usdfc', lines: [{ label: 'Spending', of: ['spending'], scale: 86_400 }] },
]

/** The series of the pictures that the service has: those of a disabled plugin are missing. */
export function namesToAsk({ series }: Answer<'GET /observability/series/names'>): string | undefined {
  const known = new Set(series.map(({ name }) => name))
  const wanted = pictures.flatMap(({ lines }) => lines.flatMap(({ of }) => of)).filter((name) => known.has(name))
  return wanted.length === 0 ? undefined : wanted.join(',')
}

interface Drawn extends Omit<Picture, 'lines'> {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

/** Pictures without any of their series are left out. */
export function draw({ from, step_seconds, series }: Answer<'GET /observability/series'>): readonly Drawn[] {
  const values = new Map(series.map((one) => [one.name, one.values]))
  const count = Math.max(0, ...series.map((one) => one.values.length))
  const start = Date.parse(from) / 1000
  const times = Array.from({ length: count }, (_, index) => start + index * step_seconds)
  return pictures.flatMap(({ title, unit, lines }) => {
    const drawn = lines.flatMap(({ label, of, scale = 1 }) => {
      const parts = of.flatMap((name) => values.get(name) ?? [])
      if (parts.length === 0) return []
      return [{ label, values: times.map((_, index) => scaleBy(scale, addUp(of.map((name) => values.get(name)?.[index] ?? null)))) }]
    })
    const isMeasured = drawn.some((line) => line.values.some((value) => value !== null))
    return drawn.length === 0 ? [] : [{ title, unit, times: isMeasured ? times : [], series: drawn }]
  })
}

const addUp = (parts: readonly (number | null)[]): number | null =>
  parts.reduce((sum, part) => (part === null ? sum : (sum ?? 0) + part), null)

const scaleBy = (scale: number, value: number | null): number | null => (value === null ? null : value * scale)
