// Runs one load at several servers in turns within one run, and reports rates, CPU times and ratios.
import type { BenchServer } from './bench-server.ts'
import { type BenchRow, describeSpread, median, ratiosByRound } from './bench-table.ts'
import { cpuTimeOf, waitUntilIdle } from './cpu-time.ts'
import { takePeak } from './memory.ts'
import { RefusedRequest } from './s3-calls.ts'

/** After this time a turn starts no further request. */
export const turnMsMax = 2500
/** After this time, reached on a busy machine, a load starts no further round. */
const loadMsMax = 16_000
const roundsMin = 3
const refusalChars = 160

export const KIB = 1024
export const MIB = 1024 * KIB

/** Runs the requests that were prepared for one turn. Resolves with their number. */
type Turn = () => Promise<number>

export interface Load<T extends BenchServer> {
  readonly label: string
  /** What a request transfers: above a MiB the rate is in MiB/s, else in requests per second. */
  readonly requestBytes: number
  /** Connects to a server; returns the function that prepares each turn, which is not measured. */
  readonly prepare: (target: T) => Promise<() => Promise<Turn>>
  /** Default: 16 s. */
  readonly msMax?: number
}

/** Measurements of one server in one turn. */
interface Measured {
  readonly requestsPerSecond: number
  /** CPU microseconds per request: of the server's main thread, and of all its threads. */
  readonly mainCpu: number | undefined
  readonly allCpu: number | undefined
  /** Highest resident memory of the server. */
  readonly peakMiB: number | undefined
  /** Event-loop delay of the server, 99th percentile, milliseconds. */
  readonly loopP99: number | undefined
  /** Its part for which the loop used the processor. */
  readonly ownP99: number | undefined
  /** Event loop utilization of the client, 0 to 1: near 1 the client is the bottleneck. */
  readonly clientBusy: number
}

interface Series {
  readonly server: BenchServer
  readonly turns: Measured[]
  /** Why it is not measured: an earlier version lacks the operation. */
  refusal?: string
}

interface Contender extends Series {
  readonly nextTurn: () => Promise<Turn>
}

/** Which servers the others are compared with. */
interface Compared<T extends BenchServer> {
  readonly targets: readonly T[]
  readonly bare?: T | undefined
  readonly before?: T | undefined
  readonly gateway: T
  readonly rounds: number
}

/** One row per server. The servers alternate in every round, so that other load affects them equally. The first round is a warm-up. */
export async function compare<T extends BenchServer>(load: Load<T>, compared: Compared<T>): Promise<BenchRow[]> {
  const measured = await Promise.all(
    compared.targets.map(async (server): Promise<Contender> => {
      return { server, turns: [], nextTurn: await load.prepare(server) }
    }),
  )
  const startMs = performance.now()
  for (let round = -1; round < compared.rounds; round++) {
    if (round >= roundsMin && performance.now() - startMs > (load.msMax ?? loadMsMax)) break
    for (const one of measured) await takeTurn(one, { round, mayRefuse: one.server === compared.before })
  }
  const seriesOf = (server: T | undefined): Series | undefined => measured.find((one) => one.server === server && one.refusal === undefined)
  const bases = { bare: seriesOf(compared.bare), before: seriesOf(compared.before), gateway: seriesOf(compared.gateway) }
  return measured.map((one) => rowOf(load, one, bases))
}

/** An operation that an earlier gateway refuses in the warm-up is missing there. Later refusals, such as SlowDown, are failures. */
async function takeTurn(one: Contender, { round, mayRefuse }: { readonly round: number; readonly mayRefuse: boolean }): Promise<void> {
  if (one.refusal !== undefined) return
  try {
    const turn = await measureTurn(one.server, await one.nextTurn())
    if (round >= 0) one.turns.push(turn)
  } catch (error) {
    if (round >= 0 || !mayRefuse || !(error instanceof RefusedRequest)) throw error
    one.refusal = error.message
  }
}

async function measureTurn({ pid, takeLoopDelay }: BenchServer, turn: Turn): Promise<Measured> {
  if (pid !== undefined) await waitUntilIdle(pid)
  if (pid !== undefined) takePeak(pid)
  await takeLoopDelay?.()
  const cpuNow = () => (pid === undefined ? undefined : cpuTimeOf(pid))
  const cpuBefore = cpuNow()
  const loopBefore = performance.eventLoopUtilization()
  const startMs = performance.now()
  const requests = await turn()
  const tookMs = performance.now() - startMs
  const clientBusy = performance.eventLoopUtilization(loopBefore).utilization
  const cpu = cpuNow()
  const delay = await takeLoopDelay?.()
  const peakBytes = pid === undefined ? undefined : takePeak(pid)
  const perRequest = (after?: number, before?: number) =>
    after === undefined || before === undefined ? undefined : (after - before) / requests
  return {
    requestsPerSecond: (requests * 1000) / tookMs,
    mainCpu: perRequest(cpu?.mainThread, cpuBefore?.mainThread),
    allCpu: perRequest(cpu?.allThreads, cpuBefore?.allThreads),
    peakMiB: peakBytes === undefined ? undefined : peakBytes / MIB,
    loopP99: delay?.p99Ms,
    ownP99: delay?.ownP99Ms,
    clientBusy,
  }
}

interface Bases {
  readonly bare: Series | undefined
  readonly before: Series | undefined
  readonly gateway: Series | undefined
}

function rowOf(load: Load<never>, { server, turns, refusal }: Series, { bare, before, gateway }: Bases): BenchRow {
  const isSmall = load.requestBytes < MIB
  const label = `${load.label}: ${server.label}`
  const unit = isSmall ? '/s' : 'MiB/s'
  if (refusal !== undefined)
    return { label, value: undefined, unit, note: `refused: ${refusal.replaceAll(/\s+/g, ' ').slice(0, refusalChars)}` }
  const rateOf = ({ requestsPerSecond }: Measured): number => (isSmall ? requestsPerSecond : (requestsPerSecond * load.requestBytes) / MIB)
  const rates = turns.map(rateOf)
  const ratiosTo = (base: Series | undefined): number[] | undefined =>
    base && base.server !== server ? ratiosByRound(rates, base.turns.map(rateOf)) : undefined
  const isGateway = server === gateway?.server
  const isPeer = !isGateway && server !== bare?.server && server !== before?.server
  const ratios = ratiosTo(bare)
  const mainCpu = medianOf(turns, 'mainCpu')
  const cpuTimes = (base: Series | undefined) => base && ratioOf(mainCpu, medianOf(base.turns, 'mainCpu'))
  const figures = {
    ratio: ratios && median(ratios),
    beforeRatio: isGateway ? medianRatio(ratiosTo(before)) : undefined,
    /** How many times faster a peer is. */
    gatewayRatio: isPeer ? medianRatio(ratiosTo(gateway)) : undefined,
    mainCpuMicros: mainCpu,
    allCpuMicros: medianOf(turns, 'allCpu'),
    cpuRatio: ratios && cpuTimes(bare),
    beforeCpuRatio: isGateway ? cpuTimes(before) : undefined,
    loopP99Ms: medianOf(turns, 'loopP99'),
    ownP99Ms: medianOf(turns, 'ownP99'),
    peakMiB: maxOf(turns.map(({ peakMiB }) => peakMiB)),
    clientBusy: median(turns.map((turn) => turn.clientBusy)),
  }
  const notes = [describeSpread(rates, rates.some((rate) => rate < 10) ? 2 : 0), ...notesOf(figures)]
  return {
    label,
    value: median(rates),
    unit,
    note: notes.join('; '),
    figures: { rounds: rates, ratios, ...figures },
  }
}

function notesOf(figures: Readonly<Record<string, number | undefined>>): string[] {
  const shown = (micros: number): string => (micros < 10_000 ? `${micros.toFixed(0)} µs` : `${(micros / 1000).toFixed(0)} ms`)
  const texts: Readonly<Record<string, (value: number) => string>> = {
    ratio: (times) => `${times.toFixed(2)} × bare`,
    beforeRatio: (times) => `${times.toFixed(2)} × before`,
    gatewayRatio: (times) => `${times.toFixed(2)} × the gateway`,
    mainCpuMicros: (micros) => `main thread ${shown(micros)} each`,
    cpuRatio: (times) => `${times.toFixed(1)} × bare`,
    beforeCpuRatio: (times) => `main thread ${times.toFixed(2)} × before`,
    allCpuMicros: (micros) => `all threads ${shown(micros)}`,
    loopP99Ms: (millis) => `event loop p99 ${millis.toFixed(1)} ms`,
    ownP99Ms: (millis) => `own CPU time p99 ${millis.toFixed(1)} ms above the interval`,
    peakMiB: (size) => `resident at most ${size.toFixed(0)} MiB`,
    clientBusy: (share) => `client ${(share * 100).toFixed(0)} %`,
  }
  return Object.entries(texts).flatMap(([name, text]) => {
    const value = figures[name]
    return value === undefined ? [] : [text(value)]
  })
}

const medianRatio = (ratios: readonly number[] | undefined) => ratios && median(ratios)
const ratioOf = (value: number | undefined, base: number | undefined) =>
  value === undefined || base === undefined ? undefined : value / base

function maxOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? Math.max(...known) : undefined
}

function medianOf(turns: readonly Measured[], figure: 'mainCpu' | 'allCpu' | 'loopP99' | 'ownP99'): number | undefined {
  const known = turns.map((turn) => turn[figure]).filter((value) => value !== undefined)
  return known.length > 0 ? median(known) : undefined
}
