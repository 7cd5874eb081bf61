import { type CommandCall, CommandError, formatDuration, readSettings, systemClock } from '#kernel'
import { type Chain, openAccount } from '../chain/clients.ts'
import { planFunding, readBalances } from '../chain/payments.ts'
import { toSpendingLimits } from '../chain/spending-policy.ts'
import { broadcast, lookUp, type SignedTransaction, signTransaction, type TransactionState } from '../chain/transactions.ts'
import { formatUsdfc } from '../funding/usdfc-amount-policy.ts'
import { chainSection, spendingKeys, spendingSection } from '../settings.ts'
import { chooseNetwork, openCommandChain } from './command-chain.ts'

export interface FundingEnd {
  /** Absent when nothing had to be sent. */
  readonly hash?: string
  /** Final on chain; false when the time was up before. */
  readonly isConfirmed: boolean
}

const looksPerEpoch = 4
const lookMsMin = 250

type Signer = ReturnType<typeof openAccount>

/**
 * Pays in `amount` base units (0: nothing) and approves the storage service where that is missing, in one transaction, and waits
 * for it as long as `--timeout` says. Human output gets the hash as soon as the transaction is sent.
 *
 * A command has no database to record its attempt in: the hash stands on standard error before the bytes leave, so that whoever
 * interrupts it can look up what became of them.
 */
export async function sendFunding(call: CommandCall, amount: bigint): Promise<FundingEnd> {
  const { out, flags } = call
  const account = openAccount(readSettings(call, chainSection, ['private_key']).private_key)
  await using door = await openCommandChain(call, chooseNetwork(call))
  const { chain } = door
  const limits = toSpendingLimits(readSettings(call, spendingSection, spendingKeys), chain.network)
  await requireMoney(chain, account, amount)
  const plan = await planFunding({ chain, account, amount, approval: limits.approval })
  if (!plan) return { isConfirmed: true }
  const signed = await signTransaction({ chain, account, call: plan, limits: limits.fees })
  out.note(`Sending transaction ${signed.hash}. Nothing else records it: if this is interrupted, look it up before you try again.`)
  const sent = await broadcast(chain, signed.raw)
  if (sent.kind === 'refused') throw new CommandError(`the node refused the transaction, nothing was sent: ${sent.cause.message}`)
  if (!out.isJson) out.result(undefined, `Transaction: ${signed.hash}`)
  const timeoutMs = flags.timeout as number
  const end = await waitForEnd(chain, { account, signed, timeoutMs })
  return { hash: signed.hash, isConfirmed: judgeEnd(end, signed) }
}

/** Says what became of the transaction once that was written out. Throws CommandError unless it is confirmed. */
export function requireConfirmed({ hash, isConfirmed }: FundingEnd, timeoutMs: number): void {
  if (isConfirmed) return
  throw new CommandError(
    `transaction ${hash} is not final after ${formatDuration(timeoutMs)}; it may still be, so do not send it again before you looked it up`,
  )
}

async function requireMoney(chain: Chain, { address }: Signer, amount: bigint): Promise<void> {
  const { usdfc, native } = await readBalances(chain, address)
  const { name, nativeSymbol } = chain.network
  const hint = name === 'calibration' ? `; svc wallet fund-testnet ${address} claims some` : ''
  if (usdfc < amount) {
    throw new CommandError(
      `the wallet ${address} holds ${formatUsdfc(usdfc)} USDFC, less than the ${formatUsdfc(amount)} to deposit${hint}`,
    )
  }
  if (native === 0n) throw new CommandError(`the wallet ${address} has no ${nativeSymbol} for the fee of the transaction${hint}`)
}

interface Wait {
  readonly account: Signer
  readonly signed: SignedTransaction
  readonly timeoutMs: number
}

async function waitForEnd(chain: Chain, { account, signed, timeoutMs }: Wait): Promise<TransactionState> {
  const untilMs = systemClock.now() + timeoutMs
  const lookMs = Math.max(lookMsMin, (chain.network.epochSeconds * 1000) / looksPerEpoch)
  let state: TransactionState = { state: 'pending' }
  while (systemClock.now() < untilMs) {
    // A node that does not answer leaves the outcome open; it is asked again until the time is up.
    state = await lookUp(chain, account.address, signed).catch(() => ({ state: 'pending' }))
    if (state.state === 'unknown') await broadcast(chain, signed.raw)
    else if (state.state !== 'pending') return state
    await systemClock.sleep(Math.max(0, Math.min(lookMs, untilMs - systemClock.now())))
  }
  return state
}

function judgeEnd({ state }: TransactionState, { hash, nonce }: SignedTransaction): boolean {
  if (state === 'reverted') throw new CommandError(`transaction ${hash} was reverted: it changed nothing but cost its fee`)
  if (state === 'replaced')
    throw new CommandError(`transaction ${hash} can never be mined: another one of this wallet took its nonce ${nonce}`)
  return state === 'confirmed'
}
