import { type BenchRow, median } from '../bench-table.ts'

export async function timed(call: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await call()
  return performance.now() - startMs
}

const p95Of = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

export const rowOf = (label: string, times: readonly number[]): BenchRow => ({
  label,
  value: median(times),
  unit: 'ms',
  note: `p95 ${p95Of(times).toFixed(1)} ms, ${times.length} requests`,
  figures: { p95: p95Of(times) },
})

/** Times of `count` calls, after some to warm up. */
export async function timesOf(count: number, call: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let turn = -10; turn < count; turn++) {
    const ms = await timed(call)
    if (turn >= 0) times.push(ms)
  }
  return times
}

/** Times of the calls that one after another fit into the time of the other work. */
export async function timesDuring(work: () => Promise<unknown>, call: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  let isWorking = true
  const working = work().finally(() => {
    isWorking = false
  })
  while (isWorking) times.push(await timed(call))
  await working
  return times
}
