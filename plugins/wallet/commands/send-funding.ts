import { readSettings } from '#cli'
import { type CommandCall, CommandError, systemClock } from '#kernel'
import { formatDuration } from '#kernel/system'
import { type Chain, openAccount } from '../chain/clients.ts'
import { planFunding, readBalances } from '../chain/payments.ts'
import { toSpendingLimits } from '../chain/spending-policy.ts'
import { broadcast, lookUp, type SignedTransaction, signTransaction, type TransactionState } from '../chain/transactions.ts'
import { formatUsdfc } from '../funding/usdfc-amount-policy.ts'
import { chainSection, spendingKeys, spendingSection } from '../settings.ts'
import { chooseNetwork, openCommandChain } from './command-chain.ts'

interface FundingOutcome {
  /** Absent when no transaction was needed. */
  readonly hash?: string
  /** True when final on chain; false after a timeout. */
  readonly isConfirmed: boolean
}

const pollsPerEpoch = 4
const pollMsMin = 250

type Signer = ReturnType<typeof openAccount>

/**
 * Deposits `amount` base units (0: approval only) and approves the storage service if needed, in one transaction, and waits for it until
 * `--timeout`. Without --json, prints the hash as soon as the transaction is sent.
 *
 * A command has no database for its attempt, so it prints the hash to standard error before it sends the transaction: an operator who
 * interrupts the command can look it up.
 */
export async function sendFunding(call: CommandCall, amount: bigint): Promise<FundingOutcome> {
  const { out, flags } = call
  const account = openAccount(readSettings(call, chainSection, ['private_key']).private_key)
  await using opened = await openCommandChain(call, chooseNetwork(call))
  const { chain } = opened
  const limits = toSpendingLimits(readSettings(call, spendingSection, spendingKeys), chain.network)
  await requireBalances(chain, account, amount)
  const plan = await planFunding({ chain, account, amount, approval: limits.approval })
  if (!plan) return { isConfirmed: true }
  const signed = await signTransaction({ chain, account, call: plan, limits: limits.fees })
  out.note(
    `Sending transaction ${signed.hash}. It is not stored anywhere: if this command is interrupted, look it up before you try again.`,
  )
  const sent = await broadcast(chain, signed.raw)
  if (sent.kind === 'refused') throw new CommandError(`the node rejected the transaction, nothing was sent: ${sent.cause.message}`)
  if (!out.isJson) out.result(undefined, `Transaction: ${signed.hash}`)
  const timeoutMs = flags.timeout as number
  const state = await waitForOutcome(chain, { account, signed, timeoutMs })
  return { hash: signed.hash, isConfirmed: isConfirmed(state, signed) }
}

/** Call it after the result is printed. Throws CommandError unless the transaction is confirmed. */
export function requireConfirmed({ hash, isConfirmed }: FundingOutcome, timeoutMs: number): void {
  if (isConfirmed) return
  throw new CommandError(
    `transaction ${hash} is not final after ${formatDuration(timeoutMs)} but may still land; look it up before you try again`,
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

interface Wait {
  readonly account: Signer
  readonly signed: SignedTransaction
  readonly timeoutMs: number
}

async function waitForOutcome(chain: Chain, { account, signed, timeoutMs }: Wait): Promise<TransactionState> {
  const untilMs = systemClock.now() + timeoutMs
  const pollMs = Math.max(pollMsMin, (chain.network.epochSeconds * 1000) / pollsPerEpoch)
  let state: TransactionState = { state: 'pending' }
  while (systemClock.now() < untilMs) {
    // Without an answer of the node the outcome stays open: poll until the timeout.
    state = await lookUp(chain, account.address, signed).catch(() => ({ state: 'pending' }))
    if (state.state === 'unknown') await broadcast(chain, signed.raw)
    else if (state.state !== 'pending') return state
    await systemClock.sleep(Math.max(0, Math.min(pollMs, untilMs - systemClock.now())))
  }
  return state
}

/** Throws CommandError when the transaction failed. */
function isConfirmed({ state }: TransactionState, { hash, nonce }: SignedTransaction): boolean {
  if (state === 'reverted') throw new CommandError(`transaction ${hash} was reverted: it had no effect but cost its fee`)
  if (state === 'replaced')
    throw new CommandError(`transaction ${hash} can never land: another transaction of this wallet used its nonce ${nonce}`)
  return state === 'confirmed'
}
