/** `svc admin wallet fund`, `withdraw` and `approve`: a request to the service, and with `--wait` its outcome. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type AdminCall, type AdminClient, openAdminClient, usageError, watchInterrupt } from '#cli'
import { CommandError, newUlid, type Output, systemClock } from '#kernel'
import { readWallet } from '../account/account-api.ts'
import { formatUsdfc, parseUsdfc } from '../chain/usdfc-amount-policy.ts'
import {
  approveWallet,
  fundWallet,
  listOperations,
  operationPageSizes,
  type WalletOperation,
  withdrawWallet,
} from '../operations/operations-api.ts'

interface RequestFlags {
  readonly wait: boolean
  readonly requestId: string | undefined
}

type RequestCall = AdminCall<unknown, RequestFlags>
type AmountCall = AdminCall<{ readonly amount: string }, RequestFlags>

const pollMs = 1000

export async function fund(call: AmountCall): Promise<number> {
  const amount = readAmount(call.parameters.amount)
  return request(call, (client, client_request_id) => client.call(fundWallet, { body: { client_request_id, amount } }))
}

export async function withdraw(call: AmountCall): Promise<number> {
  const { amount } = call.parameters
  const read = amount === 'max' ? readWithdrawable : async () => readAmount(amount)
  if (amount !== 'max') readAmount(amount)
  return request(call, async (client, client_request_id) =>
    client.call(withdrawWallet, { body: { client_request_id, amount: await read(client) } }),
  )
}

export const approve = (call: RequestCall): Promise<number> =>
  request(call, (client, client_request_id) => client.call(approveWallet, { body: { client_request_id } }))

function readAmount(text: string): string {
  const amount = parseUsdfc(text)
  if (!amount.isValid) throw usageError(`the amount ${amount.reason}, got "${text}"`)
  return String(amount.baseUnits)
}

async function readWithdrawable(client: AdminClient): Promise<string> {
  const { payment_account } = await client.call(readWallet)
  if (!payment_account) throw new CommandError('nothing was requested, because the service cannot read the payment account now')
  if (payment_account.withdrawable_funds === '0') throw new CommandError('nothing was requested: no USDFC can be withdrawn now')
  return payment_account.withdrawable_funds
}

type Send = (client: AdminClient, requestId: string) => Promise<{ readonly operation: WalletOperation }>

async function request(call: RequestCall, send: Send): Promise<number> {
  const { out, flags } = call
  const client = await openAdminClient(call)
  const id = flags.requestId ?? `cli-${newUlid(systemClock.now())}`
  // Before the request: its answer may be lost.
  if (flags.requestId === undefined) out.note(`Request ${id}. If this command is interrupted, repeat it with --request-id ${id}`)
  const requested = (await send(client, id)).operation
  const operation = flags.wait ? await waitForEnd({ client, out }, requested) : requested
  out.result({ operation }, operationText(operation))
  return operation.status === 'failed' ? 1 : 0
}

const isFinal = ({ status }: WalletOperation): boolean => status === 'confirmed' || status === 'failed'

interface Waiting {
  readonly client: AdminClient
  readonly out: Output
}

/** The operation as it is at its end, or at Ctrl-C. */
async function waitForEnd({ client, out }: Waiting, requested: WalletOperation): Promise<WalletOperation> {
  using interrupt = watchInterrupt()
  let operation = requested
  for (let shown = ''; !isFinal(operation) && !interrupt.signal.aborted; ) {
    const line = `${operation.type} ${operation.status}${operation.tx_hash === undefined ? '' : ` ${operation.tx_hash}`}`
    if (line !== shown) (out.progress ?? out.note)(line)
    shown = line
    // The pause ends early at Ctrl-C.
    await sleep(pollMs, undefined, { signal: interrupt.signal }).catch(() => undefined)
    const { operations } = await client.call(listOperations, { query: { limit: String(operationPageSizes.max) } })
    const found = operations.find(({ id }) => id === requested.id)
    if (!found) throw new CommandError(explainLost(requested, operations.length))
    operation = found
  }
  out.progress?.('')
  return operation
}

/** The repeat of a request answers its record, whatever its age. */
const explainLost = ({ id, type, amount, client_request_id }: WalletOperation, listed: number): string =>
  `operation ${id} is no longer among the newest ${listed}, so its end cannot be waited for; it continues. Repeat ` +
  `svc admin wallet ${type}${type === 'approve' ? '' : ` ${formatUsdfc(BigInt(amount))}`} --request-id ${client_request_id} to see it: nothing more is paid`

function operationText(operation: WalletOperation): string {
  const { id, type, amount, status, tx_hash, last_error } = operation
  const what = type === 'approve' ? 'approve' : `${type} ${formatUsdfc(BigInt(amount))} USDFC`
  return [
    `Operation ${id}: ${what}`,
    ...(tx_hash === undefined ? [] : [`Transaction: ${tx_hash}`]),
    `Status: ${status}`,
    ...(last_error === undefined ? [] : [`Details: ${last_error}`]),
    ...(isFinal(operation) ? [] : ['A task follows it: svc admin wallet operations --watch, svc admin task list --type wallet_operation']),
  ].join('\n')
}
