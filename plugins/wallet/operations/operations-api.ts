/** Endpoints of wallet operations: deposits, withdrawals and approvals. Times are RFC 3339 in UTC, with milliseconds. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

export const operationPageSizes = { usual: 20, max: 100 } as const
const idCharsMax = 128
/** The largest amount of a token contract. */
const amountMax = 2n ** 256n - 1n
const amountPattern = /^[1-9]\d{0,77}$/

export const operationTypes = ['fund', 'withdraw', 'approve'] as const
/** `unknown`: its nonce is used, and the chain node does not show by which transaction. It is looked up until that is decided. */
export const operationStatuses = ['pending', 'submitted', 'confirmed', 'failed', 'unknown'] as const

const operation = type({
  id: 'number.integer',
  type: type.enumerated(...operationTypes),
  client_request_id: 'string',
  /** 10^-18 USDFC; `0` for an approval. */
  amount: 'string',
  status: type.enumerated(...operationStatuses),
  /** The newest transaction. Absent before it is signed, and when the chain needed none. */
  'tx_hash?': 'string',
  /** Why it failed, or why its outcome is not known. */
  'last_error?': 'string',
  /** Its turn began: the wallet sends one transaction at a time. */
  'started_at?': 'string',
  /** Its signed transaction was recorded, just before it was sent. */
  'submitted_at?': 'string',
  'completed_at?': 'string',
  created_at: 'string',
  updated_at: 'string',
})

const clientRequestId = type('string')
  .pipe((text) => text.trim())
  .to(`0 < string <= ${idCharsMax}`)
const amount = type('string').narrow(
  (text, ctx) => (amountPattern.test(text) && BigInt(text) <= amountMax) || ctx.mustBe('a whole number of base units above 0, as digits'),
)

const limits = { requireJsonType: true, bytesMax: 4096, status: 202 } as const
const refusals = ['wallet_not_configured', 'wallet_idempotency_conflict']
const answer = type({ operation })

const request = <const P extends 'fund' | 'withdraw'>(path: P, summary: string) =>
  defineEndpoint({
    method: 'POST',
    path: `/api/v1/wallet/${path}`,
    role: 'admin',
    summary,
    audit: ['client_request_id', 'amount'],
    body: type({ client_request_id: clientRequestId, amount }),
    ...limits,
    answer,
    refusals,
  })

export const fundWallet = request('fund', 'Deposit USDFC of the wallet into its payment account; the same request again changes nothing')
export const withdrawWallet = request(
  'withdraw',
  'Withdraw USDFC from the payment account to the wallet; the same request again changes nothing',
)

export const approveWallet = defineEndpoint({
  method: 'POST',
  path: '/api/v1/wallet/approve',
  role: 'admin',
  summary: 'Set the allowances of the storage service to the limits of chain.spending; the same request again changes nothing',
  audit: ['client_request_id'],
  body: type({ client_request_id: clientRequestId }),
  ...limits,
  answer,
  refusals,
})

export const listOperations = defineEndpoint({
  method: 'GET',
  path: '/api/v1/wallet/operations',
  summary: 'List deposits, withdrawals and approvals of the wallet, newest first',
  query: type({
    /** Larger ones count as 100. */
    'limit?': type('string.integer.parse')
      .to('1 <= number.integer <= 9007199254740991')
      .narrow(documented({ default: operationPageSizes.usual })),
  }),
  answer: type({ operations: operation.array() }),
})

export type WalletOperation = typeof operation.infer
