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

    serveEndpoint(app, fundWallet, ({ body }) => request({ type: 'fund', id: body.client_request_id, amount: BigInt(body.amount) }))
    serveEndpoint(app, withdrawWallet, ({ body }) => request({ type: 'withdraw', id: body.client_request_id, amount: BigInt(body.amount) }))
    serveEndpoint(app, approveWallet, ({ body }) => request({ type: 'approve', id: body.client_request_id }))
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
