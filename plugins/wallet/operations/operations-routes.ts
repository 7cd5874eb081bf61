import { database, defineRoutes, serveEndpoint } from '#kernel'
import { chainSettings, type OperationRequest, walletOperations } from '../contract/services.ts'
import { walletErrors } from '../errors.ts'
import { describeOperation } from './describe-operation.ts'
import { findRecord, listRecords, type OperationRecord } from './operation-record-store.ts'
import { approveWallet, fundWallet, listOperations, operationPageSizes, type WalletOperation, withdrawWallet } from './operations-api.ts'

export const operationRoutes = defineRoutes({
  name: 'wallet-operations',
  uses: { database, operations: walletOperations, settings: chainSettings },
  endpoints: [fundWallet, withdrawWallet, approveWallet, listOperations],
  register(app, { database, operations, settings }) {
    /** The record, and its task with it; of a request that was made before, the record as it is now. */
    async function request(wanted: OperationRequest): Promise<{ readonly operation: WalletOperation }> {
      if (!isConfigured(settings)) throw walletErrors.wallet_not_configured()
      const record = await database.write(async (tx) => {
        await operations.begin(tx, wanted)
        return findRecord(tx, wanted)
      })
      return { operation: present(record) }
    }

    /** Whether the request was made before: it is answered with its record also when the prices have changed, and nothing more is paid. */
    async function isOnRecord(wanted: OperationRequest): Promise<boolean> {
      const record = await findRecord(database.read, wanted)
      return record?.amount === ('amount' in wanted ? String(wanted.amount) : '0')
    }

    const readAmount = ({ client_request_id: id, amount }: typeof fundWallet.body.infer) => ({ id, amount: BigInt(amount) })
    const toFund = (body: typeof fundWallet.body.infer): OperationRequest => ({ type: 'fund', ...readAmount(body) })
    const toWithdraw = (body: typeof fundWallet.body.infer): OperationRequest => ({ type: 'withdraw', ...readAmount(body) })
    const toApprove = ({ client_request_id: id }: typeof approveWallet.body.infer): OperationRequest => ({ type: 'approve', id })

    serveEndpoint(app, fundWallet, ({ body }) => request(toFund(body)), { isRepeat: ({ body }) => isOnRecord(toFund(body)) })
    serveEndpoint(app, withdrawWallet, ({ body }) => request(toWithdraw(body)), { isRepeat: ({ body }) => isOnRecord(toWithdraw(body)) })
    serveEndpoint(app, approveWallet, ({ body }) => request(toApprove(body)), { isRepeat: ({ body }) => isOnRecord(toApprove(body)) })
    serveEndpoint(app, listOperations, async ({ query: { limit = operationPageSizes.usual } }) => ({
      operations: (await listRecords(database.read, Math.min(limit, operationPageSizes.max))).map(present),
    }))
  },
})

/** Full mode requires a key, so this holds in every start of today. */
export const isConfigured = ({ private_key }: { readonly private_key: string }): boolean => private_key !== ''

function present(record: OperationRecord | undefined): WalletOperation {
  const operation = record && describeOperation(record)
  if (!operation) throw new Error('the operation is not on record')
  return operation
}
