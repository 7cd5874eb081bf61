// What a provider remembers besides bytes and chain: uploads, transactions, pulls, terminations. One JSON file.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'

/** Changes within this time are written together. */
const WRITE_DELAY_MS = 50
/** A large ledger is written less often: writing takes at most one part in so many. */
const WRITE_SHARE = 20

export interface UploadRecord {
  /** Known beforehand in the classic upload, computed from the bytes in the streaming one. */
  pieceCid?: string
  /** The bytes are there. */
  stored: boolean
  touchedAtMs: number
}

export type TransactionKind = 'create' | 'create_and_add' | 'add' | 'remove' | 'terminate'
export type TransactionStatus = 'pending' | 'confirmed' | 'failed' | 'reorged'

export interface TransactionRecord {
  readonly hash: Hex
  readonly kind: TransactionKind
  readonly sentAtMs: number
  readonly pieceCids: readonly string[]
  readonly extraData: Hex
  dataSetId?: number
  pieceIds?: number[]
  status: TransactionStatus
  /** How it ran, once mined. */
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

export interface TerminationRecord {
  readonly extraData: Hex
  hash?: Hex
  endEpoch?: number
}

export interface LedgerState {
  readonly uploads: Record<string, UploadRecord>
  readonly transactions: Record<Hex, TransactionRecord>
  readonly pulls: Record<string, PulledPiece[]>
  readonly terminations: Record<string, TerminationRecord>
}

export interface Ledger extends Disposable {
  readonly state: LedgerState
  /** Has the state written soon. */
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

/** Pieces that a transaction on its way wants, and those of additions that were rewound: Curio keeps what it had booked for these. */
export function pieceCidsInFlight({ transactions }: LedgerState): Set<string> {
  return new Set(
    Object.values(transactions)
      .filter(({ status, ok, processed }) => status === 'pending' || status === 'reorged' || (ok && !processed))
      .flatMap((record) => record.pieceCids),
  )
}
