/** Which figures of the metrics are kept, and how they are added up and shown. */
import type { ContributedItem, Distribution, MetricCollector, MetricSample, MetricSeries } from '#kernel/system'

/** A figure that is kept: one column of sums for a counter or gauge, one for each bucket of a histogram. */
export interface Figure {
  readonly series: MetricSeries
  readonly family: ContributedItem<MetricCollector>
  readonly columns: number
}

/** A series of the API. */
export interface ShownSeries {
  readonly name: string
  readonly label: string
  readonly unit: MetricSeries['unit']
  readonly isRate: boolean
  readonly figure: Figure
  /** Reads the value from the sums of a step and the milliseconds that they cover; null when they say nothing. */
  read(sums: readonly number[], coveredMs: number): number | null
}

const namePattern = /^[a-z][a-z0-9_]{0,39}$/
const percentiles = [50, 99] as const

export interface Figures {
  readonly kept: readonly Figure[]
  readonly shown: ReadonlyMap<string, ShownSeries>
  /** Declarations that were left out, with the reason. */
  readonly problems: readonly string[]
}

/** `arraysMax`: bound of the memory, see Ring: what is declared after it is reached is left out. */
export function readFigures(families: readonly ContributedItem<MetricCollector>[], arraysMax: number): Figures {
  const kept: Figure[] = []
  const shown = new Map<string, ShownSeries>()
  const problems: string[] = []
  let arrays = 0
  for (const figure of families.flatMap(toFigures)) {
    const views = viewsOf(figure)
    const isKnown = kept.some(({ series }) => series.name === figure.series.name) || views.some(({ name }) => shown.has(name))
    const isFull = arrays + figure.columns + 1 > arraysMax
    const problem = findProblem(figure, isKnown) ?? (isFull ? 'there are too many series' : undefined)
    if (problem !== undefined) {
      problems.push(`${figure.series.name} of ${figure.family.item.name}: ${problem}`)
      continue
    }
    kept.push(figure)
    arrays += figure.columns + 1
    for (const view of views) shown.set(view.name, view)
  }
  return { kept, shown, problems }
}

const toFigures = (family: ContributedItem<MetricCollector>): readonly Figure[] =>
  (family.item.series ?? []).map((series) => ({
    series,
    family,
    columns: family.item.type === 'histogram' ? (family.item.buckets ?? []).length + 1 : 1,
  }))

function findProblem({ series: { name, where = {} }, family: { item } }: Figure, isKnown: boolean): string | undefined {
  if (!namePattern.test(name)) return 'the name must be lower case with underscores, at most 40 characters'
  if (isKnown) return 'another series has this name'
  const unknown = Object.keys(where).find((label) => !item.labels.includes(label))
  return unknown === undefined ? undefined : `the family has no label ${unknown}`
}

function viewsOf(figure: Figure): readonly ShownSeries[] {
  const { name, label, unit } = figure.series
  const { type, buckets = [] } = figure.family.item
  if (type === 'counter') return [{ name, label, unit, figure, isRate: true, read: ([sum = 0], coveredMs) => (sum / coveredMs) * 1000 }]
  if (type === 'gauge') return [{ name, label, unit, figure, isRate: false, read: ([sum = 0], coveredMs) => sum / coveredMs }]
  return percentiles.map((percent) => ({
    name: `${name}_p${percent}`,
    label: `${label}, ${percent === 50 ? 'median' : '99 of 100'}`,
    unit,
    figure,
    isRate: false,
    read: (counts) => quantile(counts, buckets, percent / 100),
  }))
}

/** Takes the values within a bucket as spread evenly, like Prometheus; above every bound, the largest bound is shown. */
export function quantile(counts: readonly number[], bounds: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let rank = share * total
  for (const [index, count] of counts.entries()) {
    const upper = bounds[index]
    if (upper === undefined) break
    if (rank <= count) {
      const lower = bounds[index - 1] ?? 0
      return lower + (upper - lower) * (rank / count)
    }
    rank -= count
  }
  return bounds.at(-1) ?? null
}

/** The present value of each column; undefined where there is none. A counter without samples has not counted yet. */
export function readColumns(
  { series: { where = {} }, family: { item }, columns }: Figure,
  samples: readonly MetricSample[],
): number[] | undefined {
  const picked = samples.filter(({ labels }) => Object.entries(where).every(([label, values]) => values.includes(labels[label] ?? '')))
  if (item.type === 'gauge' && picked.length === 0) return undefined
  const sums = new Array<number>(columns).fill(0)
  for (const { value } of picked) {
    const parts = typeof value === 'number' ? [value] : countsOf(value)
    if (parts.length !== columns) return undefined
    for (const [index, part] of parts.entries()) sums[index] = (sums[index] ?? 0) + part
  }
  return sums.every(Number.isFinite) ? sums : undefined
}

const countsOf = ({ counts }: Distribution): readonly number[] => counts

/** What a counter has counted between two readings; undefined when it began anew. */
export function readIncrease(before: readonly number[], now: readonly number[]): number[] | undefined {
  const increase = now.map((value, index) => value - (before[index] ?? 0))
  return increase.some((part) => part < 0) ? undefined : increase
}
