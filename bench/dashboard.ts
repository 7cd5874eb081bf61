// Measures how smoothly long lists of the dashboard scroll in a real browser, the service in the same process.
import type { Browser, Page } from 'playwright-core'
import { testOperator } from '#kernel/testing'
import { startFilledService } from '../e2e/load/filled-service.ts'
import { historyKey } from '../e2e/load/stored-rows.ts'
import { buildDashboard, closeBrowser, hasBrowser, openPage, signIn } from '../e2e/ui/fixtures/browser.ts'
import { browserAdvice } from '../e2e/ui/fixtures/find-browser.ts'
import { type BenchRow, type BenchTable, median, renderBenchTable } from './bench-table.ts'

const ROWS = 10_000
const ROUNDS = 3
const WHEEL_STEPS = 60
/** Pixels; a quick hand. */
const WHEEL_PX = 300
const STEP_PAUSE_MS = 16

interface List {
  readonly label: string
  readonly path: string
  /** All rows in one answer; otherwise a page of 50 at a time, with a button for the next one. */
  readonly rowsAtOnce?: number
}

const lists: readonly List[] = [
  { label: 'objects', path: '/buckets/objects?prefix=photos%2F0000%2F' },
  { label: 'versions', path: `/buckets/history?tab=versions&key=${encodeURIComponent(historyKey)}` },
  { label: 'deleted objects', path: '/buckets/deleted?tab=trash' },
  { label: 'tasks', path: '/tasks' },
  { label: '1,000 buckets', path: '/buckets', rowsAtOnce: 1000 },
  { label: 'all buckets', path: '/buckets', rowsAtOnce: ROWS },
]

/** Takes about a minute. */
export async function benchDashboard(): Promise<BenchTable> {
  if (!hasBrowser) throw new Error(browserAdvice)
  await buildDashboard()
  const svc = await startFilledService(ROWS, { config: { 'cache.max_size_gb': 1 } })
  try {
    const rows: BenchRow[] = []
    for (const list of lists) rows.push(...(await measure(svc.url, list)))
    return {
      name: `Dashboard: lists of ${ROWS.toLocaleString('en')} rows, scrolled by ${WHEEL_STEPS * WHEEL_PX} px, worst of ${ROUNDS} rounds`,
      rows,
    }
  } finally {
    await closeBrowser()
    await svc.stop()
  }
}

async function measure(url: string, list: List): Promise<readonly BenchRow[]> {
  await using watched = await openPage()
  const { page } = watched
  if (list.rowsAtOnce !== undefined) await answerManyBuckets(page, list.rowsAtOnce)
  await signIn(page, { base_url: url, admin: testOperator }, list.path)
  await page
    .locator('#main')
    .getByRole(list.label === 'versions' ? 'listitem' : 'row')
    .nth(20)
    .waitFor()
  await page.mouse.move(700, 600)
  const rounds: Scrolled[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await scroll(page, round % 2 === 0 ? 1 : -1))
  const [frames, tasks] = [rounds.flatMap(({ framesMs }) => framesMs), rounds.map(({ longestTaskMs }) => longestTaskMs)]
  return [
    {
      label: `${list.label}: longest frame`,
      value: Math.max(...frames),
      unit: 'ms',
      note: `median ${median(frames).toFixed(1)}, p95 ${percentile95(frames).toFixed(1)}`,
    },
    { label: `${list.label}: longest task of the page's thread`, value: Math.max(...tasks), unit: 'ms of CPU' },
  ]
}

const percentile95 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0

/** Rows that no page of the API has in one answer. */
const answerManyBuckets = (page: Page, rows: number): Promise<unknown> =>
  page.route('**/api/v1/buckets', async (route) => {
    const [bucket] = (await (await route.fetch()).json()) as readonly object[]
    await route.fulfill({ json: Array.from({ length: rows }, (_, at) => ({ ...bucket, name: `bucket-${String(at).padStart(5, '0')}` })) })
  })

interface Scrolled {
  readonly framesMs: readonly number[]
  /** CPU time. */
  readonly longestTaskMs: number
}

async function scroll(page: Page, direction: 1 | -1): Promise<Scrolled> {
  const browser = page.context().browser() as Browser
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'] })
  await page.evaluate(`{
    const times = (window.frameTimes = [])
    const frame = (at) => { times.push(at); if (window.frameTimes === times) requestAnimationFrame(frame) }
    requestAnimationFrame(frame)
  }`)
  for (let step = 0; step < WHEEL_STEPS; step += 1) {
    await page.mouse.wheel(0, direction * WHEEL_PX)
    await page.waitForTimeout(STEP_PAUSE_MS)
  }
  const times = (await page.evaluate('{ const times = window.frameTimes; window.frameTimes = undefined; times }')) as readonly number[]
  const framesMs = times.slice(1).map((at, index) => at - (times[index] ?? at))
  return { framesMs, longestTaskMs: longestTask(await browser.stopTracing()) }
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Thread time in µs. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Returns milliseconds of CPU of the main threads of pages. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`
  const pages = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf))
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)))
  if (tasks.length === 0) throw new Error('the trace of the browser has no task of a page')
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchDashboard()))
