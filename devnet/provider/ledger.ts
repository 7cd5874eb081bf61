// The records of a provider in one JSON file: uploads, transactions, pulls, terminations.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'

/** Delay of a write, which then contains all changes. */
const WRITE_DELAY_MS = 50
/** A large ledger is written less often: writes take at most one part in so many of the time. */
const WRITE_SHARE = 20

export interface UploadRecord {
  /** Declared by the client in a classic upload; computed from the bytes in a streaming one. */
  pieceCid?: string
  /** Whether all bytes were received. */
  stored: boolean
  touchedAtMs: number
}

export type TransactionKind = 'create' | 'create_and_add' | 'add' | 'remove' | 'terminate'
type TransactionStatus = 'pending' | 'confirmed' | 'failed' | 'reorged'

export interface TransactionRecord {
  readonly hash: Hex
  readonly kind: TransactionKind
  readonly sentAtMs: number
  readonly pieceCids: readonly string[]
  readonly extraData: Hex
  dataSetId?: number
  pieceIds?: number[]
  status: TransactionStatus
  /** Success of the mined transaction; null before. */
  ok: boolean | null
  confirmedAtMs?: number
  confirmedEpoch?: number
  processed: boolean
}

export type PullStatus = 'pending' | 'inProgress' | 'retrying' | 'complete' | 'failed'

export interface PulledPiece {
  readonly pieceCid: string
  readonly sourceUrls: readonly string[]
  status: PullStatus
}

interface TerminationRecord {
  readonly extraData: Hex
  hash?: Hex
  endEpoch?: number
}

interface LedgerState {
  readonly uploads: Record<string, UploadRecord>
  readonly transactions: Record<Hex, TransactionRecord>
  readonly pulls: Record<string, PulledPiece[]>
  readonly terminations: Record<string, TerminationRecord>
}

export interface Ledger extends Disposable {
  readonly state: LedgerState
  /** Schedules a write of the state. */
  changed(): void
}

export function openLedger(dir: string): Ledger {
  const path = join(dir, 'ledger.json')
  const state: LedgerState = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { uploads: {}, transactions: {}, pulls: {}, terminations: {} }
  let timer: NodeJS.Timeout | undefined
  let writeMs = 0

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    const startedMs = performance.now()
    writeFileSync(`${path}.new`, JSON.stringify(state))
    renameSync(`${path}.new`, path)
    writeMs = performance.now() - startedMs
  }

  return {
    state,
    changed() {
      timer ??= setTimeout(write, Math.max(WRITE_DELAY_MS, writeMs * WRITE_SHARE))
    },
    [Symbol.dispose]() {
      if (timer) write()
    },
  }
}

/** Pieces of open transactions, and of additions undone by a reorganisation, which Curio keeps too. */
export function pieceCidsInFlight({ transactions }: LedgerState): Set<string> {
  return new Set(
    Object.values(transactions)
      .filter(({ status, ok, processed }) => status === 'pending' || status === 'reorged' || (ok && !processed))
      .flatMap((record) => record.pieceCids),
  )
}
