// Sends a provider's transactions and follows each until it is processed, lost or undone by a reorganisation.
import {
  BaseError,
  decodeErrorResult,
  type Hex,
  type Log,
  parseAbi,
  parseEventLogs,
  TransactionNotFoundError,
  type TransactionReceipt,
} from 'viem'
import { verifierAbi } from '../chain/abis.ts'
import type { DevnetContracts } from '../chain/deployment.ts'
import { startLoop } from '../chain/loop.ts'
import { findReceipt } from '../chain/rpc.ts'
import type { ProviderContext, TransactionLog } from './context.ts'
import type { TransactionKind, TransactionRecord } from './ledger.ts'
import { type Refusal, refusal } from './refusal.ts'

/** After a reorganisation, the transactions of so many epochs are checked again. */
const REORG_WATCH_EPOCHS = 64n
/** For calls that are meant to revert, of which no estimate is possible. */
const REVERTING_GAS = 20_000_000n
/** The end of the call data is the payer's signature: 65 bytes, padded. */
const SIGNATURE_HEX_DIGITS = 192
/** Pause while a transaction is open, and otherwise. */
const CHECK_MS = 50
const IDLE_CHECK_MS = 5000
/** Selector of the error that `require` with a text throws. */
const ERROR_SELECTOR = '0x08c379a0'
const errorAbi = parseAbi(['error Error(string message)'])

interface RunningTransactionLog extends TransactionLog, AsyncDisposable {}

type LogContext = Omit<ProviderContext, 'transactions'>

export function createTransactionLog(context: LogContext): RunningTransactionLog {
  const { ledger, signer, faults } = context
  const { transactions } = ledger.state
  const listeners = new Set<() => void>()
  // A reorganisation may have happened while the provider was stopped.
  let isRecheckDue = true
  const loop = startLoop(
    async () => {
      const isRecheck = isRecheckDue
      isRecheckDue = false
      const isAnyProcessed = await followAll(context, isRecheck)
      if (isAnyProcessed) for (const listener of listeners) listener()
    },
    {
      pauseMs: () => (hasOpen(context) ? CHECK_MS : IDLE_CHECK_MS),
      onError: (error) => context.log(`following transactions failed: ${error}`),
    },
  )
  const unsubscribe = context.chain.head.subscribe(({ isReorg }) => {
    isRecheckDue ||= isReorg
    loop.wake()
  })

  return {
    async submit({ kind, route, to, data, value = 0n, dataSetId, pieceCids = [], extraData }) {
      const reverts = faults.take('revert', route) !== undefined
      const request = reverts ? { to, value, data: clearSignature(data), gas: REVERTING_GAS } : { to, value, data }
      const hash = await signer.send(request).catch((error) => {
        throw describeFailedSend(error)
      })
      transactions[hash] = {
        hash,
        kind,
        sentAtMs: Date.now(),
        pieceCids,
        extraData,
        ...(dataSetId !== undefined && { dataSetId }),
        status: 'pending',
        ok: null,
        processed: false,
      }
      ledger.changed()
      countTransaction(context, kind)
      loop.wake()
      return hash
    },
    find(hash, kinds) {
      const record = Object.hasOwn(transactions, hash) ? transactions[hash as Hex] : undefined
      return record && kinds.includes(record.kind) ? record : undefined
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await loop[Symbol.asyncDispose]()
    },
  }
}

function countTransaction({ counters }: LogContext, kind: TransactionKind): void {
  if (kind === 'create' || kind === 'create_and_add') counters.createTransactions++
  if (kind === 'add' || kind === 'create_and_add') counters.addPiecesTransactions++
  if (kind === 'remove') counters.removalTransactions++
  if (kind === 'terminate') counters.terminationTransactions++
}

const hasOpen = ({ ledger, chain }: LogContext): boolean =>
  Object.values(ledger.state.transactions).some((record) => isOpen(record, chain.head.epoch))

/** Resolves with true when a transaction was processed. */
async function followAll(context: LogContext, isRecheck: boolean): Promise<boolean> {
  const { ledger, chain } = context
  let isAnyProcessed = false
  for (const record of Object.values(ledger.state.transactions)) {
    if (!isOpen(record, chain.head.epoch) && !(isRecheck && isRecent(record, chain.head.epoch))) continue
    const before = { ...record }
    await follow(context, record)
    isAnyProcessed ||= record.processed && !before.processed
    if (record.status !== before.status || record.processed !== before.processed) ledger.changed()
  }
  return isAnyProcessed
}

/** The status can still change without a reorganisation. */
function isOpen(record: TransactionRecord, epoch: bigint): boolean {
  const { status, ok, processed } = record
  if (status === 'confirmed') return ok === true && !processed
  // A transaction undone by a reorganisation may be mined again within some epochs.
  return status === 'pending' || (status === 'reorged' && isRecent(record, epoch))
}

/** A reorganisation can undo it. */
const isRecent = ({ confirmedEpoch = 0 }: TransactionRecord, epoch: bigint) => BigInt(confirmedEpoch) + REORG_WATCH_EPOCHS >= epoch

async function follow(context: LogContext, record: TransactionRecord): Promise<void> {
  const { chain, settings, faults } = context
  const receipt = await findReceipt(chain.reader, record.hash)
  if (!receipt) {
    await followUnmined(context, record)
    return
  }
  if (record.status !== 'confirmed') {
    if (chain.head.epoch < receipt.blockNumber + BigInt(settings.confidenceBlocks)) return
    record.status = 'confirmed'
    record.ok = receipt.status === 'success'
    record.confirmedAtMs = Date.now()
    record.confirmedEpoch = Number(receipt.blockNumber)
  }
  const isDue = Date.now() >= (record.confirmedAtMs ?? 0) + settings.unprocessedMs
  if (record.ok && !record.processed && isDue && !faults.has('unprocessed')) recordEffects(context, record, receipt)
}

async function followUnmined({ chain, settings }: LogContext, record: TransactionRecord): Promise<void> {
  if (record.status === 'confirmed') {
    record.status = 'reorged'
    record.ok = null
    record.processed = false
    delete record.pieceIds
    if (record.kind.startsWith('create')) delete record.dataSetId
    return
  }
  if (record.status !== 'pending' || Date.now() - record.sentAtMs < settings.lostAfterMs) return
  try {
    await chain.reader.getTransaction({ hash: record.hash })
  } catch (error) {
    if (!(error instanceof TransactionNotFoundError)) throw error
    // Neither mined nor pending.
    record.status = 'failed'
  }
}

/** Records the effects of the transaction: the id of the new data set and of its pieces. */
function recordEffects({ chain, pieces }: LogContext, record: TransactionRecord, receipt: TransactionReceipt): void {
  for (const event of verifierEvents(chain.contracts, receipt.logs)) {
    if (event.eventName === 'DataSetCreated') record.dataSetId = Number(event.args.setId)
    if (event.eventName === 'PiecesAdded') record.pieceIds = event.args.pieceIds.map(Number)
    if (event.eventName === 'PiecesAddedV2') {
      const first = Number(event.args.firstPieceId)
      record.pieceIds = [...(record.pieceIds ?? []), ...event.args.pieceCids.map((_, index) => first + index)]
    }
  }
  for (const pieceCid of record.pieceCids) pieces.claim(pieceCid)
  record.processed = true
}

function verifierEvents({ pdpVerifier }: DevnetContracts, logs: Log[]) {
  return parseEventLogs({ abi: verifierAbi, logs }).filter((log) => log.address.toLowerCase() === pdpVerifier.toLowerCase())
}

function clearSignature(data: Hex): Hex {
  return `${data.slice(0, -SIGNATURE_HEX_DIGITS)}${'0'.repeat(SIGNATURE_HEX_DIGITS)}` as Hex
}

/** The revert data of a failed estimate or call, as hex; undefined when it did not revert. */
export function revertDataOf(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined
  const cause = error.walk((inner) => typeof dataOf(inner) === 'string')
  return dataOf(cause)
}

function dataOf(error: unknown): Hex | undefined {
  if (typeof error !== 'object' || error === null || !('data' in error)) return undefined
  return typeof error.data === 'string' && error.data.startsWith('0x') ? (error.data as Hex) : undefined
}

/** The text of Lotus for a call that reverts: custom errors as data, `require` texts as `Error(…)`. */
export function describeRevert(data: Hex): string {
  const text = data.startsWith(ERROR_SELECTOR) ? decodeErrorResult({ abi: errorAbi, data }).args[0] : undefined
  const reason = text === undefined ? data : `Error(${text})`
  return `message execution failed (exit=[33], revert reason=[${reason}], vm error=[message failed with backtrace: execution reverted])`
}

function describeFailedSend(cause: unknown): Refusal {
  const data = revertDataOf(cause)
  const reason = data ? `failed to estimate gas: ${describeRevert(data)}` : String(cause)
  return refusal(500, `chain: Failed to send transaction: ${reason.replaceAll('\n', ' ')}`, { cause })
}
