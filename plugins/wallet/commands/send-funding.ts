import { findPlace, readSettings } from '#cli'
import { type CommandCall, CommandError, newUlid, systemClock } from '#kernel'
import { formatDuration } from '#kernel/system'
import { type Chain, openAccount } from '../chain/clients.ts'
import { readBalances } from '../chain/payment-account.ts'
import { toSpendingLimits } from '../chain/spending-policy.ts'
import type { OperationKey, OperationOutcome } from '../contract.ts'
import { formatUsdfc } from '../funding/usdfc-amount-policy.ts'
import { followOperation, keepOpen, type OperationDeps } from '../operations/follow-operation.ts'
import { commandPrefix, createSlotStore, isReported } from '../operations/slot-store.ts'
import { openWalletSlot, type SlotAttempt, type WalletSlot } from '../operations/wallet-slot.ts'
import { chainSection, spendingKeys, spendingSection } from '../settings.ts'
import { chooseNetwork, openCommandChain } from './command-chain.ts'

export interface FundingFlags {
  readonly timeout: number
}

interface FundingOutcome {
  /** Absent when no transaction was needed. */
  readonly hash?: string | undefined
  /** True when final on chain; false after a timeout. */
  readonly isConfirmed: boolean
}

const pollsPerEpoch = 4
const pollMsMin = 250

type Signer = ReturnType<typeof openAccount>

/**
 * Deposits `amount` base units (0: approval only) and approves the storage service if needed, in one transaction, and waits for it until
 * `--timeout`. Prints the hash to standard error before the transaction is sent.
 *
 * The transaction is recorded in the slot of the wallet before it is sent (I-04). A command that finds one that is not decided settles it
 * first; after a deposit that an earlier command did not see confirmed, nothing new is sent.
 */
export async function sendFunding(call: CommandCall<unknown, FundingFlags>, amount: bigint): Promise<FundingOutcome> {
  const signer = openAccount(readSettings(call, chainSection, ['private_key']).private_key)
  await using opened = await openCommandChain(call, chooseNetwork(call))
  const { chain } = opened
  const slot = openWalletSlot({ configPath: findPlace(call).configPath, chainId: chain.network.chainId, address: signer.address })
  const store = createSlotStore(slot, signer.address)
  const limits = toSpendingLimits(readSettings(call, spendingSection, spendingKeys), chain.network)
  const deps = { ...limits, chain, signer, store, slot, owner: 'command', clock: systemClock, ...printTo(call, slot.path) } as const
  const key = { type: amount > 0n ? 'fund' : 'approve', id: `${commandPrefix}${newUlid(systemClock.now())}` } as const
  const wait = { key, untilMs: systemClock.now() + call.flags.timeout, note: call.out.note }
  // First: it may have spent what the wallet lacks now.
  await settleEarlier(deps, wait)
  await requireBalances(chain, signer, amount)
  store.request({ type: key.type, clientRequestId: key.id, amount: amount.toString() })
  const outcome = await waitForEnd(deps, wait, () => settleEarlier(deps, wait))
  const hash = (await store.find(key))?.signed?.hash
  if (hash !== undefined && outcome.kind !== 'failed' && !call.out.isJson) call.out.result(undefined, `Transaction: ${hash}`)
  if (outcome.kind !== 'open') await markReported(slot, key)
  if (outcome.kind === 'confirmed') return { hash, isConfirmed: true }
  if (outcome.kind === 'failed') throw new CommandError(outcome.isSent ? outcome.message : `nothing was sent: ${outcome.message}`)
  if (hash === undefined) throw new CommandError(`nothing was sent, because ${reasonOf(outcome)}; try again later`)
  return { hash, isConfirmed: false }
}

const reasonOf = (outcome: OperationOutcome): string => ('message' in outcome && outcome.message) || 'another process uses the wallet'

function printTo({ out }: CommandCall, path: string): Pick<OperationDeps, 'log' | 'announce'> {
  return {
    log: { info() {}, warn: out.note },
    announce: ({ hash }) =>
      out.note(`Sending transaction ${hash}, recorded in ${path}. If this command is interrupted, run it again to see the outcome.`),
  }
}

interface Wait {
  readonly key: OperationKey
  readonly untilMs: number
}

interface Requested extends Wait {
  note(line: string): void
}

/**
 * What another command sent and did not report is settled first, also when both run at the same time: an operator who repeats a command
 * does not pay twice.
 */
async function settleEarlier(deps: OperationDeps, request: Requested): Promise<void> {
  for (let attempt = deps.slot.read(); attempt; attempt = deps.slot.read()) {
    if (attempt.clientRequestId === request.key.id || isReported(attempt) || (await settleOne(deps, attempt, request))) return
  }
}

/** False: another command reported it and wrote its own transaction since. */
async function settleOne(deps: OperationDeps, attempt: SlotAttempt, { key: { type }, untilMs, note }: Requested): Promise<boolean> {
  const key = { type: attempt.type, id: attempt.clientRequestId }
  const what = `the ${attempt.type === 'fund' ? `deposit of ${formatUsdfc(BigInt(attempt.amount))} USDFC` : 'approval'} of an earlier command`
  const outcome = await waitForEnd(deps, { key, untilMs })
  if (outcome.kind === 'unsent') return false
  const { hash } = deps.slot.read()?.signed ?? attempt.signed
  if (outcome.kind === 'open')
    throw new CommandError(`nothing was sent, because ${what} (transaction ${hash}) is not final yet; try again later`)
  await markReported(deps.slot, key)
  if (outcome.kind === 'failed') note(`${what} failed: ${outcome.message}`)
  else if (type === 'fund' && attempt.type === 'fund')
    throw new CommandError(`${what} is confirmed (transaction ${hash}); nothing more was sent. To deposit again, run the command again`)
  else note(`${what} is confirmed (transaction ${hash})`)
  return true
}

/** Longer than a step of another process, which holds the slot. */
const reportMsMax = 30_000
const reportPollMs = 50

/** Keeps the next command from settling the transaction again and reporting it instead of sending its own. */
async function markReported(slot: WalletSlot, { type, id }: OperationKey): Promise<void> {
  for (const untilMs = systemClock.now() + reportMsMax; ; await systemClock.sleep(reportPollMs)) {
    using held = slot.hold()
    if (!held && systemClock.now() < untilMs) continue
    const attempt = held?.read()
    if (attempt?.type === type && attempt.clientRequestId === id) held?.write({ ...attempt, isReported: true })
    return
  }
}

/** Call it after the result is printed. Throws CommandError unless the transaction is confirmed. */
export function requireConfirmed({ hash, isConfirmed }: FundingOutcome, timeoutMs: number): void {
  if (isConfirmed) return
  throw new CommandError(
    `transaction ${hash} is not final after ${formatDuration(timeoutMs)} but may still land; run the command again to see its outcome`,
  )
}

async function requireBalances(chain: Chain, { address }: Signer, amount: bigint): Promise<void> {
  const { usdfc, native } = await readBalances(chain, address)
  const { name, nativeSymbol } = chain.network
  const hint = name === 'calibration' ? `; run svc wallet fund-testnet ${address}` : ''
  if (usdfc < amount) {
    throw new CommandError(
      `the wallet ${address} holds ${formatUsdfc(usdfc)} USDFC, less than the ${formatUsdfc(amount)} to deposit${hint}`,
    )
  }
  if (native === 0n) throw new CommandError(`the wallet ${address} has no ${nativeSymbol} for the transaction fee${hint}`)
}

async function waitForEnd(deps: OperationDeps, { key, untilMs }: Wait, before?: () => Promise<void>): Promise<OperationOutcome> {
  const pollMs = Math.max(pollMsMin, (deps.chain.network.epochSeconds * 1000) / pollsPerEpoch)
  for (;;) {
    await before?.()
    const outcome = await followOperation(deps, key).catch(keepOpen)
    if (outcome.kind !== 'open' || systemClock.now() >= untilMs) return outcome
    await systemClock.sleep(Math.min(pollMs, untilMs - systemClock.now()))
  }
}
