import { clock, defineTask, done, fail, type Outcome, type TaskQueue, type Tx, wait } from '#kernel'
import { type } from '#kernel/schema'
import { chainClient, isChainUnreachable, type OperationKey, walletOperations } from '../contract/services.ts'

/** Until an operator can have raised a limit, or fees have fallen. */
const heldEpochs = 2

/** Follows a wallet operation until it is final. Each step takes the slot of the wallet, so two runs at a time change nothing twice (I-06). */
export const operationTask = defineTask({
  kind: 'wallet_operation',
  label: 'Process wallet request',
  retry: { level: 'review', text: 'Requests the transaction again, at the prices and fees of now. Nothing was sent for it before.' },
  // A transaction that may have been sent is followed until the chain decides.
  attempts: Infinity,
  args: type({ type: "'fund' | 'withdraw' | 'approve' | 'terminate'", id: 'string > 0' }),
  uses: { operations: walletOperations, chain: chainClient, clock },
  subject: ({ type, id }) => ({ type: 'wallet_operation', key: `${type} ${id}` }),
  run: async ({ args, services: { operations, chain, clock }, signal }): Promise<Outcome> => {
    const epochMs = chain.network.epochSeconds * 1000
    signal.throwIfAborted()
    try {
      const outcome = await operations.follow(args)
      if (outcome.kind === 'open')
        return wait(outcome.reason, clock.now() + (outcome.reason === 'fee' ? heldEpochs : 1) * epochMs, outcome.message)
      // The task that ends the data set decides about another transaction.
      if (outcome.kind !== 'failed' || args.type === 'terminate') return done()
      return fail(outcome.code, outcome.message, { retryable: !outcome.isSent })
    } catch (error) {
      // I-08
      if (!isChainUnreachable(error)) throw error
      return wait('chain', clock.now() + heldEpochs * epochMs, error.message)
    }
  },
  reopen: ({ tx, args, services: { operations } }) => operations.reopen(tx, args),
})

export const scheduleOperation =
  (queue: Pick<TaskQueue, 'add'>) =>
  async (tx: Tx, { type, id }: OperationKey): Promise<void> =>
    void (await queue.add(tx, operationTask, { type, id }, { key: `${operationTask.kind}:${type}:${id}` }))
