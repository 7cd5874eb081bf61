// Measures piece CID throughput: the SDK's hasher, ours inline, and ours on worker threads over a file.
import { randomFillSync } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createPieceCalculator,
  createPieceHasher,
  fallbackNodeHasher,
  type NodeHasher,
  nodeHasherChoice,
  type PieceCalculator,
  pieceCidOf,
} from '../plugins/replication/testing/pieces.ts'
import { type BenchRow, type BenchTable, describeSpread, median, ratiosByRound, renderBenchTable } from './bench-table.ts'

const MIB = 1024 * 1024
/** Small, because the SDK needs over 60 ms per MiB. */
const SDK_BYTES = 4 * MIB
const INLINE_BYTES = 64 * MIB
const FILE_BYTES = 256 * MIB
/** Chunk size of a body read from a socket. */
const CHUNK_BYTES = 64 * 1024
const ROUNDS = 3

/** One implementation, measured on `bytes` bytes. */
interface Variant {
  readonly label: string
  readonly bytes: number
  readonly computePieceCid: () => string | Promise<string>
}

/** Takes about 20 s and 256 MiB of temporary disk space. @throws Error when two variants disagree on a CID */
export async function benchCid(): Promise<BenchTable> {
  const content = randomBytes(INLINE_BYTES)
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-cid-'))
  try {
    const path = join(folder, 'piece.bin')
    await writeRepeated(path, content)
    await using oneThread = createPieceCalculator({ threads: 1 })
    await using twoThreads = createPieceCalculator({ threads: 2 })
    const sdk = await sdkVariant(content.subarray(0, SDK_BYTES))
    const inline = [...new Set([nodeHasherChoice.hasher, fallbackNodeHasher])].map((hasher) => inlineVariant(content, hasher))
    const pooled = [fileVariant(1, path, oneThread), fileVariant(2, path, twoThreads)]

    await requireSame([sdk, { ...sdk, computePieceCid: () => inlinePieceCid(content.subarray(0, SDK_BYTES), nodeHasherChoice.hasher) }])
    await requireSame(inline)
    await requireSame(pooled)
    const rounds = await measureRounds([sdk, ...inline, ...pooled])
    return { name: `piece CID, median of ${ROUNDS} rounds`, rows: rounds.map((rates) => rowOf(rates, rounds[0] ?? rates)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Rates {
  readonly label: string
  /** MB/s, one value per round. */
  readonly rates: number[]
}

/** All variants run in every round, so that other load on the machine affects them equally. */
async function measureRounds(variants: readonly Variant[]): Promise<Rates[]> {
  const measured = variants.map((variant) => ({ ...variant, rates: [] as number[] }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { bytes, computePieceCid, rates } of measured) {
      const startedAt = performance.now()
      await computePieceCid()
      rates.push(bytes / 1000 / (performance.now() - startedAt))
    }
  }
  return measured
}

function rowOf({ label, rates }: Rates, sdk: Rates): BenchRow {
  const ratio = median(ratiosByRound(rates, sdk.rates))
  const note = `${ratio.toFixed(1)}× synapse-core (${describeSpread(rates, 1)})`
  return { label, value: median(rates), unit: 'MB/s', note, figures: { ratio, rounds: rates } }
}

// Imported by variable because only chain/ may import the SDK; here it is only the baseline.
async function sdkVariant(content: Uint8Array): Promise<Variant> {
  const specifier = '@filoz/synapse-core/piece'
  const sdk: { calculate(content: Uint8Array): { toString(): string } } = await import(specifier)
  return { label: 'synapse-core, 4 MiB', bytes: content.length, computePieceCid: () => sdk.calculate(content).toString() }
}

function inlineVariant(content: Uint8Array, hasher: NodeHasher): Variant {
  return {
    label: `inline, ${hasher.name}, 64 MiB`,
    bytes: content.length,
    computePieceCid: () => inlinePieceCid(content, hasher),
  }
}

/** A piece is computed on one thread, so one piece per thread is computed in parallel. */
function fileVariant(threads: number, path: string, calculator: PieceCalculator): Variant {
  return {
    label: `${threads} × file of 256 MiB, ${threads} worker thread${threads > 1 ? 's' : ''}`,
    bytes: threads * FILE_BYTES,
    async computePieceCid() {
      const pieces = await Promise.all(Array.from({ length: threads }, () => calculator.calculate({ path, length: FILE_BYTES })))
      return pieces[0]?.pieceCid ?? ''
    },
  }
}

/** Is the warm-up too: compiles code, starts threads, loads the file into the page cache. */
async function requireSame(variants: readonly Variant[]): Promise<void> {
  const pieceCids: string[] = []
  for (const { computePieceCid } of variants) pieceCids.push(await computePieceCid())
  if (new Set(pieceCids).size === 1) return
  throw new Error(`different piece CIDs for the same bytes: ${variants.map(({ label }, at) => `${label} ${pieceCids[at]}`).join(', ')}`)
}

async function writeRepeated(path: string, content: Uint8Array): Promise<void> {
  await using file = await open(path, 'w')
  for (let written = 0; written < FILE_BYTES; written += content.length) await file.write(content)
}

function inlinePieceCid(content: Uint8Array, nodeHasher: NodeHasher): string {
  const hasher = createPieceHasher({ nodeHasher })
  for (let start = 0; start < content.length; start += CHUNK_BYTES) hasher.update(content.subarray(start, start + CHUNK_BYTES))
  return pieceCidOf(hasher.digest())
}

function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let start = 0; start < size; start += MIB) randomFillSync(bytes, start, Math.min(MIB, size - start))
  return bytes
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchCid()))
