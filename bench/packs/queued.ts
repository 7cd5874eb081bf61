// Measures the memory of a gateway in which packed objects wait: every provider refuses uploads, so packs are sealed and none is stored.
import { setTimeout as pause } from 'node:timers/promises'
import { mib, readResidentMemory } from '../../e2e/load/resident-memory.ts'
import type { BenchRow } from '../bench-table.ts'
import { startMeasuring } from '../pipeline.ts'
import { putInSteps, putObjects } from '../stored-objects.ts'
import { leastMs, objectBytes, openCount, type Scene, waitForStored, withGateway } from './scene.ts'

const steps = 10
/** The object that creates the data sets is sealed after this time; the others are sealed when they fill a pack. */
const idle = '2s'
/** Most bytes of the cache for an object: in the database, in the file of its pack, and room for the next pack. */
const cachedBytesPerObject = 4 * objectBytes
const cacheGibMin = 40
const gib = 1024 * mib
/** How long the queue is observed, at most: a millisecond for each object. */
const heldMsMax = 15_000
const uploads = ['upload_create', 'upload_put', 'upload_finalize', 'piece_post', 'piece_put', 'pull'] as const

/** Bounds of versions and bytes are off by default (`s3.limits`); only the cache must be as large as the queue. */
const settingsOf = (objects: number) => ({
  'packs.default': 'small',
  'packs.idle': idle,
  'cache.max_size_gb': Math.max(cacheGibMin, Math.ceil((objects * cachedBytesPerObject) / gib)),
})

/** @throws Error when a PUT is refused, or an object does not wait */
export const benchQueued = (dir: string, objects: number): Promise<readonly BenchRow[]> =>
  withGateway(dir, settingsOf(objects), (scene) => measure(scene, objects))

async function measure({ network, gateway }: Scene, objects: number): Promise<readonly BenchRow[]> {
  using waiting = openCount(gateway, "select count(*) as n from contents where ref_count > 0 and store_state <> 'stored'")
  // The first object creates the data sets.
  await putObjects(gateway, { objects: 1, bytes: objectBytes })
  await waitForStored(gateway, 1, leastMs)
  for (const { faults } of network.devnet.providers) faults.add({ kind: 'answer', status: 503, routes: uploads })

  const takePuts = await startMeasuring(gateway)
  const growth = await putInSteps(gateway, { objects, bytes: objectBytes }, steps)
  const puts = await takePuts(objects)
  const takeHeld = await startMeasuring(gateway)
  const heldMs = Math.min(objects, heldMsMax)
  await pause(heldMs)
  const held = await takeHeld(1)
  if (waiting() !== objects) throw new Error(`${waiting()} of ${objects} objects wait`)
  return rowsOf({ objects, growth, puts, held, heldMs, endBytes: readResidentMemory(gateway.pid).bytes })
}

type Measured = Awaited<ReturnType<Awaited<ReturnType<typeof startMeasuring>>>>

interface Queued {
  readonly objects: number
  readonly growth: Awaited<ReturnType<typeof putInSteps>>
  readonly puts: Measured
  readonly held: Measured
  readonly heldMs: number
  readonly endBytes: number
}

function rowsOf({ objects, growth, puts, held, heldMs, endBytes }: Queued): readonly BenchRow[] {
  const all = [{ objects: 0, bytes: puts.restBytes }, ...growth]
  const peakBytes = Math.max(puts.peakBytes, held.peakBytes)
  return [
    {
      label: `peak memory, ${objects} packed objects queued`,
      value: peakBytes / mib,
      unit: 'MiB',
      note: `at most 300; ${all.map((step) => `${step.objects}: ${(step.bytes / mib).toFixed(0)}`).join(', ')}`,
      figures: { steps: all.map(({ bytes }) => bytes / mib) },
    },
    { label: '… at the end', value: endBytes / mib, unit: 'MiB', note: `${((endBytes - puts.restBytes) / mib).toFixed(0)} above rest` },
    { label: 'gateway CPU per queued packed object', value: puts.cpuMs, unit: 'ms' },
    { label: `gateway CPU while ${objects} packed objects wait`, value: (held.cpuMs / heldMs) * 100, unit: '%', note: 'of one core' },
    {
      label: 'event-loop delay p99 while they are put',
      value: puts.loop.p99Ms,
      unit: 'ms',
      note: `longest ${puts.loop.maxMs.toFixed(0)} ms; while they wait p99 ${held.loop.p99Ms.toFixed(1)} ms, longest ${held.loop.maxMs.toFixed(0)} ms`,
    },
  ]
}
